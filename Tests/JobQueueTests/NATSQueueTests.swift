import JobQueue
import TestSupport
import Testing

@Suite(.enabled(if: NATSServers.isInstalled, "nats-server is not installed"), .natsServers(1))
struct NATSQueueTests {
  @Test("a NATS queue does what every queue does", arguments: JobQueueConformance.allCases)
  func conforms(rule: JobQueueConformance) async throws {
    let url = try NATSScope.newQueue()
    let queue = try await openQueue(url)
    let test = QueueUnderTest(queue: queue, openAgain: { try await openQueue(url) }, ordersByDeadline: false)
    try await rule.check(test)
    await queue.close()
  }
}
