/// The name of something that no attachment can be made of, with its article; nil when it may be media.
///
/// Text in particular is never given to a demuxer: playlists, edit lists and drawings can name other files and hosts.
func refusedName(_ head: [UInt8]) -> String? {
  for (start, name) in binaries where head.starts(with: start) { return name }
  if head.count > 262, head[257...].starts(with: "ustar") { return "a tar archive" }
  guard isText(head) else { return nil }
  var text = head[...]
  if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
  let words = String(decoding: text.drop { $0 <= 0x20 }, as: UTF8.self).lowercased()
  for (start, name) in texts where words.hasPrefix(start) { return name }
  guard words.hasPrefix("<") else { return "plain text" }
  if words.contains("<svg") { return "an SVG drawing" }
  if words.contains("<html") || words.contains("<body") { return "an HTML page" }
  return "an XML document"
}

private let binaries: [([UInt8], String)] = [
  ([0x50, 0x4B, 3, 4], "a zip archive"), ([0x50, 0x4B, 5, 6], "a zip archive"),
  ([0x1F, 0x8B], "gzip-compressed data"), (Array("BZh".utf8), "a bzip2 archive"),
  ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "an xz archive"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd-compressed data"),
  ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive"), (Array("Rar!".utf8), "a RAR archive"),
  (Array("%PDF".utf8), "a PDF document"), (Array("%!PS".utf8), "a PostScript document"),
  ([0xC5, 0xD0, 0xD3, 0xC6], "a PostScript document"),
  ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "an office document"),
  (Array("MZ".utf8), "a program"), ([0x7F, 0x45, 0x4C, 0x46], "a program"), ([0, 0x61, 0x73, 0x6D], "a program"),
  ([0xCF, 0xFA, 0xED, 0xFE], "a program"), ([0xCE, 0xFA, 0xED, 0xFE], "a program"),
  ([0xCA, 0xFE, 0xBA, 0xBE], "a program"), (Array("#!/".utf8), "a script"),
  (Array("SQLite format 3\0".utf8), "a database"),
]

private let texts: [(String, String)] = [
  ("<!doctype html", "an HTML page"), ("<html", "an HTML page"), ("<head", "an HTML page"), ("<body", "an HTML page"),
  ("<script", "an HTML page"), ("<svg", "an SVG drawing"),
  ("#extm3u", "a playlist"), ("[playlist]", "a playlist"), ("ffconcat", "a list of other files (ffconcat)"),
  ("v=0", "a session description (SDP)"),
  ("push graphic-context", "an MVG drawing"), ("viewbox ", "an MVG drawing"), ("#mvg", "an MVG drawing"),
  ("{", "JSON or other plain text"), ("[", "JSON or other plain text"),
]

/// Whether every byte is one that text is made of. Media is binary within its first bytes, raw streams included.
private func isText(_ head: [UInt8]) -> Bool {
  guard !head.isEmpty else { return false }
  // UTF-8 that is cut in the middle of its last character is still text.
  var continuation = 0
  for byte in head {
    if continuation > 0 {
      guard byte & 0xC0 == 0x80 else { return false }
      continuation -= 1
      continue
    }
    switch byte {
    case 0x09...0x0D, 0x1B, 0x20...0x7E: break
    case 0xC2...0xDF: continuation = 1
    case 0xE0...0xEF: continuation = 2
    case 0xF0...0xF4: continuation = 3
    default: return false
    }
  }
  return true
}
