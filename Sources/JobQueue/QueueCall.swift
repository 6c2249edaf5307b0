import SQLite
import Synchronization

/// What the thread of a SQLite queue is asked to do, each by a task that waits for the answer.
enum QueueCall: Sendable {
  case write(Write)
  case read(Read)
  case lease(WaitingLease)

  /// A part of a transaction.
  struct Write: Sendable {
    /// Whether it has to be on the disk before it is answered.
    let isSynced: Bool
    /// Does it, and gives what to call once the transaction has been committed.
    let perform: @Sendable (JobTable, QueueTime) throws(DatabaseFailure) -> @Sendable () -> Void
    let fail: @Sendable (QueueFailure) -> Void
  }

  struct Read: Sendable {
    let perform: @Sendable (JobTable, QueueTime) throws(DatabaseFailure) -> @Sendable () -> Void
    let fail: @Sendable (QueueFailure) -> Void
  }
}

/// Somebody who waits for jobs.
struct WaitingLease: Sendable {
  let count: Int
  let seconds: Double
  /// Until when to wait, by the steady clock.
  let end: Double
  /// Set when the one who waits is not interested any more.
  let cancellation: CancellationFlag
  /// To be called once.
  let answer: @Sendable (Result<[Lease], QueueFailure>) -> Void
}

final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() {
    flag.store(true, ordering: .releasing)
  }
}
