import Blocking
import Glibc
import Synchronization

/// Where tasks leave their calls for the thread of a queue. A pipe tells the thread that there is something.
final class QueueInbox: Sendable {
  private struct State {
    var calls = Queue<QueueCall>()
    /// Set when the queue is to be closed; called when it has been.
    var stops: [@Sendable () -> Void]?
    var hasEnded = false
    var isSignalled = false
  }

  private let state = Mutex(State())
  private let writeEnd: Int32
  /// Readable when there is something to take.
  let descriptor: Int32

  /// nil when the process has no descriptors left.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writeEnd)
  }

  /// Returns false when nobody will come for it any more.
  func add(_ call: QueueCall) -> Bool {
    state.withLock { state in
      guard !state.hasEnded, state.stops == nil else { return false }
      state.calls.append(call)
      signal(&state)
      return true
    }
  }

  /// Has the thread look around.
  func signal() {
    state.withLock { signal(&$0) }
  }

  /// Has the thread end after the calls made until now.
  /// - Parameter ended: called when it has, at once when it had already.
  func stop(_ ended: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.hasEnded { return true }
      state.stops = (state.stops ?? []) + [ended]
      signal(&state)
      return false
    }
    if isOver { ended() }
  }

  private func signal(_ state: inout State) {
    guard !state.isSignalled else { return }
    state.isSignalled = true
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  // MARK: For the thread

  /// Takes up to `limit` calls.
  /// - Returns: with them, whether they are the last ones.
  func take(_ limit: Int) -> (calls: [QueueCall], isLast: Bool) {
    state.withLock { state in
      var calls: [QueueCall] = []
      while calls.count < limit, let call = state.calls.popFirst() { calls.append(call) }
      if state.calls.isEmpty, state.isSignalled {
        state.isSignalled = false
        var byte: UInt8 = 0
        _ = read(descriptor, &byte, 1)
      }
      return (calls, state.stops != nil && state.calls.isEmpty)
    }
  }

  /// Says that the thread has ended.
  func end() {
    let stops = state.withLock { state in
      state.hasEnded = true
      return state.stops ?? []
    }
    for stop in stops { stop() }
  }
}
