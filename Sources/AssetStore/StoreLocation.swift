/// Where a store is, as options and environment variables name it.
package enum StoreLocation: Sendable, Equatable {
  /// A folder, by its name as the system has it, which need not be valid UTF-8.
  case directory([UInt8])
  case s3(S3Location)

  /// What is wrong with a text that should be a store's location, to follow it.
  package struct Malformed: Error, Equatable {
    package let sentence: String
  }

  /// Reads `s3://BUCKET/PREFIX`, or else a folder's path.
  package init(_ text: [UInt8]) throws(Malformed) {
    guard !text.isEmpty else { throw Malformed(sentence: "is empty; name a folder or s3://BUCKET/PREFIX") }
    guard let scheme = Self.scheme(of: text) else {
      self = .directory(text)
      return
    }
    let rest = text.dropFirst(scheme.utf8.count + 3)
    switch scheme {
    case "s3":
      guard let address = String(validating: rest, as: UTF8.self) else {
        throw Malformed(sentence: "is not valid UTF-8")
      }
      self = .s3(try S3Location(address))
    case "file":
      guard rest.first == UInt8(ascii: "/") else {
        throw Malformed(sentence: "names no folder of this machine; write file:///var/lib/… or the path alone")
      }
      self = .directory(Array(rest))
    default:
      throw Malformed(sentence: "has the scheme \(scheme); stores are folders and s3://BUCKET/PREFIX")
    }
  }

  /// The part before `://`, where that can be a scheme. A folder may well have a colon in its name.
  private static func scheme(of text: [UInt8]) -> String? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0, text[colon...].starts(with: "://".utf8),
      text[..<colon].allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || (0x30...0x39) ~= $0 })
    else { return nil }
    return String(decoding: text[..<colon], as: UTF8.self).lowercased()
  }
}

/// A bucket, and where in it a store begins.
package struct S3Location: Sendable, Equatable, CustomStringConvertible {
  package let bucket: String
  /// The first part of all keys, without a slash at either end; empty for the whole bucket.
  package let prefix: String

  /// S3's limit for keys is 1,024 bytes, of which a manifest's location takes up to 215.
  private static let maximumPrefixBytes = 768

  /// Reads what follows `s3://`. A prefix is taken as it stands, like the AWS command line does: `%41` is four characters.
  package init(_ address: String) throws(StoreLocation.Malformed) {
    func malformed(_ sentence: String) -> StoreLocation.Malformed { StoreLocation.Malformed(sentence: sentence) }
    let slash = address.firstIndex(of: "/") ?? address.endIndex
    bucket = String(address[..<slash])
    // Amazon's rules for new buckets, and what older ones and other servers allow besides.
    guard (3...63).contains(bucket.utf8.count), bucket.utf8.allSatisfy(isBucketCharacter), bucket.first != ".",
      !bucket.contains("..")
    else {
      throw malformed("has no proper bucket name: 3 to 63 letters, digits, dots and hyphens, as in s3://my-media/push")
    }
    var rest = address[slash...].dropFirst()
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    prefix = String(rest)
    guard prefix.utf8.count <= Self.maximumPrefixBytes else {
      throw malformed("has a prefix of \(prefix.utf8.count) bytes; at most \(Self.maximumPrefixBytes) are possible")
    }
    let parts = prefix.split(separator: "/", omittingEmptySubsequences: false)
    guard prefix.isEmpty || parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
      throw malformed("has an empty part, . or .. in its prefix")
    }
    guard !prefix.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || "?#".utf8.contains($0) }) else {
      throw malformed("has a ?, a # or a control character in its prefix; options have flags of their own")
    }
  }

  /// The key of what is at a location of the store.
  func key(of location: String) -> String {
    prefix.isEmpty ? location : "\(prefix)/\(location)"
  }

  package var description: String {
    prefix.isEmpty ? "s3://\(bucket)" : "s3://\(bucket)/\(prefix)"
  }
}

private func isBucketCharacter(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
    true
  default: false
  }
}
