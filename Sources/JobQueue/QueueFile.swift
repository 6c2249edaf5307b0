import Glibc
import SQLite

/// The file of a SQLite queue: opening it, noticing when it goes away, and finding it again when it is back.
///
/// Used by one thread only.
final class QueueFile {
  let path: String
  private let absolutePath: [CChar]
  private let options: QueueOptions
  private let clock: QueueClock
  private var connection: Connection?

  private final class Connection {
    let table: JobTable
    let signal: FileSignal?
    let identity: Identity
    /// Whether a transaction is on the disk when it has been committed.
    var isSynced = true

    init(table: JobTable, signal: FileSignal?, identity: Identity) {
      self.table = table
      self.signal = signal
      self.identity = identity
    }
  }

  private struct Identity: Equatable {
    let device: dev_t
    let inode: ino_t
    let isEmpty: Bool

    init?(_ path: [CChar]) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = status.st_dev
      inode = status.st_ino
      isEmpty = status.st_size == 0
    }

    /// The same file, whatever is in it.
    static func == (a: Identity, b: Identity) -> Bool { a.device == b.device && a.inode == b.inode }
  }

  /// Opens the file, and creates it with the folders above it where they are missing.
  init(path: String, options: QueueOptions, clock: QueueClock) throws(QueueFailure) {
    try Self.checkPath(path)
    self.path = path
    self.options = options
    self.clock = clock
    absolutePath = try Self.absolute(path).utf8.map(CChar.init(bitPattern:)) + [0]
    if options.createsQueue {
      try create()
    } else if Identity(absolutePath) == nil {
      throw .unusable("there is no queue \(path)")
    }
    connection = try connect()
  }

  /// Makes sure that this may be the name of a file, whether or not there is one.
  static func checkPath(_ path: String) throws(QueueFailure) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .unusable("sqlite: names no file; name one as in sqlite:jobs.sqlite")
    }
    guard !path.hasPrefix("//") || path.hasPrefix("///") else {
      throw .unusable("sqlite:\(path) has a host, which SQLite knows nothing of; write sqlite:FILE")
    }
  }

  /// Readable when another process has given the signal; nil where the system does not tell.
  var signalDescriptor: Int32? {
    connection?.signal?.descriptor
  }

  func drainSignal() {
    connection?.signal?.drain()
  }

  /// Tells all processes that wait for jobs that there may be some.
  func giveSignal() {
    FileSignal.give(on: absolutePath)
  }

  /// The jobs, for reading or for a transaction of one's own.
  func table() throws(QueueFailure) -> JobTable {
    // SQLite does not notice when its file is removed, and would go on writing to what nobody will find.
    let found = Identity(absolutePath)
    if let identity = connection?.identity, identity != found || found?.isEmpty == true { connection = nil }
    if let connection { return connection.table }
    // It is not made anew: where a disk is not mounted, that would be another, empty queue.
    guard let found else {
      throw .unavailable("the queue \(path) was removed; it is used again when it is back")
    }
    // SQLite takes an empty file for an empty database. But a queue with which it begins has more than no bytes.
    guard !found.isEmpty else {
      throw .unavailable("the queue \(path) is an empty file now; it is used again when it is back")
    }
    let new = try connect()
    connection = new
    return new.table
  }

  /// Runs `body` in a transaction.
  /// - Parameter isSynced: whether all of it has to be on the disk when this returns. If not, a loss of power may undo
  ///   it, but not the end of a process.
  func transaction<Result>(
    isSynced: Bool, _ body: (JobTable) throws(DatabaseFailure) -> Result
  ) throws(QueueFailure) -> Result {
    let table = try table()
    do throws(DatabaseFailure) {
      if connection?.isSynced != isSynced {
        try table.database.execute("PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")")
        connection?.isSynced = isSynced
      }
      try table.database.begin()
      let result = try body(table)
      try table.database.commit()
      return result
    } catch {
      table.database.rollBack()
      throw failure(error)
    }
  }

  /// Reads, with what others have written in between or not.
  func read<Result>(_ body: (JobTable) throws(DatabaseFailure) -> Result) throws(QueueFailure) -> Result {
    let table = try table()
    do throws(DatabaseFailure) {
      return try body(table)
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ failure: DatabaseFailure) -> QueueFailure {
    // After anything out of the ordinary a fresh connection knows best what is in the file.
    if !failure.isFullDisk, !failure.isBusy { connection = nil }
    return QueueFailure(failure, path: path)
  }

  // MARK: Opening

  private static func absolute(_ path: String) throws(QueueFailure) -> String {
    if path.hasPrefix("/") { return path }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&buffer, buffer.count) != nil else {
      throw .unusable("the current folder, where \(path) would be, is gone")
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) + "/" + path
  }

  /// Makes an empty file, which SQLite takes for an empty database. What is in jobs is nobody else's business, and
  /// SQLite gives the files beside it the same permissions.
  private func create() throws(QueueFailure) {
    for index in absolutePath.indices.dropFirst() where absolutePath[index] == CChar(bitPattern: UInt8(ascii: "/")) {
      _ = mkdir(absolutePath[..<index] + [0], 0o700)
    }
    // Not with open: closing a descriptor of the file would end the locks that this process has on it.
    guard mknod(absolutePath, S_IFREG | 0o600, 0) != 0 else { return }
    switch errno {
    case EEXIST: break
    case ENOSPC, EDQUOT, EROFS, EIO, ENOMEM: throw .unavailable(cannotBeMade(errno))
    case let code: throw .unusable(cannotBeMade(code))
    }
  }

  private func cannotBeMade(_ code: Int32) -> String {
    "the queue \(path) cannot be made: \(String(cString: strerror(code)))"
  }

  private func connect() throws(QueueFailure) -> Connection {
    guard let identity = Identity(absolutePath) else { throw .unavailable("the queue \(path) is not there") }
    let database: Database
    let obstacle: String?
    do throws(DatabaseFailure) {
      database = try Database(path: absolutePath, creating: false)
      if let unfit = try useLog(of: database) {
        obstacle = unfit
      } else {
        obstacle = try JobTable.prepare(database, clock: clock)
      }
      try database.execute("PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 16777216;")
    } catch {
      throw QueueFailure(error, path: path)
    }
    if let obstacle { throw .unusable("\(path) \(obstacle)") }
    return Connection(
      table: JobTable(database: database, options: options), signal: FileSignal(on: absolutePath), identity: identity)
  }

  /// Switches to write-ahead logging, with which readers and a writer don't wait for each other.
  /// - Returns: nil, or why that is not possible.
  private func useLog(of database: Database) throws(DatabaseFailure) -> String? {
    let mode = { (row: Database.Row) in row.text(0) }
    try database.execute("PRAGMA synchronous = FULL")
    for _ in 0..<100 {
      do throws(DatabaseFailure) {
        if try database.rows("PRAGMA journal_mode", read: mode).first == "wal" { return nil }
        if try database.rows("PRAGMA journal_mode = WAL", read: mode).first == "wal" { return nil }
        return "is on a file system on which processes cannot share memory; put the queue on a local disk"
      } catch {
        // Several processes do this at once, and SQLite doesn't wait here by itself.
        guard error.isBusy else { throw error }
        usleep(50_000)
      }
    }
    return nil
  }
}
