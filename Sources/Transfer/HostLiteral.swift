/// The addresses that a host stands for without anybody being asked.
///
/// This is a second look, so that an answer does not hang on a resolver: what is dialled is judged anyway. It is the only
/// look where a proxy dials, so it knows all spellings that some resolver takes for an address.
enum HostLiteral: Equatable {
  case addresses([NetworkAddress])
  /// Written like an address, and none, or still encoded. No name ends in a number (URL Standard section 3.5, "ends in
  /// a number").
  case unreadable

  /// - Parameter host: as `RequestURL.Origin` has it, an IPv6 address in brackets.
  /// - Returns: nil for a name.
  init?(_ host: String) {
    if host.hasPrefix("[") {
      // A zone is no part of the address.
      let inner = host.dropFirst().prefix { $0 != "]" && $0 != "%" }
      self = NetworkAddress(String(inner)).map { .addresses([$0]) } ?? .unreadable
      return
    }
    // libcurl has decoded it once. A proxy might do so again.
    if host.contains("%") {
      self = .unreadable
      return
    }
    let host = host.lowercased().withoutFinalDot
    if host.isLocalhost {
      self = .addresses([.v4(0x7F00_0001), .v6(1)])
      return
    }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = parts.last, last.isNumeric else { return nil }
    self = Self.number(parts).map { .addresses([.v4($0)]) } ?? .unreadable
  }

  /// One to four numbers, decimal, octal or hexadecimal; the last one fills what remains of the 32 bits. That is how
  /// inet_aton reads them, and the URL Standard's IPv4 parser.
  private static func number(_ parts: [Substring]) -> UInt32? {
    guard parts.count <= 4 else { return nil }
    var result: UInt64 = 0
    for (index, part) in parts.enumerated() {
      let bits: UInt64 = index == parts.count - 1 ? UInt64(8 * (5 - parts.count)) : 8
      guard let value = part.number, value < 1 << bits else { return nil }
      result = result << bits | value
    }
    return UInt32(exactly: result)
  }
}

extension Substring {
  fileprivate var isNumeric: Bool {
    if hasPrefix("0x") { return dropFirst(2).allSatisfy(\.isHexDigit) }
    return !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  fileprivate var number: UInt64? {
    guard isNumeric else { return nil }
    if hasPrefix("0x") { return count == 2 ? 0 : UInt64(dropFirst(2), radix: 16) }
    return hasPrefix("0") ? UInt64(self, radix: 8) : UInt64(self)
  }
}
