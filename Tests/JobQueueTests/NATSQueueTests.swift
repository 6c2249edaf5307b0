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

  @Test("a queue that must be there already is not made where it is missing")
  func findsOnly() async throws {
    let url = try NATSScope.newQueue()
    var options = QueueOptions()
    options.createsQueue = false
    for _ in 1...2 {
      let failure = await #expect(throws: QueueFailure.self) { _ = try await openQueue(url, options: options) }
      #expect(failure?.message.contains("is missing") == true)
    }
    let made = try await openQueue(url)
    let found = try await openQueue(url, options: options)
    try await made.add("a")
    #expect(try await found.next().id == "a")
    await made.close()
    await found.close()
  }
}
