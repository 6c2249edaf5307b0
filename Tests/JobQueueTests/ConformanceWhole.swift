import JobQueue
import Testing

func checkStatus(_ test: QueueUnderTest) async throws {
  let queue = test.queue
  try await queue.check()
  #expect(try await queue.status() == QueueStatus(ready: 0, delayed: 0, leased: 0, dead: 0))
  try await queue.add("dead", "delayed", "leased", "completed")
  for _ in 0..<4 {
    let lease = try await queue.next()
    switch lease.id {
    case "dead": try await queue.bury(lease, reason: "no")
    case "delayed": try await queue.retry(lease, after: 3_000, reason: "later")
    case "completed": try await queue.complete(lease, result: [])
    default: break
    }
  }
  try await queue.add("ready 1", "ready 2")
  var status = try await queue.status()
  #expect(status.oldestReadySeconds ?? 0 >= 0 && status.oldestReadySeconds ?? 0 < 3_600)
  status.oldestReadySeconds = nil
  #expect(status == QueueStatus(ready: 2, delayed: 1, leased: 1, dead: 1))
}

func checkStates(_ test: QueueUnderTest) async throws {
  let queue = test.queue
  #expect(try await queue.state(of: "a") == nil)
  try await queue.add("a")
  #expect(try await queue.state(of: "a") == .waiting(attempts: 0))
  let first = try await queue.next()
  #expect(try await queue.state(of: "a") == .leased(attempt: 1))
  try await queue.retry(first, after: 0, reason: "again")
  #expect(try await queue.state(of: "a") == .waiting(attempts: 1))
  let second = try await queue.next()
  #expect(try await queue.state(of: "a") == .leased(attempt: 2))
  try await queue.bury(second, reason: "no")
  #expect(try await queue.state(of: "a") == .dead(reason: "attempt 1: again\nattempt 2: no"))
  _ = try await queue.revive(["a"])
  #expect(try await queue.state(of: "a") == .waiting(attempts: 0))
  try await queue.complete(try await queue.next(), result: [7])
  #expect(try await queue.state(of: "a") == .completed(result: [7]))
}

func checkReopening(_ test: QueueUnderTest) async throws {
  try await test.queue.add("dead", "leased", "completed", "retried")
  for _ in 0..<4 {
    let lease = try await test.queue.next()
    switch lease.id {
    case "dead": try await test.queue.bury(lease, reason: "no")
    case "retried": try await test.queue.retry(lease, after: 0, reason: "again")
    case "completed": try await test.queue.complete(lease, result: [1])
    default: break
    }
  }
  await test.queue.close()
  let queue = try await test.openAgain()
  #expect(try await queue.state(of: "leased") == .leased(attempt: 1))
  #expect(try await queue.state(of: "completed") == .completed(result: [1]))
  #expect(try await queue.dead(limit: 10).map(\.reason) == ["attempt 1: no"])
  let retried = try await queue.next()
  #expect(retried.id == "retried")
  #expect(retried.attempt == 2)
  for id in ["dead", "leased", "completed", "retried"] {
    #expect(try await queue.enqueue(NewJob(id: id, body: [])) == .known)
  }
  await queue.close()
}

/// Every third job is retried once, every tenth given back once.
func checkConcurrency(_ test: QueueUnderTest) async throws {
  let count = 300
  let other = try await test.openAgain()
  let completed = Shared<[String: Int]>([:])
  let released = Shared<Set<String>>([])
  try await withThrowingTaskGroup(of: Void.self) { group in
    for adder in 0..<4 {
      group.addTask {
        // Each is added by two of them.
        for number in 0..<count where number % 4 == adder || number % 4 == (adder + 1) % 4 {
          _ = try await test.queue.enqueue(NewJob(id: "\(number)", body: Array("\(number)".utf8)))
        }
      }
    }
    for worker in 0..<8 {
      let queue = worker % 2 == 0 ? test.queue : other
      group.addTask {
        while completed.value.count < count {
          for lease in try await queue.lease(3, seconds: longLease, wait: 0.2) {
            let number = try #require(Int(lease.id))
            if number % 10 == 0, released.change({ $0.insert(lease.id).inserted }) {
              try await queue.release(lease)
            } else if number % 3 == 0, lease.attempt == 1 {
              try await queue.retry(lease, after: 0, reason: "again")
            } else {
              try await queue.complete(lease, result: lease.body)
              completed.change { $0[lease.id, default: 0] += 1 }
            }
          }
        }
      }
    }
    try await group.waitForAll()
  }
  #expect(completed.value == Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", 1) }))
  #expect(try await test.queue.status() == QueueStatus(ready: 0, delayed: 0, leased: 0, dead: 0))
  await other.close()
}

func checkClosing(_ test: QueueUnderTest) async throws {
  let queue = test.queue
  let waiting = Task { try await queue.lease(1, seconds: longLease, wait: longTime) }
  try await Task.sleep(for: .milliseconds(200))
  await queue.close()
  await #expect(throws: QueueFailure.closed) { try await waiting.value }
  await #expect(throws: QueueFailure.closed) { try await queue.enqueue(NewJob(id: "a", body: [])) }
  await #expect(throws: QueueFailure.closed) { try await queue.lease(1, seconds: 1, wait: 0) }
  await #expect(throws: QueueFailure.closed) { try await queue.check() }
  await #expect(throws: QueueFailure.closed) { try await queue.status() }
  await queue.close()
}
