package import RichPush

/// What is known about a body when its first bytes have come: enough to set a limit by kind.
package struct DownloadHead: Sendable, Equatable {
  /// The Content-Type in lower case, without parameters.
  package var declaredType: String?
  /// The size of the whole body, where the server says it.
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

  /// Whether this begins a page for browsers: by its first tag, or by any tag when it is declared as one.
  var isHTML: Bool {
    var text = firstBytes[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    let words = String(decoding: text.drop { $0 <= 0x20 }, as: UTF8.self).lowercased()
    if ["<!doctype html", "<html", "<head", "<body", "<script"].contains(where: words.hasPrefix) { return true }
    return ["text/html", "application/xhtml+xml"].contains(declaredType) && (words.isEmpty || words.hasPrefix("<"))
  }
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
