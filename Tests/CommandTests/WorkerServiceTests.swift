import JobQueue
import RichPush
import Testing

@testable import EnclosureCommand

@Suite struct WorkerServiceTests {
  @Test("a queue that does not say how full it is keeps no other metrics waiting")
  func showsMetricsWithoutQueue() async throws {
    let service = WorkerService(takesCallbacks: false)
    service.opened(SilentQueue())
    // Would never return.
    await service.refreshMetrics()
  }
}

/// A queue whose servers hang.
private struct SilentQueue: JobQueue {
  private func never() async throws(QueueFailure) -> Never {
    while true { try? await Task.sleep(for: .seconds(3_600)) }
  }

  func enqueue(_ job: NewJob) async throws(QueueFailure) -> Enqueued { try await never() }
  func lease(_ count: Int, seconds: Double, wait: Double) async throws(QueueFailure) -> [Lease] { try await never() }
  func extend(_ leases: [Lease], seconds: Double) async throws(QueueFailure) -> [Lease] { try await never() }
  func complete(_ lease: Lease, result: [UInt8]) async throws(QueueFailure) { try await never() }
  func retry(_ lease: Lease, after seconds: Double, reason: String) async throws(QueueFailure) { try await never() }
  func release(_ lease: Lease, after seconds: Double) async throws(QueueFailure) { try await never() }
  func bury(_ lease: Lease, reason: String) async throws(QueueFailure) { try await never() }
  func check() async throws(QueueFailure) { try await never() }
  func status() async throws(QueueFailure) -> QueueStatus { try await never() }
  func state(of id: String) async throws(QueueFailure) -> JobState? { try await never() }
  func dead(limit: Int) async throws(QueueFailure) -> [DeadLetter] { try await never() }
  func revive(_ ids: [String]?) async throws(QueueFailure) -> Int { try await never() }
  func purge(_ what: Purge) async throws(QueueFailure) -> Int { try await never() }
  func close() async {}
}
