import Pipeline
import Synchronization
import Testing

@Suite struct SingleFlightTests {
  let flights = SingleFlight<String, Int>()

  /// Work that counts how often it was begun, and ends when it is let go.
  private final class Work: Sendable {
    let begun = Atomic(0)
    let cancelled = Atomic(0)
    private let gate = AsyncStream<Void>.makeStream()

    func run(_ result: Int = 7) async throws -> Int {
      begun.add(1, ordering: .relaxed)
      for await _ in gate.stream { break }
      if Task.isCancelled {
        cancelled.add(1, ordering: .relaxed)
        throw CancellationError()
      }
      return result
    }

    func letGo() { gate.continuation.finish() }
    var beginnings: Int { begun.load(ordering: .relaxed) }
    var cancellations: Int { cancelled.load(ordering: .relaxed) }
  }

  private struct Fault: Error, Equatable {}

  private func until(_ condition: () -> Bool) async throws {
    for _ in 0..<12_000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
    try #require(condition())
  }

  @Test("ten thousand who ask at the same moment share one piece of work")
  func shared() async throws {
    let work = Work()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<10_000 {
        group.addTask { try await flights.value(for: "a") { try await work.run() } }
      }
      try await until { flights.waiting(for: "a") == 10_000 }
      work.letGo()
      for try await value in group { #expect(value == 7) }
    }
    #expect(work.beginnings == 1)
    #expect(flights.waiting(for: "a") == 0)
  }

  @Test("keys do not share, and what has ended is done anew")
  func separate() async throws {
    let count = Atomic(0)
    for key in ["a", "b", "a"] {
      let value = try await flights.value(for: key) { count.add(1, ordering: .relaxed).newValue }
      #expect(value == count.load(ordering: .relaxed))
    }
    #expect(count.load(ordering: .relaxed) == 3)
  }

  @Test("all who wait get the same error, and the next one tries again")
  func errors() async throws {
    let work = Work()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await #expect(throws: Fault()) {
            _ = try await flights.value(for: "a") {
              _ = try await work.run()
              throw Fault()
            }
          }
        }
      }
      try? await until { flights.waiting(for: "a") == 100 }
      work.letGo()
    }
    #expect(work.beginnings == 1)
    #expect(try await flights.value(for: "a") { 1 } == 1)
  }

  @Test("who gives up leaves the work to the others, be it who began it", arguments: [0, 1])
  func oneLeaves(leaver: Int) async throws {
    let work = Work()
    var tasks: [Task<Int, any Error>] = []
    for number in 0..<2 {
      tasks.append(Task { try await flights.value(for: "a") { try await work.run() } })
      try await until { flights.waiting(for: "a") == number + 1 }
    }
    tasks[leaver].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[leaver].value }
    #expect(work.cancellations == 0)
    work.letGo()
    #expect(try await tasks[1 - leaver].value == 7)
    #expect(work.beginnings == 1)
  }

  @Test("when the last one gives up the work is cancelled, and who comes then starts anew")
  func lastLeaves() async throws {
    let work = Work()
    let tasks = (0..<3).map { _ in Task { try await flights.value(for: "a") { try await work.run() } } }
    try await until { flights.waiting(for: "a") == 3 && work.beginnings == 1 }
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(flights.waiting(for: "a") == 0)
    #expect(try await flights.value(for: "a") { 3 } == 3)
    try await until { work.cancellations == 1 }
  }

  @Test("a task that was cancelled before starts nothing")
  func cancelledBefore() async throws {
    let work = Work()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await flights.value(for: "a") { try await work.run() }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(work.beginnings == 0)
  }

  @Test("joining and leaving at random loses nobody")
  func random() async throws {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<2_000 {
        group.addTask {
          let task = Task {
            try await flights.value(for: "\(number % 5)") {
              await Task.yield()
              return number % 5
            }
          }
          if number % 3 == 0 { task.cancel() }
          do {
            #expect(try await task.value == number % 5)
          } catch {
            #expect(error is CancellationError && number % 3 == 0)
          }
        }
      }
    }
    for key in 0..<5 { #expect(flights.waiting(for: "\(key)") == 0) }
  }
}
