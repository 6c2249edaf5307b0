import CCurl
import Glibc
import RichPush
import Synchronization

/// Runs all exchanges on one libcurl multi handle, which lives on one thread of its own.
///
/// Threading: tasks never call libcurl. They put commands into a mailbox, which wakes the thread; the thread carries
/// them out between two rounds of transfers, and answers by resuming the task's continuation. So nothing blocks on
/// Swift's cooperative threads, and libcurl is called on the transfer thread only.
///
/// The thread holds the mailbox, not the engine: when the engine goes, it is told to stop, ends what runs, and frees
/// the multi handle.
final class Engine: Sendable {
  private let mailbox: Mailbox

  init(_ configuration: TransferConfiguration) {
    mailbox = Mailbox()
    TransferThread.start(mailbox, configuration)
  }

  deinit {
    stop()
  }

  /// Runs one request. Cancelling the task ends it at once.
  ///
  /// When this returns, the request's descriptor is not used any more.
  func run(_ request: ExchangeRequest) async -> ExchangeReport {
    let exchange = Exchange(request)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchange.continuation = continuation
        start(exchange)
      }
    } onCancel: {
      // The flag is for a cancellation that overtakes the start.
      exchange.isCancelled.store(true, ordering: .releasing)
      mailbox.post(.cancel(exchange))
    }
  }

  /// The same for a request that is no download.
  func run(_ exchange: HTTPExchange) async -> Result<HTTPResponse, HTTPFailure> {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchange.continuation = continuation
        start(exchange)
      }
    } onCancel: {
      exchange.isCancelled.store(true, ordering: .releasing)
      mailbox.post(.cancel(exchange))
    }
  }

  private func start(_ exchange: any TransferTask) {
    if !mailbox.post(.start(exchange)) { exchange.finish(.stopped) }
  }

  /// Ends all exchanges, and the thread. It does not wait for them.
  func stop() {
    mailbox.post(.stop)
  }
}

/// How the tasks reach the transfer thread.
final class Mailbox: Sendable {
  enum Command: Sendable {
    case start(any TransferTask)
    case cancel(any TransferTask)
    case stop
  }

  private struct State {
    var commands: [Command] = []
    var isOpen = true
    /// The event descriptor that the thread waits for; nil before it has started. The thread closes it after `close`,
    /// so under the lock it is either open or nil.
    var wakeUp: Int32?
  }

  private let state = Mutex(State())

  /// - Returns: false when the mailbox is closed, and the command will not be carried out.
  @discardableResult
  func post(_ command: Command) -> Bool {
    state.withLock { state in
      guard state.isOpen else { return false }
      state.commands.append(command)
      if state.commands.count == 1, let wakeUp = state.wakeUp { eventfd_write(wakeUp, 1) }
      return true
    }
  }

  /// For the thread: from now on, `post` adds to this event descriptor.
  func open(wakeUp: Int32) {
    state.withLock { $0.wakeUp = wakeUp }
  }

  /// For the thread: what has been posted since the last time.
  func take() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// For the thread: nothing can be posted any more.
  func close() -> [Command] {
    state.withLock { state in
      state.isOpen = false
      state.wakeUp = nil
      defer { state.commands = [] }
      return state.commands
    }
  }
}

extension Rejection.Reason {
  static let stopped = Rejection.Reason(.fetchFailed, at: .fetch, "the download was stopped: Enclosure is ending")
  static let cancelled = Rejection.Reason(.fetchFailed, at: .fetch, "the download was cancelled")
  static let noHandle = Rejection.Reason(.fetchFailed, at: .fetch, "libcurl could not start the transfer")
}
