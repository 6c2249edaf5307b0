import Glibc

/// Standard output, for results, and standard error, for everything else.
enum Console {
  static func output(_ text: String) {
    write(Array(text.utf8), to: STDOUT_FILENO)
  }

  static func output(_ bytes: [UInt8]) {
    write(bytes, to: STDOUT_FILENO)
  }

  static func error(_ text: String) {
    write(Array(text.utf8), to: STDERR_FILENO)
  }

  static var errorIsTerminal: Bool {
    isatty(STDERR_FILENO) == 1
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
