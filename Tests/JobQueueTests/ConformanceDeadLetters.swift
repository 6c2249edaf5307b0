import JobQueue
import TestSupport
import Testing

extension JobQueue {
  /// Adds jobs and buries each, in this order.
  fileprivate func addDead(_ ids: String...) async throws {
    for id in ids {
      try await add(id)
      let lease = try await next()
      try #require(lease.id == id)
      try await bury(lease, reason: "because of \(id)")
    }
  }
}

func checkListing(_ test: QueueUnderTest) async throws {
  #expect(try await test.queue.dead(limit: 10).isEmpty)
  try await test.queue.addDead("c", "a", "b")
  #expect(try await test.queue.dead(limit: 10).map(\.id) == ["c", "a", "b"])
  #expect(try await test.queue.dead(limit: 2).map(\.id) == ["c", "a"])
  #expect(try await test.queue.dead(limit: 0).isEmpty)
  #expect(try await test.queue.dead(limit: 10).map(\.reason).last == "attempt 1: because of b")
}

func checkLostWorkers(_ test: QueueUnderTest) async throws {
  try await test.queue.add("a")
  _ = try await test.queue.next(seconds: 1)
  try await test.queue.bury(try await test.queue.next(), reason: "enough")
  let letter = try #require(try await test.queue.dead(limit: 1).first)
  let lines = letter.reason.split(separator: "\n")
  #expect(letter.attempts == 2)
  #expect(lines.count == 2)
  #expect(lines.first?.hasPrefix("attempt 1: ") == true)
  #expect(lines.last == "attempt 2: enough")
}

func checkReviving(_ test: QueueUnderTest) async throws {
  let queue = test.queue
  try await queue.addDead("a", "b", "c")
  #expect(try await queue.revive(["b", "unknown"]) == 1)
  #expect(try await queue.revive(["b"]) == 0)
  #expect(try await queue.revive([]) == 0)
  #expect(try await queue.dead(limit: 10).map(\.id) == ["a", "c"])
  let lease = try await queue.next()
  #expect(lease.id == "b")
  #expect(lease.attempt == 1)
  #expect(lease.body == Array("{\"id\":\"b\"}".utf8))
  try await queue.bury(lease, reason: "once more")
  #expect(try await queue.dead(limit: 10).map(\.id) == ["a", "c", "b"])
  #expect(try await queue.dead(limit: 10).last?.reason.hasSuffix("attempt 1: once more") == true)
}

func checkRevivingAll(_ test: QueueUnderTest) async throws {
  #expect(try await test.queue.revive(nil) == 0)
  try await test.queue.addDead("a", "b", "c")
  #expect(try await test.queue.revive(nil) == 3)
  #expect(try await test.queue.dead(limit: 10).isEmpty)
  var ids: Set<String> = []
  for _ in 0..<3 { ids.insert(try await test.queue.next().id) }
  #expect(ids == ["a", "b", "c"])
}

func checkRevivingOnce(_ test: QueueUnderTest) async throws {
  let queue = test.queue
  let worker = try await test.openAgain()
  // More than any driver changes at once.
  let count = 1_200
  await withTaskGroup(of: Void.self) { group in
    for number in 0..<count { group.addTask { _ = try? await queue.enqueue(NewJob(id: "\(number)", body: [])) } }
  }
  let isOver = Shared(false)
  let buried = Shared(0)
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      while !isOver.value {
        let leases = try await worker.lease(100, seconds: longLease, wait: 0.1)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for lease in leases { group.addTask { try await worker.bury(lease, reason: "no") } }
          try await group.waitForAll()
        }
        buried.change { $0 += leases.count }
      }
    }
    group.addTask {
      defer { isOver.change { $0 = true } }
      #expect(await eventually { buried.value == count })
      let revived = try await queue.revive(nil)
      #expect(revived == count)
    }
    try await group.waitForAll()
  }
  await worker.close()
}

func checkPurgingDead(_ test: QueueUnderTest) async throws {
  try await test.queue.addDead("a", "b")
  try await test.queue.add("c")
  #expect(try await test.queue.purge(.dead) == 2)
  #expect(try await test.queue.purge(.dead) == 0)
  #expect(try await test.queue.dead(limit: 10).isEmpty)
  #expect(try await test.queue.state(of: "a") == nil)
  #expect(try await test.queue.next().id == "c")
  try await test.queue.add("a")
  #expect(try await test.queue.next().attempt == 1)
}

func checkPurgingWaiting(_ test: QueueUnderTest) async throws {
  let queue = test.queue
  try await queue.add("leased")
  let lease = try await queue.next()
  try await queue.add("delayed")
  try await queue.retry(try await queue.next(), after: 3_000, reason: "later")
  try await queue.add("ready")
  #expect(try await queue.purge(.waiting) == 2)
  #expect(try await queue.state(of: "delayed") == nil)
  #expect(try await queue.state(of: "ready") == nil)
  #expect(try await queue.lease(10, seconds: longLease, wait: 0).isEmpty)
  try await queue.complete(lease, result: [])
  try await queue.add("ready")
  #expect(try await queue.next().id == "ready")
}

func checkPurgingCompleted(_ test: QueueUnderTest) async throws {
  try await test.queue.add("a", "b")
  for _ in 0..<2 { try await test.queue.complete(try await test.queue.next(), result: []) }
  #expect(try await test.queue.purge(.completed) == 2)
  #expect(try await test.queue.state(of: "a") == nil)
  try await test.queue.add("a")
  #expect(try await test.queue.next().attempt == 1)
}
