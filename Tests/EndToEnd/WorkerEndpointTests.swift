import FoundationEssentials
import Glibc
import RichPush
import SchemaSupport
import TestSupport
import Testing

@Suite struct WorkerEndpointTests {
  /// A worker with its endpoint, on folders of a test.
  private final class Service: Sendable {
    let bench: Workbench
    let process: ChildProcess
    let address: String

    init(_ bench: Workbench, _ options: [String] = [], environment: [String: String] = [:]) async throws {
      self.bench = bench
      let arguments =
        [
          "worker", "--queue", "sqlite:\(bench.folder.path)/queue.db", "--store", bench.out, "--allow-files",
          bench.source, "--listen", "127.0.0.1:0",
        ] + options
      process = try startEnclosure(
        arguments.map { Array($0.utf8) }, environment: bench.environment().merging(environment) { $1 })
      var found: String?
      for _ in 0..<12_000 where found == nil && !process.hasEnded {
        found = process.errors.split(separator: "\"").first { $0.hasPrefix("listening on ") }.map(String.init)
        try await Task.sleep(for: .milliseconds(10))
      }
      address = try #require(found?.split(separator: " ").last.map(String.init), "\(process.errors)")
    }

    /// - Returns: the status and the body.
    func get(_ path: String, _ options: [String] = []) async throws -> (status: String, body: String) {
      let run = try await tool(
        "/usr/bin/curl", ["--silent", "--max-time", "100", "-w", "\n%{http_code}"] + options + [address + path])
      var lines = run.text.split(separator: "\n", omittingEmptySubsequences: false)
      let status = lines.removeLast()
      return (String(status), lines.joined(separator: "\n"))
    }

    func add(_ job: String, _ options: [String] = []) async throws -> (status: String, body: String) {
      try await get("/v1/jobs", ["-H", "Content-Type: application/json", "--data-binary", job] + options)
    }

    /// Waits until an answer is as it should be.
    func shows(_ path: String, _ options: [String] = [], _ condition: (String, String) -> Bool) async throws -> Bool {
      for _ in 0..<1_200 {
        let (status, body) = try await get(path, options)
        if condition(status, body) { return true }
        try await Task.sleep(for: .milliseconds(100))
      }
      return false
    }
  }

  @Test("a job is added over HTTP, worked on, and shown with its result; metrics tell of it")
  func wholeWay() async throws {
    let bench = try Workbench()
    try bench.put("image/landscape.jpg", as: "a.jpg")
    try bench.put("bad/text.jpg", as: "b.jpg")
    let service = try await Service(bench)
    #expect(try await service.shows("/readyz") { status, _ in status == "200" })
    #expect(try await service.get("/healthz").status == "200")

    for (id, name) in [("good 1", "a.jpg"), ("bad/1", "b.jpg")] {
      let added = try await service.add(#"{"id":"\#(id)","sources":["file://\#(bench.source)/\#(name)"]}"#)
      #expect(added.status == "202", "\(added.body)")
    }
    #expect(try await service.add(#"{"id":"good 1","sources":["file://\#(bench.source)/a.jpg"]}"#).status == "200")
    #expect(try await service.shows("/v1/jobs/good%201") { $1.contains(#""state":"completed""#) })
    #expect(try await service.shows("/v1/jobs/bad/1") { $1.contains(#""state":"completed""#) })
    let shown = try await service.get("/v1/jobs/good%201").body
    let job = try JSONDecoder().decode(JSONValue.self, from: Data(shown.utf8))
    #expect(job.members["result"]?.members["status"]?.text == "ready")
    #expect(try await service.get("/v1/jobs/nobody").status == "404")
    #expect(try await service.get("/v1/jobs/%00").status == "400")

    let text = try PrometheusText(try await service.get("/metrics").body)
    #expect(text.value("enclosure_jobs_total", ["outcome": "ready", "code": ""]) == 1)
    #expect(text.value("enclosure_jobs_total", ["outcome": "rejected", "code": "unsupported_type"]) == 1)
    #expect(text.value("enclosure_attachments_total", ["kind": "image"]) == 1)
    #expect(text.value("enclosure_job_duration_seconds_count") == 2)
    for stage in ["fetch", "inspect", "prepare", "verify", "store"] {
      #expect((text.value("enclosure_stage_duration_seconds_count", ["stage": stage]) ?? 0) >= 1, "\(stage)")
    }
    #expect((text.value("enclosure_stored_bytes_total") ?? 0) > 1_000)
    #expect((text.value("enclosure_helper_starts_total") ?? 0) >= 1)
    #expect(text.value("enclosure_helpers_lost_total") == 0)
    #expect(text.value("enclosure_queue_jobs", ["state": "ready"]) == 0)
    #expect(text.value("enclosure_available", ["dependency": "queue"]) == 1)
    #expect(text.value("enclosure_jobs_in_work") != nil)

    service.process.signal(SIGTERM)
    #expect(await service.process.wait() == .exited(0))
  }

  @Test("a worker whose store is away says so, and ends when it is told to")
  func storeAway() async throws {
    let service = try await Service(
      try Workbench(), ["--store", "s3://bucket/prefix"],
      environment: [
        "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
      ])
    var seen = ""
    #expect(
      try await service.shows("/readyz") { status, body in
        seen = body
        return status == "503" && body.contains("127.0.0.1")
      }, "\(seen)")
    #expect(seen.contains("it is opened after the store"), "\(seen)")
    #expect(try await service.get("/healthz").status == "200")
    service.process.signal(SIGTERM)
    #expect(await service.process.wait() == .exited(0))
    #expect(service.process.errors.contains("worker_ended"))
  }

