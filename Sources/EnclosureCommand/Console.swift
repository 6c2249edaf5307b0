import Glibc
import Synchronization

/// Standard output, for results, and standard error, for everything else.
///
/// On a terminal standard error may end in a status line, which is drawn over again and again; what else is written
/// goes above it, from whichever thread.
enum Console {
  private static let status = Mutex("")

  static func output(_ text: String) {
    write(Array(text.utf8), to: STDOUT_FILENO)
  }

  static func output(_ bytes: [UInt8]) {
    write(bytes, to: STDOUT_FILENO)
  }

  /// Writes whole lines.
  static func error(_ text: String) {
    status.withLock { status in
      write(Array((status.isEmpty ? text : "\r\u{1B}[K\(text)\(status)").utf8), to: STDERR_FILENO)
    }
  }

  /// Draws the status line in place of the one before; an empty one takes it away. Only on a terminal.
  static func showStatus(_ line: String) {
    status.withLock { status in
      guard line != status else { return }
      status = line
      write(Array("\r\(line)\u{1B}[K".utf8), to: STDERR_FILENO)
    }
  }

  /// Whether standard error is a terminal that can redraw a line.
  static var errorIsTerminal: Bool {
    isatty(STDERR_FILENO) == 1 && environmentVariable("TERM") != Array("dumb".utf8)
  }

  /// Whether the terminal shows more than ASCII, by the variable of the locale that counts: the first that is set.
  static func showsUnicode(environment: (_ variable: String) -> [UInt8]? = environmentVariable) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? []
    let name = String(decoding: locale, as: UTF8.self).lowercased()
    return name.hasSuffix("utf-8") || name.hasSuffix("utf8")
  }

  /// Columns of the terminal on standard error, 80 when it does not say.
  static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// A reader who has gone away is no fault of ours: what cannot be written is dropped.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
