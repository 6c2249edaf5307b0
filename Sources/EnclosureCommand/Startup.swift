import JobQueue
import Pipeline
import RichPush
import Synchronization

/// What happens until a worker runs: what it needs may not be there yet, and it may be told to end before it has begun.
final class Startup: Sendable {
  private struct State {
    var hasEnded = false
    var pause: Task<Void, Never>?
    var action: (@Sendable () -> Void)?
  }

  private let report: @Sendable (WorkerEvent) -> Void
  private let state = Mutex(State())

  /// - Parameter report: learns what has to be waited for.
  init(report: @escaping @Sendable (WorkerEvent) -> Void) {
    self.report = report
  }

  /// Has the worker end, or not begin.
  func end() {
    let action = state.withLock { state in
      state.hasEnded = true
      state.pause?.cancel()
      return state.action
    }
    action?()
  }

  /// Has `action` called when the worker is to end, at once if that has come already.
  func onEnd(_ action: @escaping @Sendable () -> Void) {
    let hasEnded = state.withLock { state in
      state.action = action
      return state.hasEnded
    }
    if hasEnded { action() }
  }

  /// Opens something, again and again while it is not available.
  /// - Returns: nil when the worker is to end.
  /// - Throws: what waiting does not mend.
  func attempt<Value: Sendable>(
    _ dependency: WorkerEvent.Dependency, _ open: () async throws -> Value
  ) async throws -> Value? {
    var seconds = 0.5
    var since: ContinuousClock.Instant?
    while !state.withLock(\.hasEnded) {
      do {
        let value = try await open()
        if let since {
          report(.available(dependency, after: (ContinuousClock.now - since) / .seconds(1)))
        }
        return value
      } catch {
        guard mayPass(error) else { throw error }
        if since == nil { report(.unavailable(dependency, describe(error))) }
        since = since ?? .now
      }
      await pause(seconds: seconds)
      seconds = min(seconds * 2, 5)
    }
    return nil
  }

  /// Waits, at most until the worker is to end.
  private func pause(seconds: Double) async {
    let pause = Task { () async -> Void in try? await Task.sleep(for: .seconds(seconds)) }
    let hasEnded = state.withLock { state in
      state.pause = pause
      return state.hasEnded
    }
    if hasEnded { pause.cancel() }
    await pause.value
  }

  private func mayPass(_ error: any Error) -> Bool {
    switch error {
    case let reason as Rejection.Reason: !reason.permanent
    case QueueFailure.unavailable: true
    default: false
    }
  }
}