  @Test(
    "a job that makes no sense is refused with the field that is wrong",
    arguments: [
      ("{}", "422", #""field":"id""#), (#"{"id":"a","sources":[]}"#, "422", #""field":"sources""#),
      (#"{"id":"a","sources":["https://e.com/a"],"expires":1}"#, "422", "expires"), ("{", "400", "invalid_json"),
      (#"{"id":"a","sources":["https://e.com/a"],"callback":"https://e.com/"}"#, "422", #""field":"callback""#),
      ("[]", "422", "invalid_job"),
      (#"{"id":"a","sources":["https://e.com/","ftp://x"]}"#, "422", #""field":"sources[1]""#),
      (#"{"id":"a","sources":["nonsense"]}"#, "422", "sources[0] does not begin with https:// or http://"),
    ])
  func refused(_ job: String, _ status: String, _ part: String) async throws {
    let service = try await Service(try Workbench())
    #expect(try await service.shows("/readyz") { status, _ in status == "200" })
    let answer = try await service.add(job)
    #expect(answer.status == status)
    #expect(answer.body.contains(part), "\(answer.body)")
  }

  @Test("a token from the environment or a file is needed, and is in no log")
  func tokens() async throws {
    let bench = try Workbench()
    let (first, second) = ("first-0123456789abcdef", "second-0123456789abcdef")
    try bench.folder.write(Array("\(first)\n".utf8), to: "tokens")
    let service = try await Service(
      bench, ["--token-file", "\(bench.folder.path)/tokens"], environment: ["ENCLOSURE_TOKEN": second])
    #expect(try await service.get("/v1/jobs/a").status == "401")
    for token in [first, second] {
      let field = ["-H", "Authorization: Bearer \(token)"]
      #expect(try await service.shows("/v1/jobs/a", field) { status, _ in status == "404" })
    }
    service.process.signal(SIGTERM)
    #expect(await service.process.wait() == .exited(0))
    #expect(!service.process.errors.contains("0123456789abcdef"))
  }

  @Test(
    "a listening address or a token that makes no sense is wrong use",
    arguments: [
      ["--listen", "everywhere"], ["--listen", "127.0.0.1:99999"], ["--token-file", "/nowhere/tokens"],
    ])
  func wrongUse(_ options: [String]) async throws {
    let bench = try Workbench()
    let run = try await enclosure(
      (["worker", "--queue", "sqlite:\(bench.folder.path)/queue.db", "--store", bench.out] + options).map {
        Array($0.utf8)
      })
    #expect(run.status == EX_USAGE)
    #expect(run.errors.contains(options[0]))
  }

  @Test("an address that is taken ends a worker that was told to have it")
  func addressTaken() async throws {
    let bench = try Workbench()
    let service = try await Service(bench)
    let run = try await enclosure(
      [
        "worker", "--queue", "sqlite:\(bench.folder.path)/queue.db", "--store", bench.out, "--listen",
        String(service.address.dropFirst("http://".count)),
      ].map { Array($0.utf8) }, environment: bench.environment())
    #expect(run.status == EX_SOFTWARE)
    #expect(run.errors.contains("Address already in use"))
  }
}
