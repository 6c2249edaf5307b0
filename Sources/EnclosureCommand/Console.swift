import Glibc
import Synchronization

/// Standard output, for results, and standard error, for everything else.
///
/// On a terminal standard error may end in a status line, which is drawn over again and again; what else is written
/// goes above it, from whichever thread.
enum Console {
  private static let status = Mutex("")
  private static let background = Mutex<BackgroundLog?>(nil)

  /// Makes sure that the descriptors of standard input, output and error are taken: a file that got one of them would
  /// get what is printed. What is written to one that was closed fails.
  static func reserveDescriptors() {
    while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 {
      if descriptor > STDERR_FILENO {
        close(descriptor)
        return
      }
    }
  }

  static func output(_ text: String) throws(OutputFailure) {
    try output(Array(text.utf8))
  }

  static func output(_ bytes: [UInt8]) throws(OutputFailure) {
    do throws(OutputFailure) {
      try write(bytes, to: STDOUT_FILENO)
    } catch {
      // A reader who has gone away has read enough.
      if error.errno != EPIPE { throw error }
    }
  }

  /// Writes whole lines.
  static func error(_ text: String) {
    status.withLock { status in
      // There is nobody else to tell that this fails.
      try? write(Array((status.isEmpty ? text : "\r\u{1B}[K\(text)\(status)").utf8), to: STDERR_FILENO)
    }
  }

  /// Tells what happened: people on a terminal, programs elsewhere.
  static func log(_ event: LogEvent) {
    let line = line(for: event)
    if let log = background.withLock(\.self) {
      log.add(line)
    } else {
      error(line)
    }
  }

  /// From now on nobody who logs something waits until it is written.
  static func logInBackground() {
    let log = BackgroundLog(describeLoss: { line(for: .logLinesLost($0)) }, write: { error($0) })
    background.withLock { $0 = log }
  }

  /// For the end of the process: holds the thread until the log is written, but no longer than `seconds`.
  static func finishLog(within seconds: Double) {
    guard let log = background.withLock(\.self) else { return }
    let end = ContinuousClock.now + .seconds(seconds)
    while !log.isWritten, ContinuousClock.now < end { usleep(5_000) }
  }

  private static func line(for event: LogEvent) -> String {
    isatty(STDERR_FILENO) == 1 ? "\(printable(event.text))\n" : "\(event.json())\n"
  }

  /// Draws the status line in place of the one before; an empty one takes it away. Only on a terminal.
  static func showStatus(_ line: String) {
    status.withLock { status in
      guard line != status else { return }
      status = line
      try? write(Array("\r\(line)\u{1B}[K".utf8), to: STDERR_FILENO)
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

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      let code = errno
      switch code {
      case EINTR: continue
      case EAGAIN:
        // Whoever shares this pipe or terminal has made it non-blocking.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, -1)
      default: throw OutputFailure(errno: code)
      }
    }
  }
}

/// Standard output takes no more; holds the `errno` that says why.
struct OutputFailure: Error, Equatable {
  let errno: Int32
}
