import SQLite

/// What there is, and putting it in order.
extension JobTable {
  func status(at time: QueueTime) throws(DatabaseFailure) -> QueueStatus {
    let ready = try count("state = ?1", .ready)
    let due = try count("state = ?1 AND moment <= ?2", .delayed, .real(time.wall))
    let delayed = try count("state = ?1", .delayed) - due
    let expired = try count("state = ?1 AND moment <= ?2", .leased, .real(time.steady))
    let leased = try count("state = ?1", .leased) - expired
    let oldest = try database.rows(
      """
      SELECT min(moment) FROM (
        SELECT min(moment) AS moment FROM job WHERE state = \(State.ready.rawValue)
        UNION ALL SELECT min(moment) FROM job WHERE state = \(State.delayed.rawValue))
      """, read: { $0.isNull(0) ? nil : time.wall - $0.real(0) })
    return QueueStatus(
      ready: ready + due + expired, delayed: delayed, leased: leased, dead: try count("state = ?1", .dead),
      oldestReadySeconds: ready + due > 0 ? oldest.first.flatMap(\.self).map { max(0, $0) } : nil)
  }

  private func count(
    _ condition: String, _ state: State, _ moment: Database.Value? = nil
  ) throws(DatabaseFailure) -> Int {
    let sql = "SELECT count(*) FROM job WHERE \(condition)"
    let number = Database.Value.integer(state.rawValue)
    let counts =
      if let moment {
        try database.rows(sql, number, moment, read: { $0.integer(0) })
      } else {
        try database.rows(sql, number, read: { $0.integer(0) })
      }
    return counts.first ?? 0
  }

  func state(of id: String, at time: QueueTime) throws(DatabaseFailure) -> JobState? {
    try database.rows(
      "SELECT state, attempts, moment, result, reasons FROM job WHERE id = ?", .text(id)
    ) { row -> JobState? in
      let attempts = row.integer(1)
      let moment = row.real(2)
      switch State(rawValue: row.integer(0)) {
      case .leased where moment > time.steady: return .leased(attempt: attempts)
      case .ready, .delayed, .leased: return .waiting(attempts: attempts)
      case .completed where moment < time.wall - options.rememberedSeconds: return nil
      case .completed: return .completed(result: row.bytes(3))
      case .dead: return .dead(reason: Self.lines(row.text(4)))
      case nil: return nil
      }
    }.first.flatMap(\.self)
  }

  func dead(limit: Int) throws(DatabaseFailure) -> [DeadLetter] {
    try database.rows(
      "SELECT id, body, attempts, reasons, moment FROM job WHERE state = ? ORDER BY moment, sequence LIMIT ?",
      .integer(State.dead.rawValue), .integer(max(0, limit))
    ) {
      DeadLetter(
        id: $0.text(0), body: $0.bytes(1), attempts: $0.integer(2), reason: Self.lines($0.text(3)),
        buriedAt: $0.real(4))
    }
  }

  /// Revives the dead letter of an id.
  func revive(_ id: String, at time: QueueTime) throws(DatabaseFailure) -> Int {
    try database.run(
      "\(Self.reviving) WHERE state = ?2 AND id = ?3", .real(time.wall), .integer(State.dead.rawValue), .text(id))
  }

  /// Revives up to a slice of dead letters.
  /// - Parameter moment: leaves those that were buried later.
  func reviveAll(buriedBy moment: Double, at time: QueueTime) throws(DatabaseFailure) -> Int {
    try database.run(
      """
      \(Self.reviving) WHERE sequence IN (
        SELECT sequence FROM job WHERE state = ?2 AND moment <= ?3 ORDER BY moment LIMIT \(Self.slice))
      """, .real(time.wall), .integer(State.dead.rawValue), .real(moment))
  }

  private static let reviving = """
    UPDATE job SET state = \(State.ready.rawValue), added = ?1, moment = ?1, attempts = 0,
      reasons = reasons || 'put back after that' || char(10)
    """

  /// Removes up to a slice of jobs.
  /// - Parameter added: leaves those that were added later, in seconds since 1970.
  func purge(_ what: Purge, addedBy added: Double) throws(DatabaseFailure) -> Int {
    let states: [State] =
      switch what {
      case .dead: [.dead]
      case .waiting: [.ready, .delayed]
      case .completed: [.completed]
      }
    var count = 0
    for state in states { count += try remove(Self.slice, state, before: .infinity, addedBy: added) }
    return count
  }

  /// Forgets up to a slice of completed jobs of which there are too many, or too old ones.
  func forgetCompleted(at time: QueueTime) throws(DatabaseFailure) -> Int {
    let old = try remove(Self.slice, .completed, before: time.wall - options.rememberedSeconds)
    let excess = try count("state = ?1", .completed) - options.rememberedCount
    guard excess > 0 else { return old }
    return old + (try remove(min(excess, Self.slice), .completed, before: .infinity))
  }

  private func remove(
    _ limit: Int, _ state: State, before moment: Double, addedBy added: Double = .infinity
  ) throws(DatabaseFailure) -> Int {
    try database.run(
      """
      DELETE FROM job WHERE sequence IN (
        SELECT sequence FROM job WHERE state = ? AND moment < ? AND added <= ? ORDER BY moment LIMIT ?)
      """, .integer(state.rawValue), .real(moment), .real(added), .integer(limit))
  }

  /// Reasons are kept with an end of line behind each.
  private static func lines(_ reasons: String) -> String {
    String(reasons.last == "\n" ? reasons.dropLast() : reasons[...])
  }
}
