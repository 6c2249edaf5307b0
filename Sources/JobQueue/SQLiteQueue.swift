/// A queue in a SQLite file.
package final class SQLiteQueue: JobQueue {
  package init(path: String, options: QueueOptions) async throws(QueueFailure) {
    throw .unusable("not yet there")
  }

  package func enqueue(_ job: NewJob) async throws(QueueFailure) -> Enqueued { throw .closed }
  package func lease(_ count: Int, seconds: Double, wait: Double) async throws(QueueFailure) -> [Lease] { [] }
  package func extend(_ leases: [Lease], seconds: Double) async throws(QueueFailure) -> [Lease] { leases }
  package func complete(_ lease: Lease, result: [UInt8]) async throws(QueueFailure) {}
  package func retry(_ lease: Lease, after seconds: Double, reason: String) async throws(QueueFailure) {}
  package func release(_ lease: Lease) async throws(QueueFailure) {}
  package func bury(_ lease: Lease, reason: String) async throws(QueueFailure) {}
  package func status() async throws(QueueFailure) -> QueueStatus { throw .closed }
  package func state(of id: String) async throws(QueueFailure) -> JobState? { nil }
  package func dead(limit: Int) async throws(QueueFailure) -> [DeadLetter] { [] }
  package func revive(_ ids: [String]?) async throws(QueueFailure) -> Int { 0 }
  package func purge(_ what: Purge) async throws(QueueFailure) -> Int { 0 }
  package func close() async {}
}
