import CMicroHTTPD
import Glibc
import Synchronization

/// How tasks reach the endpoint's thread.
final class OperationsMailbox: Sendable {
  enum Command: Sendable {
    case answer(Answer, request: Int)
    /// - Parameter done: is called when the endpoint is closed.
    case close(done: @Sendable () -> Void)
  }

  private struct State {
    var commands: [Command] = []
    /// The event descriptor that the thread waits for, open as long as it is here; nil when the thread has ended.
    var wakeUp: Int32?
  }

  private let state: Mutex<State>

  init(wakeUp: Int32) {
    state = Mutex(State(wakeUp: wakeUp))
  }

  /// - Returns: false when the thread has ended, and the command will not be carried out.
  @discardableResult
  func post(_ command: Command) -> Bool {
    state.withLock { state in
      guard let wakeUp = state.wakeUp else { return false }
      state.commands.append(command)
      eventfd_write(wakeUp, 1)
      return true
    }
  }

  func take() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// For the thread: nothing can be posted any more.
  func close() -> [Command] {
    state.withLock { state in
      state.wakeUp = nil
      defer { state.commands = [] }
      return state.commands
    }
  }
}
