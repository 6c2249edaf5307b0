package import RichPush

/// The place of an asset in a store: `assets/<two hex digits>/<sha256>.<extension>`.
package struct AssetLocation: Sendable, Equatable {
  /// SHA-256 of the content, in lower-case hex.
  package let sha256: String
  package let fileExtension: String

  package init(sha256: String, type: AttachmentType) {
    self.sha256 = sha256
    fileExtension = type.fileExtension
  }

  /// Reads a location that may come from anywhere, so nothing but the exact form is one. Above all no `..` is.
  package init?(_ location: String) {
    let parts = location.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "assets" else { return nil }
    let name = parts[2].split(separator: ".", omittingEmptySubsequences: false)
    guard name.count == 2, name[0].utf8.count == 64, name[0].utf8.allSatisfy(isLowercaseHex),
      parts[1] == name[0].prefix(2)
    else { return nil }
    let fileExtension = String(name[1])
    guard AttachmentType.allCases.contains(where: { $0.fileExtension == fileExtension }) else { return nil }
    sha256 = String(name[0])
    self.fileExtension = fileExtension
  }

  /// The two digits that spread the assets over 256 folders.
  package var shard: String { String(sha256.prefix(2)) }
  package var description: String { "assets/\(shard)/\(sha256).\(fileExtension)" }
}

private func isLowercaseHex(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}
