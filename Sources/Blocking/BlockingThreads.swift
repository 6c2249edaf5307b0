import Glibc

/// The threads of `blocking`: started when there is work for them, and kept.
///
/// They are threads of their own because Swift's executor shares libdispatch's pool on Linux, whose width is the number
/// of cores: blocking a global queue there starves the cooperative threads just the same.
///
/// Sendable because `waiting`, `idle` and `threads` are only touched with `mutex` held.
final class BlockingThreads: @unchecked Sendable {
  static let shared = BlockingThreads()
  /// Enough to keep a disk busy, since each thread mostly waits, and few enough not to crowd the helpers out.
  static let width = 8

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var waiting = Queue<@Sendable () -> Void>()
  private var idle = 0
  private var threads = 0

  private init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  func add(_ work: @escaping @Sendable () -> Void) {
    pthread_mutex_lock(mutex)
    waiting.append(work)
    if idle < waiting.count, threads < Self.width, startThread() {
      threads += 1
    }
    // The system may refuse threads. As long as there is one, it comes to everything; else this one has to do.
    let isAlone = threads == 0
    let mine = isAlone ? waiting.popFirst() : nil
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
    mine?()
  }

  /// Returns whether the system had a thread to give.
  private func startThread() -> Bool {
    var thread = pthread_t()
    guard pthread_create(&thread, nil, serve, nil) == 0 else { return false }
    pthread_detach(thread)
    return true
  }

  /// Waits for work. Called by the threads only.
  fileprivate func take() -> @Sendable () -> Void {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    idle += 1
    defer { idle -= 1 }
    while true {
      if let work = waiting.popFirst() { return work }
      pthread_cond_wait(condition, mutex)
    }
  }
}

private func serve(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  while true {
    BlockingThreads.shared.take()()
  }
}
