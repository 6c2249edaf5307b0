import Metrics
import Operations
import TestSupport
import Testing

@Suite struct EndpointTests {
  @Test("health and readiness are good when all checks hold", arguments: ["/healthz", "/readyz", "/healthz?verbose=1"])
  func goodChecks(_ path: String) async throws {
    let response = try await Endpoint().response(to: request("GET", path))
    #expect(response?.status == 200)
    #expect(response?.body.hasPrefix("{\"status\":\"ok\",\"checks\":{") == true)
    #expect(response?.fields["content-type"] == "application/json")
    #expect(response?.fields["cache-control"] == "no-store")
  }

  @Test("a check that fails makes the answer 503 and says why")
  func failingCheck() async throws {
    let service = FakeService { $0.readiness = [Check("queue", problem: "the disk is \"full\""), Check("store")] }
    let response = try await Endpoint(service).response(to: request("GET", "/readyz"))
    #expect(response?.status == 503)
    let checks = #"{"queue":"the disk is \"full\"","store":"ok"}"#
    #expect(response?.body == #"{"status":"failing","checks":\#(checks)}"# + "\n")
  }

  @Test("what exactly fails is told to those who have the token")
  func detailsForTrusted() async throws {
    let service = FakeService { $0.health = [Check("helpers", problem: "secret place")] }
    let endpoint = try Endpoint(service, tokens: [goodToken])
    let anonymous = try await endpoint.response(to: request("GET", "/healthz"))
    #expect(anonymous?.body == "{\"status\":\"failing\",\"checks\":{\"helpers\":\"failing\"}}\n")
    let trusted = try await endpoint.response(
      to: request("GET", "/healthz", fields: ["Authorization": "Bearer \(goodToken)"]))
    #expect(trusted?.body.contains("secret place") == true)
  }

  @Test("metrics are Prometheus text, with those of the service, the endpoint and the process")
  func metrics() async throws {
    let endpoint = try Endpoint()
    endpoint.metrics.counters("jobs_total", help: "Jobs.", labels: ["outcome"])["ready"].add(3)
    _ = try await endpoint.response(to: request("GET", "/healthz"))
    let response = try await endpoint.response(to: request("GET", "/metrics"))
    #expect(response?.status == 200)
    #expect(response?.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    let text = try PrometheusText(response?.body ?? "")
    #expect(text.value("jobs_total", ["outcome": "ready"]) == 3)
    #expect(text.value("enclosure_http_requests_total", ["endpoint": "healthz", "status": "200"]) == 1)
    #expect(text.value("enclosure_build_info", ["version": "1.2.3"]) == 1)
    #expect((text.value("process_resident_memory_bytes") ?? 0) > 1e6)
    #expect((text.value("process_open_fds") ?? 0) > 3)
    #expect((text.value("process_max_fds") ?? 0) > 3)
    #expect((text.value("process_start_time_seconds") ?? 0) > 1.7e9)
    #expect((text.value("process_cpu_seconds_total") ?? 0) > 0)
  }

  @Test("probes are no load: what is asked within a second is asked once")
  func probesAreCheap() async throws {
    let endpoint = try Endpoint()
    let start = ContinuousClock.now
    for _ in 0..<20 {
      _ = try await endpoint.response(to: request("GET", "/readyz"))
      _ = try await endpoint.response(to: request("GET", "/metrics"))
    }
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    #expect(endpoint.service.seen.readinessCalls <= seconds + 1)
    #expect(endpoint.service.seen.refreshes <= seconds + 1)
  }

