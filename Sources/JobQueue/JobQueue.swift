/// Jobs that wait to be worked on, each handed to one worker at a time until somebody says how it ended.
///
/// A job is delivered at least once. Whoever works on it holds a lease of some seconds, which heartbeats prolong; when
/// the lease runs out, because the worker was killed or cut off, somebody else gets the job. A lease carries a fencing
/// token: a worker whose lease was lost can neither end the job nor publish its result.
///
/// Any number of tasks, processes and, where the driver says so, machines may use one queue at once. Calls made at the
/// same time are cheaper than one after the other, since a driver does them together. Everything that fails is a
/// `QueueFailure`; a call that failed as unavailable may or may not have been done, and all of them may be repeated.
package protocol JobQueue: Sendable {
  /// Adds a job unless one with its id waits, is worked on or has ended already and is remembered. When this returns,
  /// the job survives whatever the driver protects against.
  /// - Throws: `refused` as well.
  func enqueue(_ job: NewJob) async throws(QueueFailure) -> Enqueued

  /// Takes up to `count` jobs that are due, those with the earliest deadline first, where the driver can tell.
  ///
  /// A cancelled task stops waiting, and gets what it was given until then, as a rule nothing.
  /// - Parameters:
  ///   - seconds: how long the lease holds without a heartbeat.
  ///   - wait: how long to wait for the first job, in seconds; 0 not at all.
  /// - Returns: as many as there are, in the end none.
  func lease(_ count: Int, seconds: Double, wait: Double) async throws(QueueFailure) -> [Lease]

  /// Prolongs leases to `seconds` from now on. A lease that has run out is prolonged as long as nobody else got the job.
  /// - Returns: those that were lost; nothing may be done about their jobs any more.
  func extend(_ leases: [Lease], seconds: Double) async throws(QueueFailure) -> [Lease]

  /// Ends a job, and tells the result channel. Repeated with the same lease it does nothing.
  /// - Parameter result: a small JSON document: the manifest's status and location.
  /// - Throws: `leaseLost` as well.
  func complete(_ lease: Lease, result: [UInt8]) async throws(QueueFailure)

  /// Gives a job back after a failure; it is due again in `seconds`. The attempt is spent.
  /// - Throws: `leaseLost` as well.
  func retry(_ lease: Lease, after seconds: Double, reason: String) async throws(QueueFailure)

  /// Gives a job back that nothing is wrong with; it is due again in `seconds`, and the attempt is not spent.
  /// - Throws: `leaseLost` as well.
  func release(_ lease: Lease, after seconds: Double) async throws(QueueFailure)

  /// Puts a job among the dead letters, with what became of its attempts. Repeated with the same lease it does nothing.
  /// - Throws: `leaseLost` as well.
  func bury(_ lease: Lease, reason: String) async throws(QueueFailure)

  /// Makes sure that the queue is there and, where the driver can tell without adding one, takes jobs: a full disk can
  /// still be read.
  func check() async throws(QueueFailure)

  /// How full the queue is.
  func status() async throws(QueueFailure) -> QueueStatus

  /// What is known of one job; nil when nothing is.
  func state(of id: String) async throws(QueueFailure) -> JobState?

  /// Dead letters, oldest first, at most `limit` of them.
  func dead(limit: Int) async throws(QueueFailure) -> [DeadLetter]

  /// Puts dead letters back among the jobs, with all attempts before them; all of them when `ids` is nil.
  /// - Returns: how many there were.
  func revive(_ ids: [String]?) async throws(QueueFailure) -> Int

  /// Forgets dead letters, or jobs that wait, or which ones were completed. What is worked on stays.
  /// - Returns: how many there were.
  func purge(_ what: Purge) async throws(QueueFailure) -> Int

  /// Ends waiting calls, which fail as closed like all later ones, and lets go of files and connections. Leases are
  /// not given back.
  func close() async
}

extension JobQueue {
  /// Gives a job back that nothing is wrong with; it is due at once, and the attempt is not spent.
  /// - Throws: `leaseLost` as well.
  package func release(_ lease: Lease) async throws(QueueFailure) {
    try await release(lease, after: 0)
  }
}

/// How full a queue is.
package struct QueueStatus: Sendable, Equatable {
  /// Jobs that are due.
  package var ready: Int
  /// Jobs that are due later.
  package var delayed: Int
  package var leased: Int
  package var dead: Int
  /// How long the oldest of the ready ones has been due, in seconds; nil when there is none or the driver cannot tell.
  package var oldestReadySeconds: Double?

  package init(ready: Int, delayed: Int, leased: Int, dead: Int, oldestReadySeconds: Double? = nil) {
    self.ready = ready
    self.delayed = delayed
    self.leased = leased
    self.dead = dead
    self.oldestReadySeconds = oldestReadySeconds
  }
}

/// What to forget.
package enum Purge: Sendable, Equatable {
  case dead
  /// Jobs that are ready or delayed.
  case waiting
  /// Which jobs were completed: their ids can be added again.
  case completed
}

/// Why a queue could not do what it was asked.
package enum QueueFailure: Error, Sendable, Equatable {
  /// The lease ran out, and the job is somebody else's or ended.
  case leaseLost(id: String)
  /// The job can never be added; says why.
  case refused(String)
  /// The queue cannot be reached now: a full disk, a lost connection. The same call may succeed later.
  case unavailable(String)
  /// It never will: the address, the credentials or the file is wrong.
  case unusable(String)
  case closed

  /// What to tell people, as a sentence without a full stop.
  package var message: String {
    switch self {
    case .leaseLost(let id): "the lease of job “\(id)” was lost"
    case .refused(let why), .unavailable(let why), .unusable(let why): why
    case .closed: "the queue has been closed"
    }
  }
}
