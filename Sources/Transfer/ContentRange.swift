/// The field of that name in a response with status 206 or 416 (RFC 9110 section 14.4).
struct ContentRange: Sendable, Equatable {
  /// The bytes that the body holds; nil in `bytes */1000`.
  let bytes: Range<Int>?
  /// The size of the whole; nil in `bytes 0-99/*`.
  let total: Int?

  /// nil for what is no such field, or contradicts itself.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    if halves[1] == "*" {
      total = nil
    } else {
      guard let number = Self.number(halves[1]) else { return nil }
      total = number
    }
    if halves[0] == "*" {
      guard total != nil else { return nil }
      bytes = nil
      return
    }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
      total.map({ last < $0 }) ?? true
    else { return nil }
    bytes = first..<last + 1
  }

  /// Digits alone, no more than fit with room to add.
  private static func number(_ text: Substring) -> Int? {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
