import TestSupport
import Testing

@testable import JobQueue

@Suite struct SQLiteQueueClockTests {
  @Test("setting the clock forward ends no lease, and back keeps none", arguments: [86_400.0, -86_400])
  func leasesHaveASteadyClock(jump: Double) async throws {
    let (clock, queue, _) = try await makeQueue()
    try await queue.add("a")
    let lease = try await queue.next(seconds: 10)
    clock.advance(steady: 5, wall: jump)
    #expect(try await queue.lease(1, seconds: 10, wait: 0).isEmpty)
    #expect(try await queue.state(of: "a") == .leased(attempt: 1))
    clock.advance(steady: 6, wall: 0)
    #expect(try await queue.next(wait: 0).attempt == 2)
    #expect(try await queue.extend([lease], seconds: 1) == [lease])
    await queue.close()
  }

  @Test("a delay goes by the time of day, also over a restart of the machine")
  func delaysSurviveRestart() async throws {
    let (clock, queue, path) = try await makeQueue()
    try await queue.add("a")
    try await queue.retry(try await queue.next(), after: 100, reason: "later")
    await queue.close()
    clock.advance(steady: -500_000, wall: 50)
    let restarted = try await SQLiteQueue(path: path, options: QueueOptions(), clock: clock.clock(boot: "two"))
    #expect(try await restarted.lease(1, seconds: 10, wait: 0).isEmpty)
    clock.advance(steady: 0, wall: 51)
    #expect(try await restarted.next(wait: 0).attempt == 2)
    await restarted.close()
  }

  @Test("leases are void after a restart of the machine")
  func leasesEndWithTheMachine() async throws {
    let (clock, queue, path) = try await makeQueue()
    try await queue.add("a")
    _ = try await queue.next(seconds: 1_000)
    await queue.close()
    clock.advance(steady: -500_000, wall: 50)
    let restarted = try await SQLiteQueue(path: path, options: QueueOptions(), clock: clock.clock(boot: "two"))
    let lease = try await restarted.next(wait: 0)
    #expect(lease.attempt == 2)
    try await restarted.bury(lease, reason: "enough")
    #expect(
      try await restarted.dead(limit: 1).first?.reason == "attempt 1: the machine was restarted\nattempt 2: enough")
    await restarted.close()
  }

  @Test("completed jobs are forgotten after the time they are to be remembered")
  func forgetsOldOnes() async throws {
    let (clock, queue, _) = try await makeQueue()
    try await queue.add("a", "b")
    for _ in 0..<2 { try await queue.complete(try await queue.next(), result: []) }
    clock.advance(steady: 99, wall: 99)
    #expect(try await queue.enqueue(NewJob(id: "a", body: [])) == .known)
    clock.advance(steady: 2, wall: 2)
    #expect(try await queue.state(of: "a") == nil)
    try await queue.add("a")
    // The other one goes by itself as others are written.
    clock.advance(steady: 100, wall: 0)
    try await queue.complete(try await queue.next(), result: [])
    #expect(try await eventually { try await queue.purge(.completed) == 1 })
    await queue.close()
  }

  @Test("no more completed jobs are remembered than asked for")
  func forgetsTooMany() async throws {
    let (_, queue, _) = try await makeQueue(rememberedCount: 50)
    for number in 0..<200 {
      try await queue.add("\(number)")
      try await queue.complete(try await queue.next(), result: [])
    }
    #expect(try await queue.state(of: "0") == nil)
    #expect(try await queue.state(of: "199") == .completed(result: []))
    #expect((40...60).contains(try await queue.purge(.completed)))
    await queue.close()
  }

  @Test("jobs without a deadline go before those whose deadline is far away, and wait for those whose is near")
  func undatedJobsTakeTurns() async throws {
    let (clock, queue, _) = try await makeQueue()
    let now = clock.value.wall
    _ = try await queue.enqueue(NewJob(id: "undated", body: []))
    _ = try await queue.enqueue(NewJob(id: "tomorrow", body: [], deadline: now + 86_400))
    _ = try await queue.enqueue(NewJob(id: "soon", body: [], deadline: now + 60))
    #expect(try await queue.lease(3, seconds: 10, wait: 0).map(\.id) == ["soon", "undated", "tomorrow"])
    await queue.close()
  }

  @Test("the age of the oldest job that is due is known")
  func tellsAge() async throws {
    let (clock, queue, _) = try await makeQueue()
    try await queue.add("a")
    clock.advance(steady: 7, wall: 7)
    #expect(try await queue.status().oldestReadySeconds == 7)
    try await queue.retry(try await queue.next(), after: 10, reason: "later")
    #expect(try await queue.status() == QueueStatus(ready: 0, delayed: 1, leased: 0, dead: 0))
    clock.advance(steady: 13, wall: 13)
    #expect(try await queue.status() == QueueStatus(ready: 1, delayed: 0, leased: 0, dead: 0, oldestReadySeconds: 3))
    await queue.close()
  }

  @Test("a reason is one line of bounded length, and many of them do not grow without end")
  func boundsReasons() async throws {
    let (_, queue, _) = try await makeQueue()
    try await queue.add("a")
    let long = String(repeating: "x", count: 5_000)
    for _ in 0..<50 { try await queue.retry(try await queue.next(), after: 0, reason: "one\r\ntwo\0\(long)") }
    try await queue.bury(try await queue.next(), reason: long)
    let reason = try #require(try await queue.dead(limit: 1).first?.reason)
    #expect(reason.utf8.count < 30_000)
    #expect(reason.contains("attempt 50: one two x"))
    #expect(reason.split(separator: "\n").allSatisfy { $0.utf8.count < 1_100 })
    await queue.close()
  }

  private func makeQueue(
    rememberedCount: Int = 1_000
  ) async throws -> (clock: FakeClock, queue: SQLiteQueue, path: String) {
    let folder = try TemporaryFolder()
    let clock = FakeClock(folder: folder)
    var options = QueueOptions()
    options.rememberedSeconds = 100
    options.rememberedCount = rememberedCount
    let path = "\(folder.path)/jobs.sqlite"
    return (clock, try await SQLiteQueue(path: path, options: options, clock: clock.clock(boot: "one")), path)
  }
}

/// Clocks that stand still until they are set. Keeps the test's folder as long as it lives.
private final class FakeClock: Sendable {
  private let time = Shared(QueueTime(wall: 1_700_000_000, steady: 1_000_000))
  private let folder: TemporaryFolder

  init(folder: TemporaryFolder) {
    self.folder = folder
  }

  var value: QueueTime { time.value }

  func advance(steady: Double, wall: Double) {
    time.change {
      $0.steady += steady
      $0.wall += wall
    }
  }

  func clock(boot: String) -> QueueClock {
    QueueClock(now: { self.time.value }, boot: boot)
  }
}
