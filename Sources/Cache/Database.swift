import CSQLite

/// SQLite could not do something; holds its result code, and its own text for messages.
struct DatabaseFailure: Error {
  let code: Int32
  let message: String

  /// Whether the file is no database, or is one no more.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }
}

/// One connection to a SQLite database. It is not made for several threads at once.
final class Database {
  /// nil when it has been closed.
  private var handle: OpaquePointer?
  /// By their SQL. There are a dozen of them, and preparing one costs more than running it.
  private var statements: [String: OpaquePointer] = [:]

  enum Value {
    case integer(Int)
    case text(String)
  }

  /// Opens a database, creating it where there is none.
  /// - Parameter path: a C string, as the system has it.
  init(path: [CChar]) throws(DatabaseFailure) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else { throw DatabaseFailure(code: SQLITE_NOMEM, message: "out of memory") }
    handle = opened
    guard code == SQLITE_OK else { throw failure(code) }
    // For as long another process may write, which takes it milliseconds as a rule.
    sqlite3_busy_timeout(handle, 5_000)
  }

  deinit {
    close()
  }

  /// Ends the connection; whatever is asked of it afterwards fails.
  func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Runs statements that have no parameters and whose rows, if any, do not matter.
  func execute(_ script: String) throws(DatabaseFailure) {
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  func run(_ sql: String, _ values: Value...) throws(DatabaseFailure) {
    _ = try rows(sql, values) { _ in }
  }

  /// The rows that a query gives, each made by `read`.
  func rows<Element>(_ sql: String, _ values: Value..., read: (Row) -> Element) throws(DatabaseFailure) -> [Element] {
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
      let code =
        switch value {
        case .integer(let number): sqlite3_bind_int64(statement, Int32(index + 1), Int64(number))
        case .text(let text): enclosure_bind_text(statement, Int32(index + 1), text, Int32(text.utf8.count))
        }
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

  /// Runs `body` so that all it changes is there afterwards, or nothing. Another process that writes is waited for.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite has done it already after some failures.
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// A row of a result, valid only while it is read.
  struct Row {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }
    func text(_ column: Int32) -> String {
      sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
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

/// SQLite's version.
package var databaseLibraryVersion: String {
  String(cString: sqlite3_libversion())
}
