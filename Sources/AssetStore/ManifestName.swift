import Digest
import PercentEncoding

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
