/// RFC 3986's unreserved characters stay, every other byte of the UTF-8 becomes `%XX`.
///
/// - Parameter kept: characters that stay besides.
func percentEncoded(_ text: String, keeping kept: String = "") -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var encoded: [UInt8] = []
  encoded.reserveCapacity(text.utf8.count)
  for byte in text.utf8 {
    if isUnreserved(byte) || kept.utf8.contains(byte) {
      encoded.append(byte)
    } else {
      encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: encoded, as: UTF8.self)
}

private func isUnreserved(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
    true
  default: false
  }
}
