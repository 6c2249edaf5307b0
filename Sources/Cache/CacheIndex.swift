import SQLite

/// What a cache holds, and when it was used last.
///
/// ```
/// body      a file, by the SHA-256 of its bytes
/// response  what a server said about a body, by the hash of the request
/// document  what was found out about the bytes of a source, by kind, SHA-256 of the source, and version
/// ```
/// Each has a cost in bytes, and triggers keep their sum, so that several processes agree on it.
final class CacheIndex {
  private let database: Database

  /// Counts up when the tables change; an index of another version is thrown away.
  private static let version = 1
  /// About what a row takes in the file besides its content: keys, times, and its part of the trees.
  private static let rowBytes = 300

  init(path: [CChar]) throws(DatabaseFailure) {
    database = try Database(path: path)
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA temp_store = MEMORY;
      PRAGMA journal_size_limit = 16777216;
      """)
    switch try database.rows("PRAGMA user_version", read: { $0.integer(0) }).first {
    case Self.version: _ = try totalBytes()
    case 0: try database.execute(Self.schema)
    case let other:
      throw DatabaseFailure(code: 26, message: "the index is of version \(other ?? -1), not \(Self.version)")
    }
  }

  private static var schema: String {
    let tables = ["body", "response", "document"]
    return """
      BEGIN IMMEDIATE;
      CREATE TABLE body (sha256 TEXT PRIMARY KEY, cost INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
      CREATE INDEX body_by_use ON body (used);
      CREATE TABLE response (
        request TEXT PRIMARY KEY, sha256 TEXT NOT NULL, content TEXT NOT NULL, cost INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX response_by_body ON response (sha256);
      CREATE TABLE document (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, source TEXT NOT NULL, version TEXT NOT NULL,
        content TEXT NOT NULL, cost INTEGER NOT NULL, used INTEGER NOT NULL, UNIQUE (kind, source, version)
      );
      CREATE INDEX document_by_use ON document (used);
      CREATE TABLE total (bytes INTEGER NOT NULL, swept INTEGER NOT NULL);
      INSERT INTO total VALUES (0, 0);
      \(tables.map { table in
        """
        CREATE TRIGGER \(table)_added AFTER INSERT ON \(table)
          BEGIN UPDATE total SET bytes = bytes + NEW.cost; END;
        CREATE TRIGGER \(table)_removed AFTER DELETE ON \(table)
          BEGIN UPDATE total SET bytes = bytes - OLD.cost; END;
        CREATE TRIGGER \(table)_changed AFTER UPDATE OF cost ON \(table)
          BEGIN UPDATE total SET bytes = bytes + NEW.cost - OLD.cost; END;
        """
      }.joined(separator: "\n"))
      PRAGMA user_version = \(version);
      COMMIT;
      """
  }

  /// Closes the database; whatever is asked afterwards fails.
  func close() {
    database.close()
  }

  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try database.transaction(body)
  }

  /// The cost of everything.
  func totalBytes() throws(DatabaseFailure) -> Int {
    guard let total = try database.rows("SELECT bytes FROM total", read: { $0.integer(0) }).first else {
      throw DatabaseFailure(code: 11, message: "the index has no total")
    }
    return total
  }

  // MARK: Bodies and responses

  struct Body {
    let bytes: Int
    let used: Int
  }

  func body(_ sha256: String) throws(DatabaseFailure) -> Body? {
    try database.rows("SELECT cost, used FROM body WHERE sha256 = ?", .text(sha256)) {
      Body(bytes: $0.integer(0), used: $0.integer(1))
    }.first
  }

  func keepBody(_ sha256: String, bytes: Int, used: Int) throws(DatabaseFailure) {
    try database.run(
      """
      INSERT INTO body VALUES (?1, ?2, ?3)
      ON CONFLICT (sha256) DO UPDATE SET cost = excluded.cost, used = max(used, excluded.used)
      """, .text(sha256), .integer(bytes), .integer(used))
  }

  func useBody(_ sha256: String, at time: Int) throws(DatabaseFailure) {
    try database.run("UPDATE body SET used = max(used, ?2) WHERE sha256 = ?1", .text(sha256), .integer(time))
  }

  /// Forgets a body and every response that has it.
  func removeBody(_ sha256: String) throws(DatabaseFailure) {
    try database.run("DELETE FROM response WHERE sha256 = ?", .text(sha256))
    try database.run("DELETE FROM body WHERE sha256 = ?", .text(sha256))
  }

  func response(to request: String) throws(DatabaseFailure) -> (content: String, sha256: String)? {
    try database.rows("SELECT content, sha256 FROM response WHERE request = ?", .text(request)) {
      (content: $0.text(0), sha256: $0.text(1))
    }.first
  }

  func keepResponse(_ content: String, to request: String, sha256: String) throws(DatabaseFailure) {
    try database.run(
      """
      INSERT INTO response VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (request) DO UPDATE SET sha256 = excluded.sha256, content = excluded.content, cost = excluded.cost
      """, .text(request), .text(sha256), .text(content), .integer(content.utf8.count + Self.rowBytes))
  }

  func removeResponse(to request: String) throws(DatabaseFailure) {
    try database.run("DELETE FROM response WHERE request = ?", .text(request))
  }

  func hasResponse(withBody sha256: String) throws(DatabaseFailure) -> Bool {
    try !database.rows("SELECT 1 FROM response WHERE sha256 = ? LIMIT 1", .text(sha256)) { _ in () }.isEmpty
  }

  // MARK: Documents

  struct Document {
    let id: Int
    let content: String
    let used: Int
  }

  func document(_ kind: String, of source: String, version: String) throws(DatabaseFailure) -> Document? {
    try database.rows(
      "SELECT id, content, used FROM document WHERE kind = ? AND source = ? AND version = ?", .text(kind),
      .text(source), .text(version)
    ) { Document(id: $0.integer(0), content: $0.text(1), used: $0.integer(2)) }.first
  }

  func keepDocument(
    _ content: String, _ kind: String, of source: String, version: String, used: Int
  ) throws(DatabaseFailure) {
    try database.run(
      """
      INSERT INTO document (kind, source, version, content, cost, used) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (kind, source, version)
        DO UPDATE SET content = excluded.content, cost = excluded.cost, used = max(used, excluded.used)
      """, .text(kind), .text(source), .text(version), .text(content), .integer(content.utf8.count + Self.rowBytes),
      .integer(used))
  }

  func useDocument(_ id: Int, at time: Int) throws(DatabaseFailure) {
    try database.run("UPDATE document SET used = max(used, ?2) WHERE id = ?1", .integer(id), .integer(time))
  }

  func removeDocument(_ id: Int) throws(DatabaseFailure) {
    try database.run("DELETE FROM document WHERE id = ?", .integer(id))
  }

  // MARK: Making room

  enum Item {
    case body(sha256: String, bytes: Int)
    case document(id: Int, bytes: Int)

    var bytes: Int {
      switch self {
      case .body(_, let bytes), .document(_, let bytes): bytes
      }
    }
  }

  /// What was not used for the longest time, that first.
  func leastRecentlyUsed(_ count: Int) throws(DatabaseFailure) -> [Item] {
    try database.rows(
      """
      SELECT sha256, id, cost FROM (
        SELECT * FROM (SELECT sha256, 0 AS id, cost, used FROM body ORDER BY used LIMIT ?1)
        UNION ALL
        SELECT * FROM (SELECT '' AS sha256, id, cost, used FROM document ORDER BY used LIMIT ?1)
      ) ORDER BY used LIMIT ?1
      """, .integer(count)
    ) { row in
      row.text(0).isEmpty
        ? .document(id: row.integer(1), bytes: row.integer(2)) : .body(sha256: row.text(0), bytes: row.integer(2))
    }
  }

  /// When files that nothing refers to were looked for last.
  func swept() throws(DatabaseFailure) -> Int {
    try database.rows("SELECT swept FROM total", read: { $0.integer(0) }).first ?? 0
  }

  func setSwept(_ time: Int) throws(DatabaseFailure) {
    try database.run("UPDATE total SET swept = ?", .integer(time))
  }
}
