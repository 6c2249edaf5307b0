import CSQLite
import Glibc

/// Called while another connection writes, which takes it milliseconds as a rule: naps for about one, and gives up after
/// five seconds of that. SQLite's own handler naps for up to 100 ms, and so hardly gets a turn while others are busy.
private func waitForOthers(_: UnsafeMutableRawPointer?, _ naps: Int32) -> Int32 {
  // Of different lengths, lest two processes keep in step.
  usleep(500 + UInt32.random(in: 0..<1_000))
  return naps < 5_000 ? 1 : 0
}

/// One connection to a SQLite database. It is not made for several threads at once.
package final class Database {
  /// nil when it has been closed.
  private var handle: OpaquePointer?
  /// By their SQL. There are a dozen of them, and preparing one costs more than running it.
  private var statements: [String: OpaquePointer] = [:]

  package enum Value {
    case null
    case integer(Int)
    case real(Double)
    case text(String)
    case bytes([UInt8])
  }

  /// Opens a database.
  /// - Parameters:
  ///   - path: a C string, as the system has it.
  ///   - creating: whether to make one where there is none.
  package init(path: [CChar], creating: Bool = true) throws(DatabaseFailure) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (creating ? SQLITE_OPEN_CREATE : 0)
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened else { throw DatabaseFailure(code: SQLITE_NOMEM, message: "out of memory") }
    handle = opened
    guard code == SQLITE_OK else { throw failure(code) }
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_handler(handle, waitForOthers, nil)
  }

  deinit {
    close()
  }

  /// Ends the connection; whatever is asked of it afterwards fails.
  package func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Runs statements that have no parameters and whose rows, if any, do not matter.
  package func execute(_ script: String) throws(DatabaseFailure) {
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Runs one statement whose rows, if any, do not matter.
  /// - Returns: how many rows it inserted, changed or deleted.
  @discardableResult
  package func run(_ sql: String, _ values: Value...) throws(DatabaseFailure) -> Int {
    try run(sql, values)
  }

  @discardableResult
  package func run(_ sql: String, _ values: [Value]) throws(DatabaseFailure) -> Int {
    _ = try rows(sql, values) { _ in }
    return Int(sqlite3_changes64(handle))
  }

  /// The rows that a query gives, each made by `read`.
  package func rows<Element>(
    _ sql: String, _ values: Value..., read: (Row) -> Element
  ) throws(DatabaseFailure) -> [Element] {
    try rows(sql, values, read)
  }

  private func rows<Element>(
    _ sql: String, _ values: [Value], _ read: (Row) -> Element
  ) throws(DatabaseFailure) -> [Element] {
    let statement = try statement(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let code = bind(value, to: statement, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw failure(code) }
    }
    var elements: [Element] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: elements.append(read(Row(statement: statement)))
      case SQLITE_DONE: return elements
      case let code: throw failure(code)
      }
    }
  }

  private func bind(_ value: Value, to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, Int64(number))
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let text): enclosure_bind_text(statement, index, text, Int32(text.utf8.count))
    case .bytes(let bytes):
      bytes.withUnsafeBytes { enclosure_bind_blob(statement, index, $0.baseAddress, Int32($0.count)) }
    }
  }

  /// Runs `body` so that all it changes is there afterwards, or nothing. Another process that writes is waited for.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try begin()
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Begins a transaction that writes. Another process that writes is waited for.
  package func begin() throws(DatabaseFailure) {
    try execute("BEGIN IMMEDIATE")
  }

  package func commit() throws(DatabaseFailure) {
    try execute("COMMIT")
  }

  /// Undoes the transaction, unless SQLite has done so already, as it does after some failures.
  package func rollBack() {
    if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
  }

  /// How often a page of the file was looked at, in memory or not: what statements cost.
  package var pagesRead: Int {
    [SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS].reduce(0) { sum, counter in
      var count: Int32 = 0
      var highest: Int32 = 0
      sqlite3_db_status(handle, counter, &count, &highest, 0)
      return sum + Int(count)
    }
  }

  /// A row of a result, valid only while it is read.
  package struct Row {
    fileprivate let statement: OpaquePointer

    package func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }

    package func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    package func text(_ column: Int32) -> String {
      guard let text = sqlite3_column_text(statement, column) else { return "" }
      let count = Int(sqlite3_column_bytes(statement, column))
      return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    package func bytes(_ column: Int32) -> [UInt8] {
      guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
      return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }
  }

  private func statement(_ sql: String) throws(DatabaseFailure) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw failure(code) }
    statements[sql] = prepared
    return prepared
  }

  private func failure(_ code: Int32) -> DatabaseFailure {
    DatabaseFailure(code: code, message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? "code \(code)")
  }
}
