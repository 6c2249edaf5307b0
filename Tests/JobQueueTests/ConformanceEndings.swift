import JobQueue
import Testing

func checkCompleting(_ test: QueueUnderTest) async throws {
  try await test.queue.add("a")
  let result = Array(#"{"status":"ready","location":"manifests/a.json"}"#.utf8)
  try await test.queue.complete(try await test.queue.next(), result: result)
  #expect(try await test.queue.state(of: "a") == .completed(result: result))
  #expect(try await test.queue.lease(1, seconds: longLease, wait: 0.2).isEmpty)
  #expect(try await test.queue.status() == QueueStatus(ready: 0, delayed: 0, leased: 0, dead: 0))
}

func checkExtending(_ test: QueueUnderTest) async throws {
  let other = try await test.openAgain()
  try await test.queue.add("a", "b")
  let leases = [try await test.queue.next(seconds: 2), try await test.queue.next(seconds: 2)]
  #expect(try await test.queue.extend(leases, seconds: longLease) == [])
  #expect(try await test.queue.extend([], seconds: longLease) == [])
  #expect(try await other.lease(2, seconds: longLease, wait: 4).isEmpty)
  for lease in leases { try await test.queue.complete(lease, result: []) }
  await other.close()
}

func checkLosing(_ test: QueueUnderTest) async throws {
  let other = try await test.openAgain()
  try await test.queue.add("a")
  var last = try await test.queue.next(seconds: 1)
  for attempt in 2...3 {
    let lease = try await other.next(seconds: 1)
    #expect(lease.id == "a")
    #expect(lease.body == last.body)
    #expect(lease.attempt == attempt)
    #expect(lease.token > last.token)
    last = lease
  }
  await other.close()
}

func checkFencing(_ test: QueueUnderTest) async throws {
  let other = try await test.openAgain()
  let queue = test.queue
  try await queue.add("a")
  let lost = try await queue.next(seconds: 1)
  let held = try await other.next()
  for user in [queue, other] {
    #expect(try await user.extend([lost], seconds: longLease) == [lost])
    await #expect(throws: QueueFailure.leaseLost(id: "a")) { try await user.complete(lost, result: [1]) }
    await #expect(throws: QueueFailure.leaseLost(id: "a")) { try await user.retry(lost, after: 0, reason: "") }
    await #expect(throws: QueueFailure.leaseLost(id: "a")) { try await user.release(lost) }
    await #expect(throws: QueueFailure.leaseLost(id: "a")) { try await user.bury(lost, reason: "") }
  }
  #expect(try await queue.state(of: "a") == .leased(attempt: 2))
  #expect(try await other.extend([held], seconds: longLease) == [])
  try await other.complete(held, result: [2])
  await #expect(throws: QueueFailure.leaseLost(id: "a")) { try await queue.complete(lost, result: [1]) }
  #expect(try await queue.state(of: "a") == .completed(result: [2]))
  await other.close()
}

func checkEndingOnce(_ test: QueueUnderTest) async throws {
  let queue = test.queue
  try await queue.add("completed", "buried", "released")
  var leases: [String: Lease] = [:]
  for _ in 0..<3 {
    let lease = try await queue.next()
    leases[lease.id] = lease
  }
  let completed = try #require(leases["completed"])
  let buried = try #require(leases["buried"])
  let released = try #require(leases["released"])

  try await queue.complete(completed, result: [1])
  try await queue.complete(completed, result: [1])
  await #expect(throws: QueueFailure.leaseLost(id: "completed")) { try await queue.release(completed) }
  await #expect(throws: QueueFailure.leaseLost(id: "completed")) { try await queue.bury(completed, reason: "") }
  #expect(try await queue.extend([completed], seconds: 1) == [completed])
  #expect(try await queue.state(of: "completed") == .completed(result: [1]))

  try await queue.bury(buried, reason: "no good")
  try await queue.bury(buried, reason: "no good")
  await #expect(throws: QueueFailure.leaseLost(id: "buried")) { try await queue.complete(buried, result: []) }
  #expect(try await queue.dead(limit: 10).map(\.id) == ["buried"])

  try await queue.release(released)
  await #expect(throws: QueueFailure.leaseLost(id: "released")) { try await queue.complete(released, result: []) }
  #expect(try await queue.extend([released], seconds: 1) == [released])
  #expect(try await queue.next().id == "released")
}

func checkRetrying(_ test: QueueUnderTest) async throws {
  try await test.queue.add("a")
  let first = try await test.queue.next()
  let start = ContinuousClock.now
  try await test.queue.retry(first, after: 3, reason: "the origin answered 503")
  #expect(try await test.queue.state(of: "a") == .waiting(attempts: 1))
  let second = try await test.queue.next()
  #expect(ContinuousClock.now - start > .milliseconds(2_500))
  #expect(second.id == "a")
  #expect(second.attempt == 2)
  #expect(second.token > first.token)
  #expect(second.body == first.body)
}

func checkRetryingAtOnce(_ test: QueueUnderTest) async throws {
  try await test.queue.add("a")
  for attempt in 1...5 {
    let lease = try await test.queue.next()
    #expect(lease.attempt == attempt)
    try await test.queue.retry(lease, after: 0, reason: "again")
  }
}

func checkReleasing(_ test: QueueUnderTest) async throws {
  let other = try await test.openAgain()
  try await test.queue.add("a")
  var last: UInt64 = 0
  for _ in 0..<3 {
    let lease = try await test.queue.next()
    #expect(lease.attempt == 1)
    #expect(lease.token > last)
    last = lease.token
    try await test.queue.release(lease)
    #expect(try await test.queue.state(of: "a") == .waiting(attempts: 0))
  }
  let retried = try await other.next()
  try await other.retry(retried, after: 0, reason: "again")
  let second = try await other.next()
  #expect(second.attempt == 2)
  try await other.release(second)
  #expect(try await test.queue.next().attempt == 2)
  await other.close()
}

func checkReleasingForLater(_ test: QueueUnderTest) async throws {
  try await test.queue.add("a")
  let first = try await test.queue.next()
  let start = ContinuousClock.now
  try await test.queue.release(first, after: 3)
  #expect(try await test.queue.state(of: "a") == .waiting(attempts: 0))
  let second = try await test.queue.next()
  #expect(ContinuousClock.now - start > .milliseconds(2_500))
  #expect(second.attempt == 1)
  #expect(second.token > first.token)
  #expect(second.body == first.body)
}

func checkBurying(_ test: QueueUnderTest) async throws {
  let queue = test.queue
  try await queue.add("a")
  let before = secondsSince1970()
  try await queue.retry(try await queue.next(), after: 0, reason: "the origin answered 503")
  try await queue.retry(try await queue.next(), after: 0, reason: "it\nanswered\n502")
  let last = try await queue.next()
  try await queue.bury(last, reason: "it answered 500")
  let letters = try await queue.dead(limit: 10)
  let letter = try #require(letters.first)
  #expect(letters.count == 1)
  #expect(letter.id == "a")
  #expect(letter.body == last.body)
  #expect(letter.attempts == 3)
  let reason = "attempt 1: the origin answered 503\nattempt 2: it answered 502\nattempt 3: it answered 500"
  #expect(letter.reason == reason)
  #expect(abs(letter.buriedAt - before) < 3_600)
  #expect(try await queue.state(of: "a") == .dead(reason: reason))
  #expect(try await queue.lease(1, seconds: longLease, wait: 0.2).isEmpty)
}