  @Test(
    "a submission is answered by what became of it",
    arguments: [
      (Submission.added(id: "a/b ü"), 202, "{\"id\":\"a/b ü\",\"added\":true}"),
      (.known(id: "a"), 200, "{\"id\":\"a\",\"added\":false}"),
      (.notJSON(message: "no JSON"), 400, "{\"error\":\"invalid_json\",\"message\":\"no JSON\"}"),
      (
        .invalid(message: "at most 4", field: "sources"), 422,
        "{\"error\":\"invalid_job\",\"message\":\"at most 4\",\"field\":\"sources\"}"
      ),
      (.unavailable(message: "disk full"), 503, "{\"error\":\"unavailable\",\"message\":\"disk full\"}"),
    ])
  func submissions(_ submission: Submission, _ status: Int, _ body: String) async throws {
    let endpoint = try Endpoint(FakeService { $0.submission = submission })
    let response = try await endpoint.response(to: OperationsTests.submission("{}"))
    #expect(response?.status == status)
    #expect(response?.body == body + "\n")
    if case .added = submission { #expect(response?.fields["location"] == "/v1/jobs/a%2Fb%20%C3%BC") }
    if status == 503 { #expect(response?.fields["retry-after"] != nil) }
    #expect(endpoint.service.seen.bodies == [Array("{}".utf8)])
  }

  @Test(
    "a job is shown as what is known of it",
    arguments: [
      (JobReport.waiting(attempts: 2), 200, "{\"id\":\"a\",\"state\":\"waiting\",\"attempts\":2}"),
      (.working(attempt: 1), 200, "{\"id\":\"a\",\"state\":\"working\",\"attempt\":1}"),
      (
        .completed(result: Array("{\"status\":\"ready\"}".utf8)), 200,
        "{\"id\":\"a\",\"state\":\"completed\",\"result\":{\"status\":\"ready\"}}"
      ),
      (.dead(reason: "one\ntwo"), 200, "{\"id\":\"a\",\"state\":\"dead\",\"reasons\":[\"one\",\"two\"]}"),
      (
        .unknown, 404,
        "{\"error\":\"not_found\",\"message\":\"no job of this id waits, is worked on, or ended lately\"}"
      ),
      (.unavailable(message: "queue gone"), 503, "{\"error\":\"unavailable\",\"message\":\"queue gone\"}"),
    ])
  func jobs(_ report: JobReport, _ status: Int, _ body: String) async throws {
    let endpoint = try Endpoint(FakeService { $0.report = report })
    let response = try await endpoint.response(to: request("GET", "/v1/jobs/a"))
    #expect(response?.status == status)
    #expect(response?.body == body + "\n")
  }

  @Test(
    "an id is any text, in the path as it is or encoded",
    arguments: [
      ("/v1/jobs/order-1", "order-1"), ("/v1/jobs/a/b.jpg", "a/b.jpg"), ("/v1/jobs/a%2Fb%20c", "a/b c"),
      ("/v1/jobs/a+b", "a+b"), ("/v1/jobs/%C3%BC%F0%9F%8E%88", "ü🎈"), ("/v1/jobs/100%25?x=1", "100%"),
      ("http://localhost/v1/jobs/a", "a"), ("/v1/jobs//", "/"), ("/v1/jobs/..%2f..", "../.."),
      ("/v1/jobs/" + String(repeating: "x", count: 512), String(repeating: "x", count: 512)),
    ])
  func ids(_ target: String, _ id: String) async throws {
    let endpoint = try Endpoint()
    _ = try await endpoint.response(to: request("GET", target))
    #expect(endpoint.service.seen.ids == [id])
  }

  @Test(
    "paths that are no path, and ids that are none, are not found and never reach the service",
    arguments: [
      "/", "/healthz/", "/v1/jobs/", "/v2/jobs", "*",
      "/v1/jobs/" + String(repeating: "x", count: 513), "http://", "//healthz", "/HEALTHZ",
    ])
  func wrongPaths(_ target: String) async throws {
    let endpoint = try Endpoint()
    let response = try await endpoint.response(to: request("GET", target))
    #expect(response?.status == 404)
    #expect(endpoint.service.seen.ids.isEmpty)
  }

  @Test(
    "a path that is no text is a bad request, with what ids look like",
    arguments: [
      "/v1/jobs/%00", "/v1/jobs/a%00b", "/v1/jobs/%ff", "/v1/jobs/%4", "/v1/jobs/%zz", "/v1/jobs/%", "/healthz%00",
    ])
  func brokenPaths(_ target: String) async throws {
    let endpoint = try Endpoint()
    let response = try await endpoint.response(to: request("GET", target))
    #expect(response?.status == 400)
    #expect(response?.body.contains("ids in it are UTF-8 without NUL") == true)
    #expect(endpoint.service.seen.ids.isEmpty)
  }

  @Test(
    "methods that make no sense are refused, with those that do",
    arguments: [
      ("POST", "/healthz", "GET, HEAD"), ("DELETE", "/v1/jobs/a", "GET, HEAD"), ("GET", "/v1/jobs", "POST"),
      ("PUT", "/v1/jobs", "POST"), ("OPTIONS", "/metrics", "GET, HEAD"), ("TRACE", "/readyz", "GET, HEAD"),
      ("get", "/metrics", "GET, HEAD"),
    ])
  func wrongMethods(_ method: String, _ path: String, _ allowed: String) async throws {
    let response = try await Endpoint().response(to: request(method, path))
    #expect(response?.status == 405)
    #expect(response?.fields["allow"] == allowed)
  }

  @Test("HEAD gets the head of what GET gets", arguments: ["/healthz", "/readyz", "/v1/jobs/a"])
  func head(_ path: String) async throws {
    let endpoint = try Endpoint()
    let whole = try await endpoint.response(to: request("GET", path))
    let head = try await endpoint.response(to: request("HEAD", path), toHead: true)
    #expect(head?.status == whole?.status)
    #expect(head?.fields["content-length"] == whole?.fields["content-length"])
    #expect(head?.body == "")
  }

  @Test("many requests go over one connection, also those sent before the answers came")
  func pipelining() async throws {
    let endpoint = try Endpoint()
    let client = try endpoint.client()
    let count = 50
    await client.send((0..<count).map { submission("job-\($0)") }.joined())
    for number in 0..<count {
      let response = await client.response()
      #expect(response?.body == "{\"id\":\"job-\(number)\",\"added\":true}\n")
    }
    #expect(try PrometheusText(endpoint.metrics.text()).value("enclosure_http_connections") == 1)
  }

  @Test("each of many clients gets its own answers")
  func concurrency() async throws {
    let endpoint = try Endpoint()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<40 {
        group.addTask {
          let connection = try endpoint.client()
          for number in 0..<25 {
            let id = "job-\(client)-\(number)"
            await connection.send(submission(id))
            let response = await connection.response()
            #expect(response?.body == "{\"id\":\"\(id)\",\"added\":true}\n")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(endpoint.service.seen.bodies.count == 1_000)
  }

  @Test("a client of HTTP/1.0 gets its answer, and the end of the connection")
  func http10() async throws {
    let endpoint = try Endpoint()
    let client = try endpoint.client()
    await client.send("GET /healthz HTTP/1.0\r\n\r\n")
    let text = await client.end()
    #expect(text?.hasPrefix("HTTP/1.") == true)
    #expect(text?.hasSuffix("}\n") == true)
    #expect(try PrometheusText(endpoint.metrics.text()).value("enclosure_http_connections") != nil)
  }
}
