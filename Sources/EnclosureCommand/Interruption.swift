import Glibc
import Synchronization

/// ^C and SIGTERM: the first one asks for an orderly end, the second one leaves at once.
enum Interruption {
  /// Begins to listen. As long as there is nothing that has to be ended in order, the first signal leaves at once too.
  /// Call it once, first of all.
  static func install() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    writeEnd.store(ends[1], ordering: .releasing)
    readEnd.store(ends[0], ordering: .releasing)
    var thread = pthread_t()
    guard pthread_create(&thread, nil, runReader, nil) == 0 else { return }
    pthread_detach(thread)
    for number in [SIGINT, SIGTERM] {
      var handler = sigaction()
      handler.__sigaction_handler.sa_handler = { number in
        // Nothing but async-signal-safe calls in here.
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(writeEnd.load(ordering: .acquiring), &byte, 1)
      }
      handler.sa_flags = SA_RESTART
      sigaction(number, &handler, nil)
    }
  }

  /// Has `action` called once, on a thread of its own, when the process is asked to end, and `lastWords` when it is asked
  /// again.
  static func onFirstSignal(
    _ action: @escaping @Sendable () -> Void, lastWords: @escaping @Sendable () -> Void = {}
  ) {
    orderlyEnd.withLock { $0 = (action, lastWords) }
  }

  fileprivate static func serve() {
    waitForSignal()
    if let (action, lastWords) = orderlyEnd.withLock(\.self) {
      action()
      waitForSignal()
      lastWords()
    }
    _exit(130)
  }

  private static func waitForSignal() {
    var byte: UInt8 = 0
    while read(readEnd.load(ordering: .acquiring), &byte, 1) < 0 && errno == EINTR {}
  }
}

private let readEnd = Atomic<Int32>(-1)
private let writeEnd = Atomic<Int32>(-1)
private let orderlyEnd = Mutex<(action: @Sendable () -> Void, lastWords: @Sendable () -> Void)?>(nil)

private func runReader(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  Interruption.serve()
  return nil
}
