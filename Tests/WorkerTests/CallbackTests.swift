import FoundationEssentials
import JobQueue
import RichPush
import Testing

@testable import Pipeline

@Suite struct CallbackTests {
  @Test("a job's callback gets its result, once")
  func callsBack() async throws {
    let bench = try await WorkerBench()
    try await bench.add("a", callback: "https://example.com/ready?token=1")
    #expect(try await bench.runToTheEnd())
    let call = try #require(bench.callbacks.calls.first)
    #expect(bench.callbacks.calls.count == 1)
    #expect(call.url == "https://example.com/ready?token=1")
    let result = try JSONDecoder().decode(JobResult.self, from: Data(call.body))
    #expect(result.id == "a" && result.status == .ready && result.manifest == "manifests/a.json")
    #expect(
      !call.body.contains(UInt8(ascii: "\n"))
        && String(decoding: call.body, as: UTF8.self).hasPrefix(#"{"attempts":1,"#))
    #expect(
      bench.events.contains { event in
        if case .calledBack(let id, 1) = event { isCallback(id, status: "ready", job: "a") } else { false }
      })
  }

  @Test("a callback that is not accepted is tried again, with the same id and body; the job is not")
  func retries() async throws {
    let bench = try await WorkerBench()
    let callbacks = bench.callbacks
    callbacks.fault = unreachable
    try await bench.add("a", callback: "https://example.com/ready")
    _ = try await bench.run {
      if callbacks.calls.count == 3 { callbacks.fault = nil }
      let status = try await bench.queue.status()
      return callbacks.calls.count > 3 && status.ready + status.delayed + status.leased == 0
    }
    #expect(Set(callbacks.calls.map(\.id)).count == 1 && Set(callbacks.calls.map(\.body)).count == 1)
    #expect(bench.work.attempts(at: "a") == 1)
  }

  @Test("a callback that will never be accepted is a dead letter")
  func buries() async throws {
    let bench = try await WorkerBench()
    bench.callbacks.fault = Rejection.Reason(.blockedAddress, at: .fetch, "10.0.0.1 is at no public address")
    try await bench.add("a", callback: "https://10.0.0.1/")
    #expect(try await bench.runToTheEnd())
    #expect(bench.callbacks.calls.count == 1)
    let dead = try await bench.queue.dead(limit: 9)
    #expect(dead.count == 1 && isCallback(dead[0].id, status: "ready", job: "a"))
  }

  @Test("a job that is added anew after it was forgotten has a message of its own")
  func callsBackAgain() async throws {
    let bench = try await WorkerBench()
    let lease = Lease(id: "a", body: [], attempt: 1, token: 1, addedAt: 1_764_500_000.5)
    let later = Lease(id: "a", body: [], attempt: 2, token: 9, addedAt: 1_764_600_000.5)
    try await bench.add("a", callback: "https://example.com/ready")
    #expect(try await bench.runToTheEnd())
    let result = try JSONDecoder().decode(JobResult.self, from: Data(try #require(bench.callbacks.calls.first).body))
    let ids = [lease, lease, later].map { Callback(to: "https://example.com/ready", result, of: $0).id }
    #expect(ids[0] == ids[1] && ids[0] != ids[2])
    #expect(ids[0] == "enclosure.callback/ready/1764500000/a")
  }

  @Test("the longest id of a job leaves room for that of its callback")
  func fits() throws {
    let id = String(repeating: "x", count: JobDocument.maximumIDBytes)
    let longest = "enclosure.callback/rejected/\(Int32.max)/\(id)"
    #expect(longest.utf8.count <= NewJob.maximumIdBytes)
  }

  private func isCallback(_ id: String, status: String, job: String) -> Bool {
    id.hasPrefix("enclosure.callback/\(status)/") && id.hasSuffix("/\(job)")
  }

  @Test("of a dead job too, whoever asked learns")
  func tellsOfDeath() async throws {
    let bench = try await WorkerBench(FakeWork { job, _ in manifest(job, attachments: 0) }) { $0.attempts = 1 }
    try await bench.add("a", callback: "https://example.com/ready")
    #expect(try await bench.runToTheEnd())
    let body = try #require(bench.callbacks.calls.first?.body)
    let result = try JSONDecoder().decode(JobResult.self, from: Data(body))
    #expect(result.status == .dead && result.manifest == nil && result.reason?.contains("could not connect") == true)
    #expect(result.codes == [.fetchFailed])
  }

  @Test("a callback that an older version queued, on many lines, is still sent")
  func readsOlder() throws {
    let result = JobResult(dead: "a", reason: "why", attempts: 5, endedAt: "2026-11-30T00:00:00Z")
    let lease = Lease(id: "a", body: [], attempt: 1, token: 1, addedAt: 1_764_500_000)
    let callback = Callback(to: "https://example.com/ready", result, of: lease)
    let older = Lease(id: callback.id, body: try encoded(callback), attempt: 1, token: 1, addedAt: 1_764_500_000)
    #expect(older.body.contains(UInt8(ascii: "\n")))
    #expect(try Callback(job: older) == callback)
  }

  @Test("without a secret, a job that asks for a callback is rejected, not left without")
  func needsSecret() async throws {
    let bench = try await WorkerBench()
    try await bench.add("a", callback: "https://example.com/ready")
    let worker = Worker(queue: bench.queue, work: bench.work)
    let run = Task { await worker.run() }
    #expect(try await wait { !bench.work.published("a").isEmpty })
    await worker.drain()
    _ = await run.value
    let rejection = bench.work.published("a").first?.rejections.first
    #expect(rejection?.reason.code == .invalidJob)
    #expect(rejection?.source == "https://example.com/a.jpg")
  }

  @Test("messages are signed as Standard Webhooks' own example is")
  func signs() throws {
    let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    let signature = secret.signature(
      ofMessage: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330, Array(#"{"test": 2432232314}"#.utf8))
    #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test("a file has a secret on each line, and all of them sign")
  func readsSecrets() throws {
    let text = "# new\nwhsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n\nwhsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
    #expect(try WebhookSecret.secrets(inText: text).count == 2)
  }

  @Test(
    "what is no secret is refused, without saying what it is",
    arguments: ["", "# nothing", "hunter2hunter2hunter2hunter2", "whsec_!!!", "whsec_c2hvcnQ="])
  func refusesSecrets(text: String) {
    do {
      _ = try WebhookSecret.secrets(inText: text)
      Issue.record("it was accepted")
    } catch {
      #expect(!error.message.contains("hunter2") && !error.message.contains("c2hvcnQ"))
    }
  }
}
