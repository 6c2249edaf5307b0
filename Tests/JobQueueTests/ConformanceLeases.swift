import FoundationEssentials
import JobQueue
import Testing

/// Long enough for anything that is going to happen to have happened, in seconds.
let longTime = 60.0
/// For leases that must not run out while a test runs, in seconds.
let longLease = 600.0

extension JobQueue {
  /// Adds jobs with a document each.
  func add(_ ids: String...) async throws {
    for id in ids { #expect(try await enqueue(NewJob(id: id, body: Array("{\"id\":\"\(id)\"}".utf8))) == .added) }
  }

  /// Leases the next job, which has to be there.
  func next(seconds: Double = longLease, wait: Double = longTime) async throws -> Lease {
    try #require(try await lease(1, seconds: seconds, wait: wait).first)
  }
}

func checkHandingOut(_ test: QueueUnderTest) async throws {
  let body = Array(#"{"id":"a","sources":["https://example.com/ä.jpg"]}"#.utf8) + [0, 255]
  #expect(try await test.queue.enqueue(NewJob(id: "a", body: body)) == .added)
  let lease = try await test.queue.next()
  #expect(lease.id == "a")
  #expect(lease.body == body)
  #expect(lease.attempt == 1)
  #expect(abs(lease.addedAt - Date.now.timeIntervalSince1970) < longTime)
  #expect(try await test.queue.lease(1, seconds: longLease, wait: 0).isEmpty)
  try await test.queue.retry(lease, after: 0, reason: "to see it again")
  #expect(try await test.queue.next().addedAt == lease.addedAt)
}

func checkKnownIds(_ test: QueueUnderTest) async throws {
  let queue = test.queue
  let again = NewJob(id: "a", body: [1, 2, 3])
  try await queue.add("a")
  #expect(try await queue.enqueue(again) == .known)
  let first = try await queue.next()
  #expect(try await queue.enqueue(again) == .known)
  try await queue.bury(first, reason: "why not")
  #expect(try await queue.enqueue(again) == .known)
  #expect(try await queue.revive(["a"]) == 1)
  let second = try await queue.next()
  #expect(second.body == first.body, "the document is that of the first")
  try await queue.complete(second, result: [])
  #expect(try await queue.enqueue(again) == .known)
  #expect(try await queue.lease(1, seconds: longLease, wait: 0).isEmpty)
}

func checkOddIds(_ test: QueueUnderTest) async throws {
  let ids = [
    "a", "A", "a/b", "a%2Fb", ".", "..", "a.b", "*", ">", "a.>", "$JS", " ", "a ", "\u{0}", "a\u{0}b", "a\n", "é",
    "e\u{301}", "🙂", "'; DROP TABLE job; --", String(repeating: "x", count: NewJob.maximumIdBytes),
    String(repeating: "x", count: NewJob.maximumIdBytes - 1), String(repeating: "ß", count: NewJob.maximumIdBytes / 2),
  ]
  for id in ids {
    let added = try await test.queue.enqueue(NewJob(id: id, body: Array(id.utf8)))
    #expect(added == .added, "\(id.debugDescription)")
  }
  var found: [[UInt8]] = []
  while found.count < ids.count {
    let leases = try await test.queue.lease(100, seconds: longLease, wait: longTime)
    try #require(!leases.isEmpty)
    for lease in leases {
      #expect(Array(lease.id.utf8) == lease.body)
      found.append(lease.body)
      try await test.queue.complete(lease, result: lease.body)
    }
  }
  #expect(Set(found) == Set(ids.map { Array($0.utf8) }) && found.count == ids.count)
  for id in ids {
    let state = try await test.queue.state(of: id)
    #expect(state == .completed(result: Array(id.utf8)), "\(id.debugDescription)")
  }
}

func checkRefusals(_ test: QueueUnderTest) async throws {
  let jobs = [
    NewJob(id: "", body: []), NewJob(id: String(repeating: "x", count: NewJob.maximumIdBytes + 1), body: []),
    NewJob(id: "a", body: [UInt8](repeating: 32, count: NewJob.maximumBodyBytes + 1)),
    NewJob(id: "a", body: [], deadline: .nan),
  ]
  for job in jobs {
    let failure = await #expect(throws: QueueFailure.self) { try await test.queue.enqueue(job) }
    guard case .refused = failure else {
      Issue.record("\(failure.debugDescription)")
      continue
    }
  }
  #expect(try await test.queue.status().ready == 0)
}

func checkLargeDocuments(_ test: QueueUnderTest) async throws {
  let large = (0..<NewJob.maximumBodyBytes).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
  for (id, body) in [("large", large), ("empty", [])] {
    #expect(try await test.queue.enqueue(NewJob(id: id, body: body)) == .added)
    let lease = try await test.queue.next()
    #expect(lease.id == id)
    #expect(lease.body == body)
    try await test.queue.bury(lease, reason: "no")
    #expect(try await test.queue.dead(limit: 10).last?.body == body)
  }
}

func checkCount(_ test: QueueUnderTest) async throws {
  try await test.queue.add("1", "2", "3", "4", "5")
  #expect(try await test.queue.lease(0, seconds: longLease, wait: 0).isEmpty)
  var ids: [String] = []
  for _ in 0..<50 where ids.count < 5 {
    let leases = try await test.queue.lease(2, seconds: longLease, wait: 1)
    #expect(leases.count <= 2)
    ids += leases.map(\.id)
  }
  #expect(ids.sorted() == ["1", "2", "3", "4", "5"])
}

func checkEmptyQueue(_ test: QueueUnderTest) async throws {
  #expect(try await test.queue.lease(1, seconds: longLease, wait: 0).isEmpty)
  let start = ContinuousClock.now
  #expect(try await test.queue.lease(1, seconds: longLease, wait: 0.5).isEmpty)
  #expect(ContinuousClock.now - start > .milliseconds(400))
}

func checkWaking(_ test: QueueUnderTest) async throws {
  let other = try await test.openAgain()
  for id in ["a", "b"] {
    async let lease = test.queue.next()
    try await Task.sleep(for: .milliseconds(300))
    try await other.add(id)
    let start = ContinuousClock.now
    #expect(try await lease.id == id)
    #expect(ContinuousClock.now - start < .seconds(longTime / 2), "it was not woken")
  }
  await other.close()
}

func checkSharing(_ test: QueueUnderTest) async throws {
  let others = [test.queue, try await test.openAgain(), try await test.openAgain()]
  let count = 200
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<count { group.addTask { try await test.queue.add("\(number)") } }
    try await group.waitForAll()
  }
  let found = Shared<[String]>([])
  try await withThrowingTaskGroup(of: Void.self) { group in
    for worker in 0..<12 {
      group.addTask {
        while found.value.count < count {
          let leases = try await others[worker % 3].lease(1 + worker % 4, seconds: longLease, wait: 0.2)
          found.change { $0 += leases.map(\.id) }
        }
      }
    }
    try await group.waitForAll()
  }
  #expect(found.value.sorted() == (0..<count).map(String.init).sorted())
  for other in others.dropFirst() { await other.close() }
}

func checkDeadlines(_ test: QueueUnderTest) async throws {
  guard test.ordersByDeadline else { return }
  let now = secondsSince1970()
  let jobs: [(String, Double?)] = [
    ("never 1", nil), ("in 20 minutes", now + 1200), ("never 2", nil), ("in 5 minutes", now + 300), ("past", now - 10),
    ("in 20 minutes too", now + 1200),
  ]
  for (id, deadline) in jobs { _ = try await test.queue.enqueue(NewJob(id: id, body: [], deadline: deadline)) }
  var ids: [String] = []
  while ids.count < jobs.count { ids += try await test.queue.lease(4, seconds: longLease, wait: longTime).map(\.id) }
  #expect(ids == ["past", "in 5 minutes", "in 20 minutes", "in 20 minutes too", "never 1", "never 2"])
}

func checkCancellation(_ test: QueueUnderTest) async throws {
  let start = ContinuousClock.now
  let task = Task { try await test.queue.lease(1, seconds: longLease, wait: longTime) }
  try await Task.sleep(for: .milliseconds(200))
  task.cancel()
  #expect(try await task.value.isEmpty)
  #expect(ContinuousClock.now - start < .seconds(longTime / 2))
  try await test.queue.add("a")
  #expect(try await test.queue.next().id == "a", "the one who stopped waiting got the job")
}
