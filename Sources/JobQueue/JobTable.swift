import SQLite

/// The jobs of a queue in a database: what each call means, without transactions, threads and waiting.
struct JobTable {
  let database: Database
  let options: QueueOptions

  enum State: Int {
    case ready, delayed, leased, completed, dead
  }

  /// Jobs without a deadline go as if theirs were so many seconds after they were added: behind those that are soon of
  /// no use any more, but not behind all others for ever.
  private static let patience = 3600.0
  /// How many jobs at most change by themselves in one transaction, which others wait for.
  static let slice = 1_000
  private static let maximumReasonsCharacters = 20_000

  // MARK: Adding

  func add(_ job: NewJob, at time: QueueTime) throws(DatabaseFailure) -> Enqueued {
    if try insert(job, at: time) { return .added }
    // Its id may be that of a job that was completed too long ago to count.
    let forgotten = try database.run(
      "DELETE FROM job WHERE id = ? AND state = ? AND moment < ?", .text(job.id), .integer(State.completed.rawValue),
      .real(time.wall - options.rememberedSeconds))
    guard forgotten > 0 else { return .known }
    return try insert(job, at: time) ? .added : .known
  }

  private func insert(_ job: NewJob, at time: QueueTime) throws(DatabaseFailure) -> Bool {
    let urgency = min(job.deadline ?? .infinity, time.wall + Self.patience)
    return try database.run(
      "INSERT INTO job (id, state, added, moment, urgency, body) VALUES (?, ?, ?3, ?3, ?, ?) ON CONFLICT (id) DO NOTHING",
      .text(job.id), .integer(State.ready.rawValue), .real(time.wall), .real(urgency), .bytes(job.body)) > 0
  }

  /// Writes something that changes nothing.
  func touch() throws(DatabaseFailure) {
    try database.run("UPDATE queue SET token = token")
  }

  // MARK: Leasing

  /// Whether there is something to lease.
  func hasDue(at time: QueueTime) throws(DatabaseFailure) -> Bool {
    try database.rows(
      """
      SELECT EXISTS (SELECT 1 FROM job WHERE state = \(State.ready.rawValue))
        OR EXISTS (SELECT 1 FROM job WHERE state = \(State.delayed.rawValue) AND moment <= ?1)
        OR EXISTS (SELECT 1 FROM job WHERE state = \(State.leased.rawValue) AND moment <= ?2)
      """, .real(time.wall), .real(time.steady), read: { $0.integer(0) != 0 }
    ).first ?? false
  }

  /// In how many seconds there will be something to lease, if nobody does anything; nil for never.
  func secondsUntilDue(at time: QueueTime) throws(DatabaseFailure) -> Double? {
    func next(_ state: State, after moment: Double) throws(DatabaseFailure) -> Double? {
      try database.rows(
        "SELECT moment FROM job WHERE state = ? ORDER BY moment LIMIT 1", .integer(state.rawValue),
        read: { max(0, $0.real(0) - moment) }
      ).first
    }
    let delays = [try next(.delayed, after: time.wall), try next(.leased, after: time.steady)]
    return delays.compactMap(\.self).min()
  }

  /// Makes those ready that have become due: their delay is over, or their lease.
  func wake(at time: QueueTime) throws(DatabaseFailure) {
    try database.run(
      """
      UPDATE job SET state = \(State.ready.rawValue) WHERE sequence IN (
        SELECT sequence FROM job WHERE state = ?1 AND moment <= ?2 ORDER BY moment LIMIT \(Self.slice))
      """, .integer(State.delayed.rawValue), .real(time.wall))
    try database.run(
      """
      UPDATE job SET state = \(State.ready.rawValue), moment = ?3, reasons = \(Self.appendingReason("?4"))
      WHERE sequence IN (
        SELECT sequence FROM job WHERE state = ?1 AND moment <= ?2 ORDER BY moment LIMIT \(Self.slice))
      """, .integer(State.leased.rawValue), .real(time.steady), .real(time.wall),
      .text("its lease ran out; the worker was killed or cut off"))
  }

