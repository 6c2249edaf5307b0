import Operations
import TestSupport
import Testing

/// What people use by hand, and what container health checks use.
@Suite struct CurlTests {
  private func curl(_ arguments: [String], _ endpoint: Endpoint, _ path: String) async throws -> (
    ending: ChildProcess.Ending, output: String
  ) {
    let all = ["--silent", "--show-error", "--max-time", "60"] + arguments
    let process = try ChildProcess(
      "/usr/bin/curl", (all + ["http://127.0.0.1:\(endpoint.port)\(path)"]).map { Array($0.utf8) })
    let ending = await process.wait()
    return (ending, String(decoding: process.output, as: UTF8.self))
  }

  @Test("curl --fail tells good health from bad")
  func healthCheck() async throws {
    let endpoint = try Endpoint()
    #expect(try await curl(["--fail"], endpoint, "/healthz").ending == .exited(0))
    endpoint.service.change { $0.health = [.init("helpers", problem: "none starts")] }
    #expect(try await curl(["--fail"], endpoint, "/healthz").ending == .exited(22))
  }

  @Test("curl adds a job and asks about it")
  func jobs() async throws {
    let endpoint = try Endpoint(FakeService { $0.report = .waiting(attempts: 0) }, tokens: [goodToken])
    let authorization = ["-H", "Authorization: Bearer \(goodToken)"]
    let added = try await curl(authorization + ["--json", "order-1"], endpoint, "/v1/jobs")
    #expect(added.output == "{\"id\":\"order-1\",\"added\":true}\n")
    let shown = try await curl(authorization, endpoint, "/v1/jobs/order-1")
    #expect(shown.output == "{\"id\":\"order-1\",\"state\":\"waiting\",\"attempts\":0}\n")
  }

  @Test("curl sees the refusal of a body that is much too large", arguments: [300_000, 3_000_000])
  func largeBody(_ size: Int) async throws {
    let endpoint = try Endpoint()
    let folder = try TemporaryFolder()
    try folder.write(Array(repeating: 0x20, count: size), to: "body")
    let result = try await curl(
      ["-H", "Content-Type: application/json", "--data-binary", "@\(folder.path)/body", "-w", "%{http_code}"], endpoint,
      "/v1/jobs")
    #expect(result.output.hasSuffix("413"))
    #expect(endpoint.service.seen.bodies.isEmpty)
  }
}
