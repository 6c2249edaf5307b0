/// What a request is about.
enum Route: Sendable, Equatable {
  case health, readiness, metrics, submission
  /// - Parameter id: as the path has it.
  case job(id: String)

  /// nil when the path is none of ours.
  init?(path: String) {
    switch path {
    case "/healthz": self = .health
    case "/readyz": self = .readiness
    case "/metrics": self = .metrics
    case "/v1/jobs": self = .submission
    default:
      // An id may hold slashes, as they are or encoded.
      let prefix = "/v1/jobs/"
      guard path.hasPrefix(prefix), path.utf8.count > prefix.utf8.count else { return nil }
      self = .job(id: String(path.dropFirst(prefix.count)))
    }
  }

  var methods: [String] {
    switch self {
    case .health, .readiness, .metrics, .job: ["GET", "HEAD"]
    case .submission: ["POST"]
    }
  }

  var isAboutJobs: Bool {
    switch self {
    case .health, .readiness, .metrics: false
    case .submission, .job: true
    }
  }

  /// For the label of a metric.
  var name: String {
    switch self {
    case .health: "healthz"
    case .readiness: "readyz"
    case .metrics: "metrics"
    case .submission: "submit"
    case .job: "job"
    }
  }
}
