import Glibc
import Synchronization

/// A terminal of a given width, and everything that is written to it.
package final class Terminal: Sendable {
  /// The device that a program opens.
  package let path: String
  package let columns: Int
  private let tape: Tape

  /// What the thread that reads has in common with the rest.
  fileprivate final class Tape: Sendable {
    let descriptor: Int32
    let bytes = Mutex<[UInt8]>([])

    init(descriptor: Int32) {
      self.descriptor = descriptor
    }

    deinit {
      close(descriptor)
    }

    /// Reads until the last program has closed the terminal.
    func run() {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        bytes.withLock { $0 += buffer[..<count] }
      }
    }
  }

  package init(columns: Int) throws {
    self.columns = columns
    let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFault(call: "open", path: "/dev/ptmx", code: errno) }
    tape = Tape(descriptor: descriptor)
    var number: UInt32 = 0
    var isLocked: Int32 = 0
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(descriptor, UInt(unlockTerminal), &isLocked) == 0,
      ioctl(descriptor, UInt(getTerminalNumber), &number) == 0,
      ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0
    else { throw FileFault(call: "ioctl", path: "/dev/ptmx", code: errno) }
    path = "/dev/pts/\(number)"
  }

  /// Starts to read what is written. Call it once, when the program has been started: reading ends when nobody has the
  /// terminal open.
  package func record() throws {
    let tape = Unmanaged.passRetained(tape)
    var thread = pthread_t()
    guard pthread_create(&thread, nil, runTape, tape.toOpaque()) == 0 else {
      tape.release()
      throw FileFault(call: "pthread_create", path: path, code: EAGAIN)
    }
    pthread_detach(thread)
  }

  /// Whether something was written that nobody has read.
  package var hasOutput: Bool {
    var entry = pollfd(fd: tape.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLIN) != 0
  }

  /// Everything that was written so far.
  package var transcript: [UInt8] { tape.bytes.withLock(\.self) }

  /// What somebody sees who looks at it.
  package var screen: Screen { Screen(columns: columns, showing: transcript) }

  /// Presses keys: `[3]` is ^C.
  package func type(_ keys: [UInt8]) {
    _ = write(tape.descriptor, keys, keys.count)
  }
}

private func runTape(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Terminal.Tape>.fromOpaque(context).takeRetainedValue().run()
  return nil
}

/// `TIOCSPTLCK` and `TIOCGPTN`, macros that Swift does not import.
private let unlockTerminal = 0x4004_5431
private let getTerminalNumber = 0x8004_5430

/// As much of a terminal as a progress bar uses: carriage return, line feed, and erasing to the end of the line.
package struct Screen: Sendable {
  package private(set) var lines: [String] = []
  /// Whether a line was ever too long.
  package private(set) var hasWrapped = false
  /// Control sequences that it does not know; none are expected.
  package private(set) var unknown: [String] = []
  /// Every state of each line before it was drawn over or left.
  package private(set) var drawn: [String] = []
  private var line: [Character] = []
  private var column = 0

  package init(columns: Int, showing bytes: [UInt8]) {
    var rest = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r":
        if column > 0 { drawn.append(text) }
        column = 0
      case "\n":
        // The terminal sends a carriage return before it.
        lines.append(text)
        line = []
      case "\u{1B}":
        let sequence = rest.prefix { !$0.properties.isAlphabetic } + rest.drop { !$0.properties.isAlphabetic }.prefix(1)
        rest = rest.dropFirst(sequence.count)
        if sequence.elementsEqual("[K".unicodeScalars) {
          line = Array(line.prefix(column))
        } else {
          unknown.append(sequence.reduce(into: "") { $0.unicodeScalars.append($1) })
        }
      default:
        if column >= columns { hasWrapped = true }
        if column < line.count { line[column] = Character(scalar) } else { line.append(Character(scalar)) }
        column += 1
      }
    }
    lines.append(text)
  }

  private var text: String { String(line) }
}
