import Digest

/// The name of a job's manifest within `manifests/`, without `.json`: the id, percent-encoded as one path component.
///
/// Letters, digits and `- . _ ~` stay, every other byte of the UTF-8 becomes `%XX`; that is RFC 3986's unreserved set,
/// and what Python's `urllib.parse.quote(id, safe="")` gives. Two cases go further: `.` and `..` would be folders, so
/// their dots are encoded; and file systems end at 255 bytes, so a name over 200 is cut and told apart by its hash.
package func manifestName(ofJob id: String) -> String {
  guard id != ".", id != ".." else { return id == "." ? "%2E" : "%2E%2E" }
  let name = percentEncoded(id)
  // An id may be chosen to look like the shortened name of another; shortened itself, it no longer does.
  guard name.utf8.count > maximumName || looksShortened(name) else { return name }
  return uncutPrefix(of: name) + "~" + sha256(of: id.utf8).prefix(hashDigits)
}

private let maximumName = 200
private let keptBytes = 160
private let hashDigits = 32

private func percentEncoded(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var encoded: [UInt8] = []
  encoded.reserveCapacity(text.utf8.count)
  for byte in text.utf8 {
    if isUnreserved(byte) {
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

/// The first bytes of an encoded name, cut before a `%XX` that would not fit whole.
private func uncutPrefix(of name: String) -> String {
  var prefix = name.utf8.prefix(keptBytes)
  if let percent = prefix.suffix(2).lastIndex(of: UInt8(ascii: "%")) {
    prefix = prefix[..<percent]
  }
  return String(decoding: prefix, as: UTF8.self)
}

private func looksShortened(_ name: String) -> Bool {
  let bytes = Array(name.utf8)
  guard (keptBytes - 2 + 1 + hashDigits)...(keptBytes + 1 + hashDigits) ~= bytes.count else { return false }
  let hash = bytes.suffix(hashDigits)
  return bytes[bytes.count - hashDigits - 1] == UInt8(ascii: "~")
    && hash.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
}
