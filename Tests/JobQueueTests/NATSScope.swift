import TestSupport
import Testing

/// Servers that all tests of a suite use, each with streams of its own. They run as long as the suite does.
struct NATSScope: SuiteTrait, TestScoping {
  private let count: Int

  /// The servers of the suite that runs.
  @TaskLocal static var servers: NATSServers?

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.$servers.withValue(NATSServers(count), operation: function)
  }

  fileprivate init(count: Int) { self.count = count }

  /// The URL of a queue that is not there yet.
  static func newQueue() throws -> String {
    guard let servers else { throw NATSServers.Fault(message: "the suite has no servers") }
    return "nats://\(servers.addresses)/test\(UInt32.random(in: .min ... .max))"
  }
}

extension Trait where Self == NATSScope {
  /// Runs so many NATS servers on loopback.
  static func natsServers(_ count: Int) -> Self { NATSScope(count: count) }
}
