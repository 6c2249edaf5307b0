package import RichPush

/// A finished download: what there is to say about it besides its bytes.
package struct Download: Sendable, Equatable {
  /// The HTTP status of the last response, 200 as a rule.
  package var status: Int
  /// Where redirects led, without user info, query and fragment.
  package var finalURL: String
  /// The Content-Type of the last response in lower case, without parameters: `image/png`. Never to be trusted.
  package var declaredType: String?
  /// The size of the body.
  package var bytes: Int
  /// All bytes of bodies that were received, those of failed attempts included.
  package var bytesFetched: Int
  package var redirects: Int
  package var attempts: Int
  package var timings: TransferTimings
}

/// When the last request of a download reached what, in seconds from its start; 0 for what did not happen, such as
/// connecting when a connection was reused.
package struct TransferTimings: Sendable, Equatable {
  package var nameLookup = 0.0
  package var connect = 0.0
  package var tlsHandshake = 0.0
  package var firstByte = 0.0
  /// The time of all requests of the download together.
  package var total = 0.0
}

/// What is known about a body when its first bytes have come: enough to set a limit by kind.
package struct DownloadHead: Sendable, Equatable {
  /// The Content-Type in lower case, without parameters.
  package var declaredType: String?
  /// The Content-Length, where there is one.
  package var declaredBytes: Int?
  /// The first 16 bytes, or all of a shorter body.
  package var firstBytes: [UInt8]

  package init(declaredType: String? = nil, declaredBytes: Int? = nil, firstBytes: [UInt8]) {
    self.declaredType = declaredType
    self.declaredBytes = declaredBytes
    self.firstBytes = firstBytes
  }

  /// How many bytes tell the kind.
  static let length = 16
}

extension DownloadHead {
  /// What the body probably is, by its first bytes, and by the declared type only where they do not tell; nil for
  /// something else. Good for setting a limit; `inspect` decides.
  package var probableKind: MediaKind? {
    kindByBytes
      ?? MediaKind.allCases.first { kind in declaredType?.hasPrefix("\(kind.rawValue)/") ?? false }
  }

  private var kindByBytes: MediaKind? {
    if let (_, kind) = Self.signatures.first(where: { firstBytes.starts(with: $0.0) }) { return kind }
    guard firstBytes.count >= 12 else { return nil }
    let form = ascii(8..<12)
    switch ascii(0..<4) {
    case "RIFF": return ["WEBP": .image, "WAVE": .audio, "AVI ": .video][form]
    case "FORM": return form == "AIFF" || form == "AIFC" ? .audio : nil
    default: break
    }
    guard ascii(4..<8) == "ftyp" else { return nil }
    switch form {
    case "M4A ", "M4B ": return .audio
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif", "avis": return .image
    default: return .video
    }
  }

  private func ascii(_ range: Range<Int>) -> String {
    String(decoding: firstBytes[range], as: UTF8.self)
  }

  /// Ogg may hold video; it is mostly audio, and the larger limit does no harm.
  private static let signatures: [([UInt8], MediaKind)] = [
    ([0xFF, 0xD8, 0xFF], .image), ([0x89] + Array("PNG".utf8), .image), (Array("GIF8".utf8), .image),
    (Array("II*\0".utf8), .image), (Array("MM\0*".utf8), .image), (Array("8BPS".utf8), .image),
    (Array("ID3".utf8), .audio), (Array("fLaC".utf8), .audio), ([0xFF, 0xFB], .audio), ([0xFF, 0xF3], .audio),
    ([0xFF, 0xF1], .audio), ([0xFF, 0xF9], .audio), (Array("OggS".utf8), .video),
    ([0x1A, 0x45, 0xDF, 0xA3], .video),
  ]
}
