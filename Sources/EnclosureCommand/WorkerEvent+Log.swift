import Pipeline
import RichPush

extension WorkerEvent {
  /// What a log line says about a job.
  struct JobFields: Encodable, Sendable {
    let id: String
    var status: JobResult.Status?
    var attempt: Int?
    var milliseconds: Int?
    /// How many of them each stage took, all sources together; those at once count twice.
    var stages: [String: Int]?
    var manifest: String?
    var codes: [Rejection.Code]?
  }

  var level: String {
    switch self {
    case .finished, .calledBack, .available, .draining, .drained: "info"
    case .released: "debug"
    case .retried, .leaseLost: "warning"
    case .buried, .unavailable: "error"
    }
  }

  /// The stable name of what happened.
  var name: String {
    switch self {
    case .finished: "job_finished"
    case .retried: "job_retried"
    case .buried: "job_buried"
    case .released: "job_released"
    case .leaseLost: "lease_lost"
    case .calledBack: "callback_sent"
    case .unavailable: "unavailable"
    case .available: "available"
    case .draining: "worker_draining"
    case .drained: "worker_ended"
    }
  }

  var job: JobFields? {
    switch self {
    case .finished(let id, let result, let milliseconds, let stages):
      JobFields(
        id: id, status: result.status, attempt: result.attempts, milliseconds: milliseconds,
        stages: stages.isEmpty ? nil : stages, manifest: result.manifest,
        codes: result.codes.isEmpty ? nil : result.codes)
    case .buried(let id, let attempt, _, let codes):
      JobFields(id: id, attempt: attempt, codes: codes.isEmpty ? nil : codes)
    case .retried(let id, let attempt, _, _), .calledBack(let id, let attempt): JobFields(id: id, attempt: attempt)
    case .released(let id, _, _), .leaseLost(let id): JobFields(id: id)
    case .unavailable, .available, .draining, .drained: nil
    }
  }

  var dependency: Dependency? {
    switch self {
    case .unavailable(let dependency, _), .available(let dependency, _): dependency
    default: nil
    }
  }

  var count: Int? {
    switch self {
    case .draining(let jobs): jobs
    case .drained(let released, _): released
    default: nil
    }
  }

  var seconds: Double? {
    switch self {
    case .retried(_, _, let seconds, _), .released(_, let seconds, _), .available(_, let seconds):
      (seconds * 1000).rounded() / 1000
    default: nil
    }
  }

  /// For people.
  var text: String {
    switch self {
    case .finished(let id, let result, let milliseconds, _):
      "\(result.status.rawValue) \(id) in \(milliseconds) ms"
        + (result.codes.isEmpty ? "" : " [\(result.codes.map(\.rawValue).joined(separator: ", "))]")
    case .retried(let id, let attempt, let seconds, let reason):
      "attempt \(attempt) at \(id) failed, the next one follows in \(tenths(seconds)) s: \(reason)"
    case .buried(let id, let attempts, let reason, _): "gave \(id) up after attempt \(attempts): \(reason)"
    case .released(let id, _, let reason): "gave \(id) back: \(reason)"
    case .leaseLost(let id): "lost the lease of \(id); another worker may have it"
    case .calledBack(let id, _): "sent \(id)"
    case .unavailable(let dependency, let why): "no work can be done without the \(dependency.rawValue): \(why)"
    case .available(let dependency, let seconds):
      "\(dependency.rawValue) available again after \(tenths(seconds)) s"
    case .draining(let jobs): "ending; \(counted(jobs, "job")) \(jobs == 1 ? "is" : "are") in work"
    case .drained(let released, let abandoned):
      "ended; gave \(counted(released, "job")) back"
        + (abandoned == 0 ? "" : ", could not give \(abandoned) back, whose leases have to run out")
    }
  }

  private func tenths(_ seconds: Double) -> Double {
    (seconds * 10).rounded() / 10
  }
}