  /// Leases what is ready. Call `wake` before.
  func lease(_ count: Int, seconds: Double, at time: QueueTime) throws(DatabaseFailure) -> [Lease] {
    // Left to itself, SQLite sorts all that is ready.
    let jobs = try database.rows(
      """
      SELECT sequence, id, attempts, added, body FROM job INDEXED BY job_by_urgency
      WHERE state = \(State.ready.rawValue)
      ORDER BY urgency, sequence LIMIT ?
      """,
      .integer(count)
    ) { row in
      (
        sequence: row.integer(0), id: row.text(1), attempts: row.integer(2), added: row.real(3), body: row.bytes(4)
      )
    }
    guard !jobs.isEmpty else { return [] }
    // One counter for all jobs: a job that is forgotten and added again must not see its old tokens.
    let last = try database.rows("SELECT token FROM queue", read: { $0.integer(0) }).first ?? 0
    try database.run("UPDATE queue SET token = ?", .integer(last + jobs.count))
    var leases: [Lease] = []
    for (index, job) in jobs.enumerated() {
      let token = last + 1 + index
      try database.run(
        "UPDATE job SET state = ?, moment = ?, attempts = attempts + 1, token = ? WHERE sequence = ?",
        .integer(State.leased.rawValue), .real(time.steady + seconds), .integer(token), .integer(job.sequence))
      leases.append(
        Lease(id: job.id, body: job.body, attempt: job.attempts + 1, token: UInt64(token), addedAt: job.added))
    }
    return leases
  }

  // MARK: Ending leases. Each says whether the lease was still held.

  func extend(_ lease: Lease, seconds: Double, at time: QueueTime) throws(DatabaseFailure) -> Bool {
    try change(lease, "moment = ?3", .real(time.steady + seconds))
  }

  func complete(_ lease: Lease, result: [UInt8], at time: QueueTime) throws(DatabaseFailure) -> Bool {
    if try change(
      lease, "state = \(State.completed.rawValue), moment = ?3, result = ?4, body = x'', reasons = ''",
      .real(time.wall), .bytes(result))
    {
      return true
    }
    return try hasEnded(lease, as: .completed)
  }

  func retry(
    _ lease: Lease, after seconds: Double, reason: String, at time: QueueTime
  ) throws(DatabaseFailure) -> Bool {
    try change(
      lease, "state = \(State.delayed.rawValue), moment = ?3, reasons = \(Self.appendingReason("?4"))",
      .real(time.wall + seconds), .text(reasonLine(reason)))
  }

  func release(_ lease: Lease, after seconds: Double, at time: QueueTime) throws(DatabaseFailure) -> Bool {
    let state: State = seconds > 0 ? .delayed : .ready
    return try change(
      lease, "state = ?4, moment = ?3, attempts = attempts - 1", .real(time.wall + max(seconds, 0)),
      .integer(state.rawValue))
  }

  func bury(_ lease: Lease, reason: String, at time: QueueTime) throws(DatabaseFailure) -> Bool {
    if try change(
      lease, "state = \(State.dead.rawValue), moment = ?3, reasons = \(Self.appendingReason("?4"))", .real(time.wall),
      .text(reasonLine(reason)))
    {
      return true
    }
    return try hasEnded(lease, as: .dead)
  }

  /// Changes the job of a lease that is still held. Parameters of `assignments` count from ?3.
  private func change(
    _ lease: Lease, _ assignments: String, _ values: Database.Value...
  ) throws(DatabaseFailure) -> Bool {
    try database.run(
      "UPDATE job SET \(assignments) WHERE id = ?1 AND token = ?2 AND state = \(State.leased.rawValue)",
      [.text(lease.id), .integer(Int(truncatingIfNeeded: lease.token))] + values) > 0
  }

  private func hasEnded(_ lease: Lease, as state: State) throws(DatabaseFailure) -> Bool {
    try !database.rows(
      "SELECT 1 FROM job WHERE id = ? AND token = ? AND state = ?", .text(lease.id),
      .integer(Int(truncatingIfNeeded: lease.token)), .integer(state.rawValue), read: { _ in () }
    ).isEmpty
  }

  // MARK: Reasons

  /// SQL for the reasons of a job with one more, a line with the number of the attempt.
  static func appendingReason(_ parameter: String) -> String {
    "substr(reasons || 'attempt ' || attempts || ': ' || \(parameter) || char(10), -\(maximumReasonsCharacters))"
  }
}
