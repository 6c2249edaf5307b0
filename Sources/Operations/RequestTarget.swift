/// What a request line names: a path, its percent-encoding undone.
struct RequestTarget: Sendable, Equatable {
  /// Bytes that are no UTF-8, or hold NUL, are no path here; nil then, and for a broken encoding.
  let path: String?

  /// - Parameter text: the target as it was sent; in absolute form where the client takes this for a proxy
  ///   (RFC 9112 section 3.2.2).
  init(_ text: String) {
    var rest = text[...]
    for scheme in ["http://", "https://"] where rest.lowercased().hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count)
      rest = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
      if rest.isEmpty { rest = "/" }
    }
    let encoded = rest.prefix { $0 != "?" && $0 != "#" }
    path = percentDecoded(encoded).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

extension RequestTarget {
  /// A path segment for this text: everything but the unreserved characters of RFC 3986 is encoded.
  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: result.unicodeScalars.append(.init(byte))
      default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}

private func percentDecoded(_ text: Substring) -> [UInt8]? {
  var result: [UInt8] = []
  var bytes = text.utf8.makeIterator()
  while let byte = bytes.next() {
    if byte == UInt8(ascii: "%") {
      guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue) else { return nil }
      result.append(high << 4 | low)
    } else {
      result.append(byte)
    }
    guard result.last != 0 else { return nil }
  }
  return result
}

private func hexValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case 0x30...0x39: digit - 0x30
  case 0x41...0x46: digit - 0x41 + 10
  case 0x61...0x66: digit - 0x61 + 10
  default: nil
  }
}
