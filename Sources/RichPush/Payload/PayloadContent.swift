/// What Enclosure writes into a payload for the app, under one key: the media to attach, and where the whole manifest is.
///
/// Described by payload.schema.json. Everything but a medium's identifier, URL and type may be missing: it is left out
/// when the payload would not fit.
public struct PayloadContent: Sendable, Equatable {
  /// The key at the top of the payload.
  public static let key = "enclosure"
  /// The version of the shape of what stands there.
  public static let currentVersion = 1

  public var media: [PayloadMedia]
  /// The URL of the manifest; nil when it has none.
  public var manifest: String?

  public init(media: [PayloadMedia], manifest: String? = nil) {
    self.media = media
    self.manifest = manifest
  }
}

/// One medium in a payload: what has to be known to download it and to make a `UNNotificationAttachment` of it.
public struct PayloadMedia: Sendable, Equatable {
  /// The attachment's identifier.
  public var identifier: String
  /// Where the file is; https. Its path ends in the SHA-256 of the file and its extension.
  public var url: String
  public var type: AttachmentType
  /// Size of the file in bytes.
  public var bytes: Int?
  /// Where the still of a video is, a JPEG.
  public var poster: String?
  /// ThumbHash of the image or poster, in base64.
  public var thumbHash: String?
  /// For `UNNotificationAttachmentOptionsThumbnailTimeKey`, in seconds.
  public var thumbnailTime: Double?
  /// For `UNNotificationAttachmentOptionsThumbnailHiddenKey`.
  public var thumbnailHidden: Bool
  /// For `UNNotificationAttachmentOptionsThumbnailClippingRectKey`; nil for the whole picture.
  public var thumbnailClippingRect: ClippingRect?

  public init(
    identifier: String, url: String, type: AttachmentType, bytes: Int? = nil, poster: String? = nil,
    thumbHash: String? = nil, thumbnailTime: Double? = nil, thumbnailHidden: Bool = false,
    thumbnailClippingRect: ClippingRect? = nil
  ) {
    self.identifier = identifier
    self.url = url
    self.type = type
    self.bytes = bytes
    self.poster = poster
    self.thumbHash = thumbHash
    self.thumbnailTime = thumbnailTime
    self.thumbnailHidden = thumbnailHidden
    self.thumbnailClippingRect = thumbnailClippingRect
  }

  /// Whether its thumbnail is not simply the whole of its first picture.
  var hasThumbnailOptions: Bool { thumbnailTime != nil || thumbnailHidden || thumbnailClippingRect != nil }

  /// SHA-256 of the file in lower-case hex, as its URL has it: stores name files by their content. nil where something
  /// else has given the file another name.
  public var sha256: String? { contentHash(inURL: url) }
}

/// The SHA-256 by which a store has named a file, in lower-case hex; nil when its URL has no such name.
func contentHash(inURL url: String) -> String? {
  let path = url.prefix { $0 != "?" && $0 != "#" }
  let name = path.split(separator: "/").last?.split(separator: ".").first ?? ""
  let isHash = name.utf8.count == 64 && name.utf8.allSatisfy { hexDigits.contains($0) }
  return isHash ? String(name) : nil
}

private let hexDigits = Array("0123456789abcdef".utf8)

extension PayloadContent {
  /// The value under the key. What is not known is left out.
  public var json: JSONValue {
    var members: [String: JSONValue] = [
      "v": .integer(Int64(Self.currentVersion)), "media": .array(media.map(\.json)),
    ]
    members["manifest"] = manifest.map(JSONValue.string)
    return .object(members)
  }

  /// Reads what an app was sent.
  /// - Parameter payload: the whole payload, such as the `userInfo` of a notification.
  /// - Returns: nil when there is nothing of this kind in it, or nothing that this version can read. A single medium that
  ///   cannot be read is left out.
  public init?(payload: JSONValue) {
    guard let json = payload[Self.key], json["v"]?.asInteger == Int64(Self.currentVersion),
      let media = json["media"]?.asArray
    else { return nil }
    self.init(media: media.compactMap(PayloadMedia.init), manifest: json["manifest"]?.asString)
  }
}

extension PayloadMedia {
  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = [
      "id": .string(identifier), "url": .string(url), "type": .string(type.rawValue),
    ]
    members["bytes"] = bytes.map { .integer(Int64($0)) }
    members["poster"] = poster.map(JSONValue.string)
    members["thumbHash"] = thumbHash.map(JSONValue.string)
    members["time"] = thumbnailTime.map(JSONValue.number)
    if thumbnailHidden { members["hidden"] = .bool(true) }
    members["clip"] = thumbnailClippingRect.map { .array([$0.x, $0.y, $0.width, $0.height].map(JSONValue.number)) }
    return .object(members)
  }

  fileprivate init?(_ json: JSONValue) {
    guard let identifier = json["id"]?.asString, let url = json["url"]?.asString,
      let type = json["type"]?.asString.flatMap(AttachmentType.init)
    else { return nil }
    let clip = json["clip"]?.asArray?.compactMap(\.asNumber) ?? []
    self.init(
      identifier: identifier, url: url, type: type, bytes: json["bytes"]?.asInteger.flatMap { Int(exactly: $0) },
      poster: json["poster"]?.asString, thumbHash: json["thumbHash"]?.asString,
      thumbnailTime: json["time"]?.asNumber, thumbnailHidden: json["hidden"]?.asBool ?? false,
      thumbnailClippingRect: clip.count == 4
        ? ClippingRect(x: clip[0], y: clip[1], width: clip[2], height: clip[3]) : nil)
  }

  /// What a manifest says of an attachment.
  /// - Returns: nil when the attachment has no URL.
  public init?(_ attachment: Attachment) {
    guard let url = attachment.asset.url else { return nil }
    self.init(
      identifier: attachment.identifier, url: url, type: attachment.asset.type, bytes: attachment.asset.bytes,
      poster: attachment.poster?.url, thumbHash: attachment.placeholder?.thumbHash,
      thumbnailTime: attachment.options.thumbnailTime,
      thumbnailHidden: attachment.options.thumbnailHidden,
      thumbnailClippingRect: attachment.options.thumbnailClippingRect)
  }
}
