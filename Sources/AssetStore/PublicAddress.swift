import PercentEncoding

/// Where the public gets what is stored: `--public-url`, with the locations of a store below it.
package struct PublicAddress: Sendable, Equatable {
  /// Without a slash at its end.
  private let base: String

  /// What is wrong with a text that should be such an address, to follow it.
  package struct Malformed: Error, Equatable {
    package let sentence: String
  }

  /// Reads an absolute http or https URL without user info, query and fragment.
  package init(_ text: String) throws(Malformed) {
    let scheme = ["https://", "http://"].first { text.lowercased().hasPrefix($0) }
    guard let scheme else {
      throw Malformed(sentence: "is no http or https URL; write it like https://media.example.com/push")
    }
    let rest = text.dropFirst(scheme.count)
    guard let first = rest.utf8.first, first != UInt8(ascii: "/") else { throw Malformed(sentence: "names no host") }
    guard !text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || "\"<>\\^`{|}".utf8.contains($0) }) else {
      throw Malformed(sentence: "has a character that URLs do not have; percent-encode it")
    }
    guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else {
      throw Malformed(sentence: "has a query or a fragment, behind which nothing can be appended")
    }
    guard !rest.prefix(while: { $0 != "/" }).contains("@") else {
      throw Malformed(sentence: "has user info, which everybody who gets a notification would see")
    }
    var base = text[...]
    while base.hasSuffix("/") { base = base.dropLast() }
    self.base = String(base)
  }

  /// Whether iOS fetches from there without being told to (App Transport Security).
  package var isSecure: Bool { base.lowercased().hasPrefix("https://") }

  /// The URL of what a store has at a location. A manifest's name may hold `%XX`, whose percent sign is encoded then.
  package func url(of location: String) -> String {
    "\(base)/\(percentEncodedPath(location))"
  }
}
