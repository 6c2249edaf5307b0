import Glibc
import SQLite

/// The thread that a SQLite queue does everything on: SQLite blocks, and a connection is for one thread at a time.
///
/// All calls that have come in since it looked last are one transaction, so that the disk is waited for once.
///
/// Sendable because `file` and what follows it are only touched on the thread.
final class QueueThread: @unchecked Sendable {
  let inbox: QueueInbox
  let clock: QueueClock
  let options: QueueOptions
  private let path: String
  private var file: QueueFile?
  private var opened: (@Sendable (QueueFailure?) -> Void)?
  var waiting: [WaitingLease] = []
  var tidying = Tidying()

  /// Bounds how long others have to wait for the end of a transaction: to some 10 ms.
  private static let callsPerTransaction = 256
  private init(inbox: QueueInbox, path: String, options: QueueOptions, clock: QueueClock) {
    self.inbox = inbox
    self.path = path
    self.options = options
    self.clock = clock
  }

  /// Starts the thread, and opens the queue on it.
  static func start(path: String, options: QueueOptions, clock: QueueClock) async throws(QueueFailure) -> QueueThread {
    guard let inbox = QueueInbox() else { throw .unavailable("the process has too many files open") }
    let thread = QueueThread(inbox: inbox, path: path, options: options, clock: clock)
    let failure: QueueFailure? = await withCheckedContinuation { continuation in
      thread.opened = { continuation.resume(returning: $0) }
      let context = Unmanaged.passRetained(thread)
      var handle = pthread_t()
      guard pthread_create(&handle, nil, runQueueThread, context.toOpaque()) == 0 else {
        context.release()
        continuation.resume(returning: .unavailable("the system has no thread for the queue"))
        return
      }
      pthread_detach(handle)
    }
    if let failure { throw failure }
    return thread
  }

  // MARK: For callers

  /// Does something in a transaction, which may hold other calls as well.
  func write<Value: Sendable>(
    isSynced: Bool,
    _ body: @escaping @Sendable (JobTable, QueueTime) throws(DatabaseFailure) -> Result<Value, QueueFailure>
  ) async throws(QueueFailure) -> Value {
    let result: Result<Value, QueueFailure> = await withCheckedContinuation { continuation in
      let write = QueueCall.Write(
        isSynced: isSynced,
        perform: { (table, time) throws(DatabaseFailure) in
          let result = try body(table, time)
          return { continuation.resume(returning: result) }
        }, fail: { continuation.resume(returning: .failure($0)) })
      if !inbox.add(.write(write)) { write.fail(.closed) }
    }
    return try result.get()
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (JobTable, QueueTime) throws(DatabaseFailure) -> Value
  ) async throws(QueueFailure) -> Value {
    let result: Result<Value, QueueFailure> = await withCheckedContinuation { continuation in
      let read = QueueCall.Read(
        perform: { (table, time) throws(DatabaseFailure) in
          let value = try body(table, time)
          return { continuation.resume(returning: .success(value)) }
        }, fail: { continuation.resume(returning: .failure($0)) })
      if !inbox.add(.read(read)) { read.fail(.closed) }
    }
    return try result.get()
  }

  func lease(_ count: Int, seconds: Double, wait: Double) async throws(QueueFailure) -> [Lease] {
    let end = clock.now().steady + wait
    let cancellation = CancellationFlag()
    let result: Result<[Lease], QueueFailure> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiting = WaitingLease(count: count, seconds: seconds, end: end, cancellation: cancellation) {
          continuation.resume(returning: $0)
        }
        if !inbox.add(.lease(waiting)) { waiting.answer(.failure(.closed)) }
      }
    } onCancel: {
      cancellation.set()
      inbox.signal()
    }
    return try result.get()
  }

  func stop(_ ended: @escaping @Sendable () -> Void) {
    inbox.stop(ended)
  }

  // MARK: On the thread

  fileprivate func run() {
    defer { inbox.end() }
    do throws(QueueFailure) {
      file = try QueueFile(path: path, options: options, clock: clock)
    } catch {
      opened?(error)
      return
    }
    opened?(nil)
    opened = nil
    while let file {
      let (calls, isLast) = inbox.take(Self.callsPerTransaction)
      serve(calls, in: file)
      if isLast {
        for waiting in waiting { waiting.answer(.failure(.closed)) }
        waiting = []
        self.file = nil
      } else {
        tidy(file)
        pause(file)
      }
    }
  }
}

private func runQueueThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<QueueThread>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
