/// The document about one job: what to attach, what was rejected and why.
public struct Manifest: Codable, Sendable, Equatable {
  /// The version of this document's shape.
  public static let currentSchema = "enclosure.manifest/1"

  public var schema: String
  /// The job's id.
  public var id: String
  public var status: Status
  /// When it was made: RFC 3339, UTC.
  public var preparedAt: String
  public var attachments: [Attachment]
  public var rejections: [Rejection]
  public var warnings: [Warning]
  /// The APNs payload, when the job brought one.
  public var payload: JSONValue?

  public enum Status: String, Codable, Sendable, CaseIterable {
    /// Every source became an attachment.
    case ready
    /// Some did.
    case partial
    /// None did.
    case rejected
  }

  public init(
    id: String, preparedAt: String, attachments: [Attachment], rejections: [Rejection], warnings: [Warning],
    payload: JSONValue? = nil
  ) {
    schema = Self.currentSchema
    self.id = id
    status = attachments.isEmpty ? .rejected : rejections.isEmpty ? .ready : .partial
    self.preparedAt = preparedAt
    self.attachments = attachments
    self.rejections = rejections
    self.warnings = warnings
    self.payload = payload
  }
}

/// Something about a source that its sender may want to mend, though the attachment is good.
public struct Warning: Codable, Sendable, Equatable {
  public enum Code: String, Codable, Sendable, CaseIterable {
    /// Name or Content-Type promise another type than the bytes are.
    case typeMismatch = "type_mismatch"
    /// Only a part of the source could be shown.
    case reduced
    /// A phone may not do with the notification's payload what its sender means.
    case payload
  }

  /// What it is about: a source as the job named it, or a place in the job such as `payload.aps.category`.
  public var source: String
  public var code: Code
  public var message: String

  public init(source: String, code: Code, message: String) {
    self.source = source
    self.code = code
    self.message = message
  }
}

/// A prepared file with everything that `UNNotificationAttachment` needs.
public struct Attachment: Codable, Sendable, Equatable {
  public var identifier: String
  public var asset: Asset
  public var options: AttachmentOptions
  /// A still of a video; nil for images and audio.
  public var poster: Asset?
  /// What can be shown as long as the file is not there; nil for audio, and where none could be made.
  public var placeholder: Placeholder?
  /// What was done to the source, in order, for people.
  public var steps: [String]
  public var source: SourceDescription

  public init(
    identifier: String, asset: Asset, options: AttachmentOptions, poster: Asset? = nil,
    placeholder: Placeholder? = nil, steps: [String], source: SourceDescription
  ) {
    self.identifier = identifier
    self.asset = asset
    self.options = options
    self.poster = poster
    self.placeholder = placeholder
    self.steps = steps
    self.source = source
  }

  enum CodingKeys: String, CodingKey {
    case identifier, options, poster, placeholder, steps, source
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    identifier = try container.decode(String.self, forKey: .identifier)
    options = try container.decode(AttachmentOptions.self, forKey: .options)
    poster = try container.decodeIfPresent(Asset.self, forKey: .poster)
    placeholder = try container.decodeIfPresent(Placeholder.self, forKey: .placeholder)
    steps = try container.decode([String].self, forKey: .steps)
    source = try container.decode(SourceDescription.self, forKey: .source)
    asset = try Asset(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(identifier, forKey: .identifier)
    try container.encode(options, forKey: .options)
    try container.encodeIfPresent(poster, forKey: .poster)
    try container.encodeIfPresent(placeholder, forKey: .placeholder)
    try container.encode(steps, forKey: .steps)
    try container.encode(source, forKey: .source)
    try asset.encode(to: encoder)
  }
}

extension Attachment {
  /// All files that belong to the attachment.
  public var assets: [Asset] { [asset] + (poster.map { [$0] } ?? []) }
}

/// A picture that is small enough to travel with a notification.
public struct Placeholder: Codable, Sendable, Equatable {
  /// ThumbHash of the image or poster, in base64.
  public var thumbHash: String

  public init(thumbHash: String) {
    self.thumbHash = thumbHash
  }
}

/// The options of a `UNNotificationAttachment` besides its type hint, which is the asset's.
public struct AttachmentOptions: Codable, Sendable, Equatable {
  /// For `UNNotificationAttachmentOptionsThumbnailHiddenKey`.
  public var thumbnailHidden: Bool
  /// For `UNNotificationAttachmentOptionsThumbnailTimeKey`: when the video shows the picture of its poster, in seconds
  /// from its start; nil for images and audio.
  public var thumbnailTime: Double?
  /// For `UNNotificationAttachmentOptionsThumbnailClippingRectKey`; nil for the whole picture.
  public var thumbnailClippingRect: ClippingRect?

  public init(
    thumbnailHidden: Bool = false, thumbnailTime: Double? = nil, thumbnailClippingRect: ClippingRect? = nil
  ) {
    self.thumbnailHidden = thumbnailHidden
    self.thumbnailTime = thumbnailTime
    self.thumbnailClippingRect = thumbnailClippingRect
  }
}

/// What the source was, for the records.
public struct SourceDescription: Codable, Sendable, Equatable {
  /// The source as the job named it, without user info, query and fragment.
  public var url: String
  /// Where redirects led, in the same form; nil for files.
  public var finalURL: String?
  /// The Content-Type it was served with; nil for files.
  public var declaredType: String?
  /// What the bytes are, such as `heif` or `mp4`.
  public var format: String
  public var bytes: Int
  /// How many bytes were read over the network; nil for files.
  public var bytesFetched: Int?
  public var sha256: String
  /// Size in pixels as displayed; nil for audio.
  public var width: Int?
  public var height: Int?
  /// Seconds as presented, nil for stills.
  public var duration: Double?

  public init(
    url: String, finalURL: String? = nil, declaredType: String? = nil, format: String, bytes: Int,
    bytesFetched: Int? = nil, sha256: String, width: Int? = nil, height: Int? = nil, duration: Double? = nil
  ) {
    self.url = url
    self.finalURL = finalURL
    self.declaredType = declaredType
    self.format = format
    self.bytes = bytes
    self.bytesFetched = bytesFetched
    self.sha256 = sha256
    self.width = width
    self.height = height
    self.duration = duration
  }
}
