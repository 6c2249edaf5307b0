import SQLite

extension JobTable {
  /// Counts up when the tables change.
  private static let version = 1
  /// “Encl”: tells a queue from other programs' databases.
  private static let application = 0x456E_636C

  /// Makes the tables where there are none, and sees that these are ours.
  /// - Returns: nil, or why the database is none of ours.
  static func prepare(_ database: Database, clock: QueueClock) throws(DatabaseFailure) -> String? {
    try database.begin()
    do throws(DatabaseFailure) {
      let obstacle = try prepareTables(in: database)
      if obstacle == nil { try expireAfterRestart(in: database, clock: clock) }
      try database.commit()
      return obstacle
    } catch {
      database.rollBack()
      throw error
    }
  }

  private static func prepareTables(in database: Database) throws(DatabaseFailure) -> String? {
    let found = try database.rows("PRAGMA application_id", read: { $0.integer(0) }).first
    let version = try database.rows("PRAGMA user_version", read: { $0.integer(0) }).first
    switch (found, version) {
    case (application, Self.version): return nil
    case (application, let other?):
      return "is a queue of version \(other); this program knows version \(Self.version)"
    default:
      let tables = try database.rows("SELECT count(*) FROM sqlite_schema", read: { $0.integer(0) }).first
      guard tables == 0 else { return "is another program's database" }
      try database.execute(schema)
      return nil
    }
  }

  /// What a job is decides what `moment` means:
  /// ready: since when it is due · delayed: when it is due · completed, dead: when it ended, all by the wall clock;
  /// leased: when its lease runs out, by the steady clock.
  private static var schema: String {
    """
    CREATE TABLE job (
      sequence INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      state INTEGER NOT NULL,
      added REAL NOT NULL,
      moment REAL NOT NULL,
      urgency REAL NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      token INTEGER NOT NULL DEFAULT 0,
      reasons TEXT NOT NULL DEFAULT '',
      result BLOB,
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX job_by_state ON job (state, moment);
    CREATE INDEX job_by_urgency ON job (urgency) WHERE state = \(State.ready.rawValue);
    CREATE TABLE queue (token INTEGER NOT NULL, boot TEXT NOT NULL) STRICT;
    INSERT INTO queue VALUES (0, '');
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(version);
    """
  }

  /// Whoever held a lease when the machine went down has gone, and the steady clock begins anew.
  private static func expireAfterRestart(in database: Database, clock: QueueClock) throws(DatabaseFailure) {
    guard try database.rows("SELECT boot FROM queue", read: { $0.text(0) }).first != clock.boot else { return }
    try database.run(
      """
      UPDATE job SET state = ?1, moment = ?2, reasons = \(appendingReason("?3"))
      WHERE state = ?4
      """, .integer(State.ready.rawValue), .real(clock.now().wall), .text("the machine was restarted"),
      .integer(State.leased.rawValue))
    try database.run("UPDATE queue SET boot = ?", .text(clock.boot))
  }
}
