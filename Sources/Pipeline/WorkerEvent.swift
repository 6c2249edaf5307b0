package import RichPush

/// What those who run a worker should know.
package enum WorkerEvent: Sendable, Equatable {
  /// A job has a manifest. `stages` has the time that each took, in milliseconds.
  case finished(id: String, JobResult, milliseconds: Int, stages: [String: Int])
  /// An attempt failed for what may pass; the next one follows in so many seconds.
  case retried(id: String, attempt: Int, after: Double, reason: String)
  /// A job is a dead letter now. `codes` are what its last attempt failed for; there may be none.
  case buried(id: String, attempts: Int, reason: String, codes: [Rejection.Code])
  /// A job was given back, and no attempt spent.
  case released(id: String, after: Double, reason: String)
  /// Somebody else has the job, because no heartbeat got through for too long.
  case leaseLost(id: String)
  /// Whoever asked for it knows how a job ended.
  case calledBack(id: String, attempt: Int)
  /// Something that all jobs need is gone; the worker waits.
  case unavailable(Dependency, String)
  /// It is there again, after so many seconds.
  case available(Dependency, after: Double)
  /// The worker is to end, with so many jobs in work.
  case draining(jobs: Int)
  /// It has ended; so many jobs were given back meanwhile, and so many could not be.
  case drained(released: Int, abandoned: Int)

  package enum Dependency: String, Codable, Sendable, CaseIterable {
    case queue, store, helpers
  }
}
