import FoundationEssentials
import JobQueue
import RichPush
import Synchronization
import Testing

@testable import Pipeline

@Suite struct WorkerTests {
  @Test("a job ends with one manifest, and the queue has its status and location")
  func completes() async throws {
    let bench = try await WorkerBench()
    try await bench.add("order/1")
    #expect(try await bench.runToTheEnd())
    #expect(bench.work.published("order/1").map(\.status) == [.ready])
    guard case .completed(let json) = try await bench.queue.state(of: "order/1") else {
      Issue.record("the job is not complete")
      return
    }
    let result = try JSONDecoder().decode(JobResult.self, from: Data(json))
    #expect(result.status == .ready && result.manifest == "manifests/order/1.json" && result.attempts == 1)
    #expect(!json.contains(UInt8(ascii: "\n")))
    #expect(bench.events.contains { if case .finished("order/1", _, _, _) = $0 { true } else { false } })
  }

  @Test("a permanent rejection ends a job with a rejected manifest, at the first attempt")
  func rejects() async throws {
    let bench = try await WorkerBench(FakeWork { job, _ in manifest(job, attachments: 0, corrupt) })
    try await bench.add("a")
    #expect(try await bench.runToTheEnd())
    #expect(bench.work.published("a").map(\.status) == [.rejected])
    #expect(bench.work.attempts(at: "a") == 1)
  }

  @Test("what may pass is tried again, until it has passed")
  func retries() async throws {
    let bench = try await WorkerBench(
      FakeWork { job, attempt in attempt < 3 ? manifest(job, attachments: 0) : ready(job) })
    try await bench.add("a")
    #expect(try await bench.runToTheEnd())
    #expect(bench.work.attempts(at: "a") == 3)
    #expect(bench.work.published("a").map(\.status) == [.ready])
  }

  @Test("a job that exhausts its attempts is a dead letter with a reason for each, and has no manifest")
  func buries() async throws {
    let bench = try await WorkerBench(FakeWork { job, _ in manifest(job, attachments: 0) }) { $0.attempts = 3 }
    try await bench.add("a")
    #expect(try await bench.runToTheEnd())
    #expect(bench.work.published("a").isEmpty)
    let dead = try await bench.queue.dead(limit: 10)
    #expect(dead.map(\.id) == ["a"])
    #expect(dead.first?.reason.split(separator: "\n").count == 3)
    #expect(dead.first?.reason.contains("could not connect to example.com [fetch_failed]") == true)
    let buried = bench.events.contains { event in
      if case .buried("a", 3, _, [.fetchFailed]) = event { true } else { false }
    }
    #expect(buried)
  }

  @Test("a part of a job is better than nothing when its attempts are spent")
  func publishesParts() async throws {
    let bench = try await WorkerBench(FakeWork { job, _ in manifest(job, attachments: 1) }) { $0.attempts = 2 }
    try await bench.add("a", sources: ["https://example.com/a", "https://example.com/b"])
    #expect(try await bench.runToTheEnd())
    #expect(bench.work.published("a").map(\.status) == [.partial])
    #expect(bench.work.attempts(at: "a") == 2)
  }

  @Test("a job that has expired is not prepared")
  func expires() async throws {
    let bench = try await WorkerBench()
    try await bench.add("a", expiresIn: -60)
    #expect(try await bench.runToTheEnd())
    #expect(bench.work.attempts(at: "a") == 0)
    let rejection = try #require(bench.work.published("a").first?.rejections.first)
    #expect(rejection.source == "https://example.com/a.jpg")
    #expect(rejection.reason.code == .expired && rejection.reason.permanent)
    #expect(rejection.reason.message.hasSuffix(" s ago"), "\(rejection.reason.message)")
    let milliseconds = (rejection.reason.measured ?? 0) * 1000
    #expect(milliseconds >= 60_000 && abs(milliseconds - milliseconds.rounded()) < 1e-6)
  }

