import JobQueue
import Synchronization
import TestSupport
import Testing

/// One server for the tests that need no more: each has a stream of its own.
private actor SharedServer {
  static let shared = SharedServer()
  private var starting: Task<NATSServers, any Error>?
  private var streams = 0

  /// The URL of a queue that is not there yet.
  func url() async throws -> String {
    if starting == nil { starting = Task { try await NATSServers() } }
    guard let server = try await starting?.value else { throw NATSServers.Fault(message: "no server") }
    streams += 1
    return "nats://\(server.addresses)/test\(streams)"
  }
}

@Suite(.enabled(if: NATSServers.isInstalled, "nats-server is not installed"))
struct NATSQueueTests {
  @Test("a NATS queue does what every queue does", arguments: JobQueueConformance.allCases)
  func conforms(rule: JobQueueConformance) async throws {
    let url = try await SharedServer.shared.url()
    let queue = try await openQueue(url)
    let test = QueueUnderTest(queue: queue, openAgain: { try await openQueue(url) }, ordersByDeadline: false)
    try await rule.check(test)
    await queue.close()
  }
}
