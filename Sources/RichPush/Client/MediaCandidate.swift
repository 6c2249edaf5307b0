/// Something that an app may attach for a medium: a file to download, or what it has already.
public enum MediaCandidate: Sendable, Equatable {
  /// The file itself.
  case attachment(DownloadRequest)
  /// The still of a video.
  case poster(DownloadRequest)
  /// What came with the notification.
  case placeholder(ThumbHash)
}

/// A file to download, and what it has to be.
public struct DownloadRequest: Sendable, Equatable {
  public var url: String
  public var type: AttachmentType
  /// More bytes are not to be fetched.
  public var maximumBytes: Int
  /// What the file's size has to be, when it is known.
  public var expectedBytes: Int?
  /// What the file's SHA-256 has to be in lower-case hex, when it is known.
  public var sha256: String?

  public init(url: String, type: AttachmentType, maximumBytes: Int, expectedBytes: Int? = nil, sha256: String? = nil) {
    self.url = url
    self.type = type
    self.maximumBytes = maximumBytes
    self.expectedBytes = expectedBytes
    self.sha256 = sha256
  }
}

extension PayloadMedia {
  /// What to try for this medium, the best first. What is known to be too large, for the caller or for iOS, is not tried.
  /// - Parameter bytes: how many may be fetched.
  public func candidates(within bytes: Int) -> [MediaCandidate] {
    var candidates: [MediaCandidate] = []
    let limit = min(bytes, type.kind.maximumAttachmentBytes)
    if limit > 0, self.bytes.map({ $0 <= limit }) ?? true {
      let request = DownloadRequest(
        url: url, type: type, maximumBytes: limit, expectedBytes: self.bytes, sha256: sha256)
      candidates.append(.attachment(request))
    }
    if let poster, bytes > 0 {
      let limit = min(bytes, MediaKind.image.maximumAttachmentBytes)
      candidates.append(
        .poster(
          DownloadRequest(url: poster, type: .jpeg, maximumBytes: limit, sha256: contentHash(inURL: poster))))
    }
    if let hash = thumbHash.flatMap({ ThumbHash(base64: $0) }) { candidates.append(.placeholder(hash)) }
    return candidates
  }
}

extension AttachmentType {
  /// How many bytes of a file ``matches(start:)`` looks at.
  public static let signatureLength = 12

  /// Whether a file that begins like this can be of this type: an error page is not, whatever its name and status are.
  public func matches(start bytes: some Collection<UInt8>) -> Bool {
    let bytes = Array(bytes.prefix(Self.signatureLength))
    func has(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
    switch self {
    case .jpeg: return bytes.starts(with: [0xFF, 0xD8, 0xFF])
    case .png: return bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    case .gif: return has("GIF87a") || has("GIF89a")
    case .mpeg4, .mpeg4Audio: return has("ftyp", at: 4)
    // An ID3 tag, or the eleven bits that every frame begins with.
    case .mp3: return has("ID3") || bytes.count > 1 && bytes[0] == 0xFF && bytes[1] & 0xE0 == 0xE0
    case .wav: return (has("RIFF") || has("RF64")) && has("WAVE", at: 8)
    case .aiff: return has("FORM") && (has("AIFF", at: 8) || has("AIFC", at: 8))
    }
  }
}
