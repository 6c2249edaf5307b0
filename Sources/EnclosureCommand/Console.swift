import Glibc
import Synchronization

/// Standard output, for results, and standard error, for everything else.
///
/// On a terminal standard error may end in a status line, which is drawn over again and again; what else is written
/// goes above it, from whichever thread.
enum Console {
  private static let status = Mutex("")
  private static let lostOutput = Mutex<Int32>(0)

  /// Opens what of the three standard descriptors was closed. Else the next file that is opened would get its number,
  /// and what is written for people would end in it. Call it before anything is opened.
  static func openStandardDescriptors() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is the one that is missing. The wrong way round, so that using it fails as before.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Why a result could not be written to standard output, as an `errno`; nil when all were.
  static var outputFailure: Int32? {
    let code = lostOutput.withLock(\.self)
    return code == 0 ? nil : code
  }

  static func output(_ text: String) {
    output(Array(text.utf8))
  }

  static func output(_ bytes: [UInt8]) {
    let code = write(bytes, to: STDOUT_FILENO)
    if code != 0 { lostOutput.withLock { $0 = code } }
  }

  /// Writes whole lines.
  static func error(_ text: String) {
    status.withLock { status in
      _ = write(Array((status.isEmpty ? text : "\r\u{1B}[K\(text)\(status)").utf8), to: STDERR_FILENO)
    }
  }

  /// Draws the status line in place of the one before; an empty one takes it away. Only on a terminal.
  static func showStatus(_ line: String) {
    status.withLock { status in
      guard line != status else { return }
      status = line
      _ = write(Array("\r\(line)\u{1B}[K".utf8), to: STDERR_FILENO)
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

  /// A reader who has gone away is no fault of ours: what cannot be written then is dropped.
  /// - Returns: the `errno` of another failure, else 0.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return errno == EPIPE ? 0 : errno }
      rest = rest.dropFirst(count)
    }
    return 0
  }
}
