import Synchronization

/// Wakes the one task that waits for something to do.
final class Bell: Sendable {
  private struct State {
    /// Rung while nobody waited: the next one to wait goes on at once.
    var isRung = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var visitors = 0
    /// The one whose time was over before it began to wait.
    var late: Int?
  }

  private let state = Mutex(State())

  func ring() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      state.isRung = state.waiting.isEmpty
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until it rings, at most so many seconds.
  func wait(atMost seconds: Double) async {
    let visitor = state.withLock { state in
      state.visitors += 1
      return state.visitors
    }
    let alarm = Task {
      // Cancelled, it has nothing left to do.
      guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
      leave(visitor)
    }
    await withCheckedContinuation { continuation in
      let mayGoOn = state.withLock { state in
        guard !state.isRung, state.late != visitor else {
          state.isRung = false
          return true
        }
        state.waiting[visitor] = continuation
        return false
      }
      if mayGoOn { continuation.resume() }
    }
    alarm.cancel()
  }

  private func leave(_ visitor: Int) {
    let continuation = state.withLock { state in
      let continuation = state.waiting.removeValue(forKey: visitor)
      if continuation == nil { state.late = visitor }
      return continuation
    }
    continuation?.resume()
  }
}
