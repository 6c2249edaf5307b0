import Metrics
import Operations
import TestSupport

/// A running endpoint with a fake service behind it.
final class Endpoint: Sendable {
  let service: FakeService
  let metrics = MetricsRegistry()
  let server: OperationsServer

  init(
    _ service: FakeService = FakeService(), address: String = "127.0.0.1:0", tokens: [String] = [],
    _ change: (inout OperationsConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = OperationsConfiguration(
      address: try ListenAddress(address), tokens: try tokens.map { try BearerToken($0) }, version: "1.2.3")
    change(&configuration)
    self.service = service
    server = try OperationsServer(configuration, metrics: metrics, delegate: service)
  }

  var port: Int { server.address.description.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

  func client() throws -> RawClient { try RawClient(port: port) }

  /// Sends a request on a connection of its own.
  func response(to text: String, toHead isHead: Bool = false) async throws -> RawClient.Response? {
    let client = try client()
    await client.send(text)
    return await client.response(toHead: isHead)
  }

  /// Waits until something is true of the metrics.
  func shows(_ condition: (PrometheusText) -> Bool) async throws -> Bool {
    for _ in 0..<12_000 {
      if condition(try PrometheusText(metrics.text())) { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }
}

/// A token that is long enough.
let goodToken = "0123456789abcdef0123456789abcdef"
