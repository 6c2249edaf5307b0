/// Why a source did not become an attachment.
public struct Rejection: Codable, Sendable, Equatable {
  /// The source as the job named it, without user info, query and fragment.
  public var source: String
  public var reason: Reason

  public init(source: String, reason: Reason) {
    self.source = source
    self.reason = reason
  }

  /// The stable name of a reason. What to do next follows from it alone, never from the message.
  public enum Code: String, Codable, Sendable, CaseIterable {
    case blockedAddress = "blocked_address"
    case unsupportedScheme = "unsupported_scheme"
    case httpStatus = "http_status"
    case tooManyRedirects = "too_many_redirects"
    case fetchFailed = "fetch_failed"
    case fetchTimeout = "fetch_timeout"
    case tooLarge = "too_large"
    case empty
    case unsupportedType = "unsupported_type"
    case unsupportedCodec = "unsupported_codec"
    case corrupt
    case truncated
    case tooManyPixels = "too_many_pixels"
    case tooManyFrames = "too_many_frames"
    case videoTooLong = "video_too_long"
    case unknownDuration = "unknown_duration"
    case cannotFitLimit = "cannot_fit_limit"
    case decoderCrashed = "decoder_crashed"
    case decoderTimeout = "decoder_timeout"
    case decoderMemory = "decoder_memory"
    case storeFailed = "store_failed"
    case invalidJob = "invalid_job"
    /// The notification was not worth sending any more before it was prepared.
    case expired
  }

  /// Where in the work on a source it was rejected.
  public enum Stage: String, Codable, Sendable, CaseIterable {
    case fetch, inspect, plan, prepare, verify, store
  }

  /// A rejection without the name of its source: what the stages throw.
  public struct Reason: Error, Sendable, Equatable {
    public var code: Code
    public var stage: Stage
    /// Whether trying again can not help.
    public var permanent: Bool
    /// A sentence for people. It never holds secrets of a URL.
    public var message: String
    /// The limit that was passed, in the unit that `message` names.
    public var limit: Double?
    /// What was measured against `limit`, in the same unit.
    public var measured: Double?

    /// - Parameter permanent: by default what is usual for `code`.
    public init(
      _ code: Code, at stage: Stage, _ message: String, limit: Double? = nil, measured: Double? = nil,
      permanent: Bool? = nil
    ) {
      self.code = code
      self.stage = stage
      self.permanent = permanent ?? code.isUsuallyPermanent
      self.message = message
      self.limit = limit
      self.measured = measured
    }
  }

  enum CodingKeys: String, CodingKey {
    case source, code, stage, permanent, message, limit, measured
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    source = try container.decode(String.self, forKey: .source)
    reason = try Reason(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(source, forKey: .source)
    try reason.encode(to: encoder)
  }
}

extension Rejection.Reason: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Rejection.CodingKeys.self)
    code = try container.decode(Rejection.Code.self, forKey: .code)
    stage = try container.decode(Rejection.Stage.self, forKey: .stage)
    permanent = try container.decode(Bool.self, forKey: .permanent)
    message = try container.decode(String.self, forKey: .message)
    limit = try container.decodeIfPresent(Double.self, forKey: .limit)
    measured = try container.decodeIfPresent(Double.self, forKey: .measured)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Rejection.CodingKeys.self)
    try container.encode(code, forKey: .code)
    try container.encode(stage, forKey: .stage)
    try container.encode(permanent, forKey: .permanent)
    try container.encode(message, forKey: .message)
    try container.encodeIfPresent(limit, forKey: .limit)
    try container.encodeIfPresent(measured, forKey: .measured)
  }
}

extension Rejection.Code {
  /// Whether the same source, tried again later, would usually meet the same end.
  public var isUsuallyPermanent: Bool {
    switch self {
    case .fetchFailed, .fetchTimeout, .storeFailed, .decoderTimeout, .decoderMemory: false
    case .blockedAddress, .unsupportedScheme, .httpStatus, .tooManyRedirects, .tooLarge, .empty, .unsupportedType,
      .unsupportedCodec, .corrupt, .truncated, .tooManyPixels, .tooManyFrames, .videoTooLong, .unknownDuration,
      .cannotFitLimit, .decoderCrashed, .invalidJob, .expired:
      true
    }
  }
}

extension Rejection.Reason {
  /// The source is recognised as something that no attachment can be made of.
  ///
  /// - Parameter name: what it is, with its article: `an HTML page`.
  package static func notMedia(_ name: String, at stage: Rejection.Stage) -> Rejection.Reason {
    Rejection.Reason(.unsupportedType, at: stage, "the source is \(name), not an image, a video or audio")
  }
}
