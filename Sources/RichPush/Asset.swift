/// One stored file and everything that has to be said about it.
public struct Asset: Codable, Sendable, Equatable {
  public var type: AttachmentType
  /// Where the file is, relative to the store: `assets/<two hex digits>/<sha256>.<extension>`.
  public var location: String
  /// Where the public can get it, when the store has a public address.
  public var url: String?
  public var bytes: Int
  /// SHA-256 of the file, in lower-case hex.
  public var sha256: String
  /// Size in pixels as displayed, after rotation; nil for audio.
  public var width: Int?
  public var height: Int?
  /// Number of pictures: 1 for a still, nil for video and audio.
  public var frames: Int?
  /// Seconds as presented, nil for stills.
  public var duration: Double?

  public init(
    type: AttachmentType, location: String, url: String? = nil, bytes: Int, sha256: String, width: Int? = nil,
    height: Int? = nil, frames: Int? = nil, duration: Double? = nil
  ) {
    self.type = type
    self.location = location
    self.url = url
    self.bytes = bytes
    self.sha256 = sha256
    self.width = width
    self.height = height
    self.frames = frames
    self.duration = duration
  }

  enum CodingKeys: String, CodingKey {
    case kind, typeHint, contentType, fileExtension, location, url, bytes, sha256, width, height, frames, duration
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    type = try container.decode(AttachmentType.self, forKey: .typeHint)
    location = try container.decode(String.self, forKey: .location)
    url = try container.decodeIfPresent(String.self, forKey: .url)
    bytes = try container.decode(Int.self, forKey: .bytes)
    sha256 = try container.decode(String.self, forKey: .sha256)
    width = try container.decodeIfPresent(Int.self, forKey: .width)
    height = try container.decodeIfPresent(Int.self, forKey: .height)
    frames = try container.decodeIfPresent(Int.self, forKey: .frames)
    duration = try container.decodeIfPresent(Double.self, forKey: .duration)
  }

  /// Measures that do not apply are written as null, so that every asset has the same keys.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(type.kind, forKey: .kind)
    try container.encode(type, forKey: .typeHint)
    try container.encode(type.contentType, forKey: .contentType)
    try container.encode(type.fileExtension, forKey: .fileExtension)
    try container.encode(location, forKey: .location)
    try container.encodeIfPresent(url, forKey: .url)
    try container.encode(bytes, forKey: .bytes)
    try container.encode(sha256, forKey: .sha256)
    try container.encode(width, forKey: .width)
    try container.encode(height, forKey: .height)
    try container.encode(frames, forKey: .frames)
    try container.encode(duration, forKey: .duration)
  }
}
