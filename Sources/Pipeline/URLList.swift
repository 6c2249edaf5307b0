import Glibc
import Transfer

/// A text file with a URL on each line. Empty lines, and those that begin with `#`, are passed over.
package struct URLList: Sendable {
  /// The URLs in the order of the file, each with the number of its line, from 1.
  package private(set) var entries: [(line: Int, url: String)] = []

  /// Reads the file. Blocks.
  /// - Returns: nil when this is no such list: it has bytes that are no text, or its first line is no URL.
  /// - Throws: why it cannot be read.
  package init?(at path: FilePath) throws(FileFailure) {
    let bytes = try Self.contents(of: path)
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { return nil }
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      var url = line.drop(while: \.isWhitespace)
      if index == 0, url.first == "\u{FEFF}" { url = url.dropFirst() }
      while url.last?.isWhitespace ?? false { url.removeLast() }
      guard !url.isEmpty, !url.hasPrefix("#") else { continue }
      if entries.isEmpty, !url.contains("://") { return nil }
      entries.append((index + 1, String(url)))
    }
  }

  /// The ids of the jobs: each URL as far as it may be shown, and the number of its line where that is not at all.
  var ids: [String] {
    entries.map { line, url in
      let shown = redacted(url)
      return shown.hasPrefix("(") ? "line \(line)" : shown
    }
  }

  private static func contents(of path: FilePath) throws(FileFailure) -> [UInt8] {
    let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    guard descriptor >= 0 else { throw FileFailure(errno: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer.prefix(count)
        // A medium that was named by mistake need not be read to its end.
        if buffer.prefix(count).contains(0) { return bytes }
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw FileFailure(errno: errno)
      }
    }
  }
}
