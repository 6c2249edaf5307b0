import Glibc
import Synchronization

/// ^C and SIGTERM: the first one asks for an orderly end, the second one leaves at once.
enum Interruption {
  /// Calls `action` once, on a thread of its own, when the process is asked to end. Call it once.
  static func onFirstSignal(_ action: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    writeEnd.store(ends[1], ordering: .releasing)
    let reader = Reader(descriptor: ends[0], action: action)
    var thread = pthread_t()
    guard pthread_create(&thread, nil, runReader, Unmanaged.passRetained(reader).toOpaque()) == 0 else { return }
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

  fileprivate final class Reader: Sendable {
    let descriptor: Int32
    let action: @Sendable () -> Void

    init(descriptor: Int32, action: @escaping @Sendable () -> Void) {
      self.descriptor = descriptor
      self.action = action
    }

    func run() {
      waitForSignal()
      action()
      waitForSignal()
      _exit(130)
    }

    private func waitForSignal() {
      var byte: UInt8 = 0
      while read(descriptor, &byte, 1) < 0 && errno == EINTR {}
    }
  }
}

private let writeEnd = Atomic<Int32>(-1)

private func runReader(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Interruption.Reader>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
