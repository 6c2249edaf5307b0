/// How a job ended: the message for whoever waits for it, on the queue's result channel and in callbacks.
public struct JobResult: Codable, Sendable, Equatable {
  /// The version of this document's shape.
  public static let currentSchema = "enclosure.result/1"

  public enum Status: String, Codable, Sendable, CaseIterable {
    /// As the manifest has it.
    case ready, partial, rejected
    /// It came to no manifest, and is among the dead letters.
    case dead
  }

  public var schema: String
  /// The job's id.
  public var id: String
  public var status: Status
  /// Where the manifest is, relative to the store; nil for a dead job.
  public var manifest: String?
  /// The codes of the manifest's rejections, in order; for a dead job what its last attempt failed for,
  /// empty where it was given up without one.
  public var codes: [Rejection.Code]
  /// Why the job is dead: a line for each of its attempts; nil otherwise.
  public var reason: String?
  /// How often it was tried, this time included.
  public var attempts: Int
  /// RFC 3339, UTC.
  public var endedAt: String

  /// - Parameter location: the manifest's.
  public init(_ manifest: Manifest, at location: String, attempts: Int, endedAt: String) {
    schema = Self.currentSchema
    id = manifest.id
    status =
      switch manifest.status {
      case .ready: .ready
      case .partial: .partial
      case .rejected: .rejected
      }
    self.manifest = location
    codes = manifest.rejections.map(\.reason.code)
    self.attempts = attempts
    self.endedAt = endedAt
  }

  /// A job that is given up.
  /// - Parameter codes: what its last attempt failed for.
  public init(dead id: String, reason: String, codes: [Rejection.Code] = [], attempts: Int, endedAt: String) {
    schema = Self.currentSchema
    self.id = id
    status = .dead
    self.codes = codes
    self.reason = reason
    self.attempts = attempts
    self.endedAt = endedAt
  }
}