  @Test("a job that expired long ago is told so in words for people")
  func expiredLongAgo() async throws {
    let bench = try await WorkerBench()
    try await bench.add("a", expiresIn: -3 * 86_400 - 60)
    #expect(try await bench.runToTheEnd())
    #expect(
      bench.work.published("a").first?.rejections.first?.reason.message.hasSuffix("which was 3 days ago") == true)
  }

  @Test("a job that expires while it is prepared is given up")
  func expiresInWork() async throws {
    let bench = try await WorkerBench(
      FakeWork { job, _ in
        try await Task.sleep(for: .seconds(3600))
        return ready(job)
      })
    try await bench.add("a", expiresIn: 1.5)
    #expect(try await bench.runToTheEnd())
    #expect(bench.work.published("a").first?.rejections.first?.reason.code == .expired)
  }

  @Test("what cannot be read as a job is rejected with what is wrong with it")
  func rejectsGarbage() async throws {
    let bench = try await WorkerBench()
    _ = try await bench.queue.enqueue(NewJob(id: "a", body: Array("no JSON".utf8)))
    _ = try await bench.queue.enqueue(NewJob(id: "b", body: Array(#"{"id": "b", "source": "x"}"#.utf8)))
    _ = try await bench.queue.enqueue(NewJob(id: "c", body: Array(#"{"id": "d", "sources": ["https://x/"]}"#.utf8)))
    #expect(try await bench.runToTheEnd())
    let messages = ["a", "b", "c"].map { bench.work.published($0).first?.rejections.first?.reason.message ?? "" }
    #expect(messages[0].hasPrefix("the job is not JSON"))
    #expect(messages[1] == "source is not a known field; is “sources” meant?")
    #expect(messages[2] == "id is another one than the queue has")
  }

  @Test("at the end, what is in work is finished within the grace period")
  func drains() async throws {
    let bench = try await WorkerBench(
      FakeWork { job, _ in
        try await Task.sleep(for: .milliseconds(300))
        return ready(job)
      })
    for number in 1...5 { try await bench.add("\(number)") }
    let work = bench.work
    _ = try await bench.run { (1...5).allSatisfy { work.attempts(at: "\($0)") > 0 } }
    #expect(bench.work.publishedIDs.count == 5)
    #expect(bench.events.last == .drained(released: 0, abandoned: 0))
  }

  @Test("what does not end within the grace period is given back, and no attempt is spent")
  func givesBack() async throws {
    let bench = try await WorkerBench(
      FakeWork { job, _ in
        try await Task.sleep(for: .seconds(3600))
        return ready(job)
      }
    ) { $0.grace = 4 }
    for number in 1...3 { try await bench.add("\(number)") }
    let work = bench.work
    _ = try await bench.run { (1...3).allSatisfy { work.attempts(at: "\($0)") > 0 } }
    #expect(bench.events.last == .drained(released: 3, abandoned: 0))
    for number in 1...3 { #expect(try await bench.queue.state(of: "\(number)") == .waiting(attempts: 0)) }
  }

  @Test("a full store has the worker wait; then everything is done, and no attempt was spent")
  func waitsForStore() async throws {
    let bench = try await WorkerBench()
    bench.work.storeFault = diskFull
    for number in 1...20 { try await bench.add("\(number)") }
    _ = try await bench.run { [bench] in
      if bench.events.count(where: { if case .released = $0 { true } else { false } }) > 25 {
        bench.work.storeFault = nil
      }
      return bench.work.publishedIDs.count == 20
    }
    #expect(bench.work.publishedIDs.count == 20)
    #expect(bench.events.contains(.unavailable(.store, diskFull.message)))
    #expect(bench.events.contains { if case .available(.store, _) = $0 { true } else { false } })
    #expect(
      bench.events.allSatisfy { event in
        if case .finished(_, let result, _, _) = event { result.attempts == 1 } else { true }
      })
  }

  @Test("a job that alone cannot be stored spends its attempts")
  func doesNotWaitForOne() async throws {
    let bench = try await WorkerBench(
      FakeWork { job, _ in job.id == "poison" ? manifest(job, attachments: 0, diskFull) : ready(job) }
    ) { $0.attempts = 3 }
    try await bench.add("poison")
    for number in 1...20 { try await bench.add("\(number)") }
    #expect(try await bench.runToTheEnd())
    #expect(bench.work.publishedIDs.count == 20)
    #expect(try await bench.queue.dead(limit: 10).map(\.id) == ["poison"])
  }

  @Test("without helpers the worker waits, and no job suffers")
  func waitsForHelpers() async throws {
    let gone = Rejection.Reason(.decoderCrashed, at: .inspect, "no helper can be started", permanent: false)
    let isThere = Atomic(false)
    let bench = try await WorkerBench(
      FakeWork { job, _ in isThere.load(ordering: .relaxed) ? ready(job) : manifest(job, attachments: 0, gone) })
    bench.work.helperFault = gone.message
    for number in 1...5 { try await bench.add("\(number)") }
    let work = bench.work
    _ = try await bench.run {
      if work.attempts(at: "1") > 1 {
        isThere.store(true, ordering: .relaxed)
        work.helperFault = nil
      }
      return work.publishedIDs.count == 5
    }
    #expect(bench.work.publishedIDs.count == 5)
    #expect(bench.events.contains(.unavailable(.helpers, gone.message)))
  }

  @Test("helpers that are back are noticed while there are jobs, and all places are used again")
  func noticesHelpers() async throws {
    let bench = try await WorkerBench(FakeWork { job, _ in ready(job) })
    let worker = bench.worker
    await worker.failed(.helpers, "no helper can be started")
    for number in 1...200 { try await bench.add("\(number)") }
    #expect(
      try await bench.run { bench.events.contains { if case .available(.helpers, _) = $0 { true } else { false } } })
    #expect(!bench.work.publishedIDs.isEmpty)
  }

  @Test("a job whose manifest alone is refused spends its attempts")
  func doesNotWaitForOneManifest() async throws {
    let work = FakeWork()
    work.refusedManifests = ["poison"]
    let bench = try await WorkerBench(work) { $0.attempts = 3 }
    try await bench.add("poison")
    for number in 1...20 { try await bench.add("\(number)") }
    #expect(try await bench.runToTheEnd())
    #expect(bench.work.publishedIDs.count == 20)
    #expect(try await bench.queue.dead(limit: 10).map(\.id) == ["poison"])
  }

  @Test("a worker without a grace period gives its jobs back all the same")
  func givesBackAtOnce() async throws {
    let work = FakeWork { job, _ in
      try await Task.sleep(for: .seconds(3600))
      return ready(job)
    }
    let bench = try await WorkerBench(work) { $0.grace = 0 }
    for number in 1...3 { try await bench.add("\(number)") }
    _ = try await bench.run { (1...3).allSatisfy { work.attempts(at: "\($0)") > 0 } }
    for number in 1...3 { #expect(try await bench.queue.state(of: "\(number)") == .waiting(attempts: 0)) }
  }

  @Test("a queue that is gone for a while loses nothing that was done meanwhile")
  func waitsForQueue() async throws {
    let bench = try await WorkerBench()
    let queue = bench.queue
    let work = FakeWork { job, _ in
      queue.setGone(true)
      return ready(job)
    }
    var configuration = WorkerConfiguration()
    // However busy the machine is, none runs out.
    configuration.leaseSeconds = 600
    let worker = Worker(queue: queue, work: work, configuration: configuration)
    for number in 1...3 { try await bench.add("\(number)") }
    let run = Task { await worker.run() }
    #expect(try await wait { work.publishedIDs.count == 3 })
    try await Task.sleep(for: .milliseconds(300))
    queue.setGone(false)
    #expect(try await wait { try await queue.status().leased == 0 })
    await worker.drain()
    _ = await run.value
    for number in 1...3 {
      guard case .completed = try await queue.state(of: "\(number)") else {
        Issue.record("job \(number) is not complete")
        continue
      }
      #expect(work.published("\(number)").count == 1)
    }
  }

  @Test("whoever lost the lease publishes nothing")
  func isFenced() async throws {
    let bench = try await WorkerBench()
    let queue = bench.queue
    let isStolen = Atomic(false)
    let work = FakeWork { job, _ in
      // No heartbeat gets through, and somebody else takes and ends the job.
      queue.setGone(true)
      #expect(try await wait { try await queue.status().ready == 1 })
      queue.setGone(false)
      let stolen = try await queue.lease(1, seconds: 60, wait: 1)
      #expect(stolen.count == 1)
      for lease in stolen { try await queue.complete(lease, result: Array("{}".utf8)) }
      isStolen.store(true, ordering: .relaxed)
      return ready(job)
    }
    var configuration = WorkerConfiguration()
    configuration.leaseSeconds = 1
    // The worker itself must not take it again.
    configuration.jobs = 1
    let worker = Worker(queue: queue, work: work, configuration: configuration)
    try await bench.add("a")
    let run = Task { await worker.run() }
    #expect(try await wait { isStolen.load(ordering: .relaxed) })
    await worker.drain()
    _ = await run.value
    #expect(work.published("a").isEmpty)
  }

  @Test(
    "a job whose worker died after publishing ends with that manifest, unless it is that of an earlier job of its id",
    arguments: [0.0, -3600])
  func completesForTheDead(preparedAfterAdding seconds: Double) async throws {
    let work = FakeWork { job, _ in manifest(job, attachments: 0) }
    let bench = try await WorkerBench(work) { $0.attempts = 2 }
    try await bench.add("a")
    let dead = try #require(try await bench.queue.lease(1, seconds: 0.05, wait: 5).first)
    let time = Date(timeIntervalSince1970: dead.addedAt + seconds).formatted(.iso8601)
    let job = Job(id: "a", sources: [JobSource(.url("https://example.com/a.jpg"))])
    _ = try await work.publish(manifest(job, attachments: 1, preparedAt: time))
    #expect(try await bench.runToTheEnd())
    // The worker at hand could only have buried it.
    #expect(work.published("a").map(\.status) == Array(repeating: .ready, count: seconds < 0 ? 1 : 2))
    #expect(try await bench.queue.dead(limit: 1).isEmpty == (seconds >= 0))
    #expect(work.attempts(at: "a") == (seconds < 0 ? 1 : 0))
  }

  @Test("a job that was handed out again and again without an end is a dead letter")
  func buriesKillers() async throws {
    let bench = try await WorkerBench { $0.attempts = 1 }
    try await bench.add("a")
    for _ in 1...4 {
      let leases = try await bench.queue.lease(1, seconds: 0.05, wait: 5)
      #expect(leases.count == 1)
      try await Task.sleep(for: .milliseconds(60))
    }
    #expect(try await bench.runToTheEnd())
    #expect(bench.work.attempts(at: "a") == 0)
    #expect(try await bench.queue.dead(limit: 1).first?.reason.contains("handed out 4 times") == true)
  }
}
