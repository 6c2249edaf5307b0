import Blocking
import Glibc

/// The log of a program that runs for months: a thread of its own writes it, so that nobody waits for whoever reads it.
/// Where that one stops reading, lines wait up to a limit; what comes then is lost, and counted.
///
/// Sendable because everything that changes is only touched with `mutex` held.
final class BackgroundLog: @unchecked Sendable {
  /// Bytes of lines that may wait: many thousands of them.
  static let capacity = 4 << 20

  private let write: @Sendable (String) -> Void
  private let describeLoss: @Sendable (Int) -> String
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var waiting = Queue<String>()
  private var waitingBytes = 0
  private var lost = 0
  private var isWriting = false

  /// Lives as long as the process. nil when the system has no thread to give.
  /// - Parameters:
  ///   - write: writes a line; may take as long as it likes.
  ///   - describeLoss: the line that says how many were lost.
  init?(describeLoss: @escaping @Sendable (Int) -> String, write: @escaping @Sendable (String) -> Void) {
    self.write = write
    self.describeLoss = describeLoss
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    guard pthread_create(&thread, nil, runLog, context.toOpaque()) == 0 else {
      context.release()
      return nil
    }
    pthread_detach(thread)
  }

  func add(_ line: String) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let bytes = line.utf8.count
    guard waitingBytes + bytes <= Self.capacity else {
      lost += 1
      return
    }
    waiting.append(line)
    waitingBytes += bytes
    pthread_cond_signal(condition)
  }

  /// Whether all that was added has been written.
  var isWritten: Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return waiting.isEmpty && lost == 0 && !isWriting
  }

  fileprivate func run() {
    while true { write(next()) }
  }

  /// Waits for a line. Called by the thread only.
  private func next() -> String {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isWriting = false
    while true {
      if let line = waiting.popFirst() {
        waitingBytes -= line.utf8.count
        isWriting = true
        return line
      }
      if lost > 0 {
        defer { lost = 0 }
        isWriting = true
        return describeLoss(lost)
      }
      pthread_cond_wait(condition, mutex)
    }
  }
}

private func runLog(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<BackgroundLog>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
