import JobQueue
import Testing

@testable import Pipeline

@Suite struct OriginGateTests {
  @Test("an origin has its share, whoever comes then waits in line")
  func keepsShare() async throws {
    let gate = OriginGate(places: 8, maximumLine: 2)
    for _ in 1...6 { #expect(try await gate.enter("a") == .enter) }
    let third = Task { try await gate.enter("a") }
    #expect(try await wait { gate.waiting == 1 })
    #expect(try await gate.enter("b") == .enter)
    // One place for each of the two was too many while "b" had none.
    for _ in 1...2 { gate.leave("a") }
    #expect(try await third.value == .enter)
    #expect(gate.waiting == 0)
  }

  @Test("what finds the line full is set aside, for no longer than the origin has been known")
  func setsAside() async throws {
    let gate = OriginGate(places: 4, maximumLine: 1)
    let start = ContinuousClock.now
    for _ in 1...3 { #expect(try await gate.enter("a") == .enter) }
    let waiting = Task { try await gate.enter("a") }
    #expect(try await wait { gate.waiting == 1 })
    guard case .setAside(let seconds) = try await gate.enter("a") else {
      Issue.record("it was let in")
      return
    }
    #expect(0.2...300 ~= seconds)
    #expect(seconds <= max(0.2, (.now - start) / .seconds(1)))
    gate.close()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("any number of slow origins leaves room for one more, and what they leave goes to whoever waits")
  func manyOrigins() async throws {
    let gate = OriginGate(places: 100, maximumLine: 1000)
    var waiting = 0
    for (origin, places) in [("a", 75), ("b", 18), ("c", 5), ("d", 1)] {
      for _ in 1...100 { Task { try await gate.enter(origin) } }
      waiting += 100 - places
      #expect(try await wait { gate.waiting == waiting })
      try await Task.sleep(for: .milliseconds(20))
      #expect(gate.waiting == waiting, "\(origin)")
    }
    for _ in 1...100 { gate.leave("a") }
    // The 25 of its own, and the others in most of what it had.
    #expect(gate.waiting < waiting - 25 - 50)
    gate.close()
  }

  @Test("however few places there are, another origin gets the next one", arguments: [1, 2, 3, 4, 5])
  func fewPlaces(_ places: Int) async throws {
    let gate = OriginGate(places: places, maximumLine: 100)
    for _ in 1...10 { Task { if try await gate.enter("slow") == .enter { try await Task.sleep(for: .seconds(3600)) } } }
    let inLine = 10 - max(1, places == 2 ? 1 : 3 * places / 4)
    #expect(try await wait { gate.waiting == inLine })
    let other = Task { try await gate.enter("other") }
    // With a single place, one has to leave first.
    if places == 1 {
      #expect(try await wait { gate.waiting == inLine + 1 })
      gate.leave("slow")
    }
    #expect(try await other.value == .enter)
    gate.leave("other")
    gate.close()
  }

  @Test("origins with nobody at them are forgotten, also those that found no place")
  func forgets() async throws {
    let gate = OriginGate(places: 1, maximumLine: 1)
    #expect(try await gate.enter("a") == .enter)
    let waiting = Task { try await gate.enter("b") }
    #expect(try await wait { gate.waiting == 1 })
    for number in 1...100 { #expect(try await gate.enter("\(number)") == .setAside(0.2)) }
    #expect(gate.origins == 2)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    gate.leave("a")
    #expect(gate.origins == 0)
  }

  @Test("who gives up leaves the line, and the next one goes on")
  func giveUp() async throws {
    let gate = OriginGate(places: 1, maximumLine: 5)
    #expect(try await gate.enter("a") == .enter)
    let first = Task { try await gate.enter("a") }
    #expect(try await wait { gate.waiting == 1 })
    let second = Task { try await gate.enter("a") }
    #expect(try await wait { gate.waiting == 2 })
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    gate.leave("a")
    #expect(try await second.value == .enter)
  }

  @Test("a slow origin leaves places for the jobs behind it, however many its own are")
  func leavesRoom() async throws {
    let work = FakeWork { job, _ in
      if job.id.hasPrefix("slow") { try await Task.sleep(for: .seconds(3600)) }
      return ready(job)
    }
    let bench = try await WorkerBench(work) { configuration in
      configuration.jobs = 8
      configuration.grace = 0.5
    }
    for number in 1...100 { try await bench.add("slow\(number)", sources: ["https://slow.example.com/\(number)"]) }
    for number in 1...20 { try await bench.add("quick\(number)", sources: ["https://\(number).example.com/"]) }
    #expect(try await bench.run { work.publishedIDs.count == 20 })
    #expect(work.mostInWork <= 8)
    for number in 1...100 { #expect(try await bench.queue.state(of: "slow\(number)") == .waiting(attempts: 0)) }
  }
}
