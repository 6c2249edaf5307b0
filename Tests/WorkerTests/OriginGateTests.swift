import JobQueue
import Testing

@testable import Pipeline

@Suite struct OriginGateTests {
  @Test("an origin has its share, whoever comes then waits in line")
  func keepsShare() async throws {
    let gate = OriginGate(share: 2, maximumLine: 2)
    #expect(try await gate.enter("a") == .enter)
    #expect(try await gate.enter("a") == .enter)
    let third = Task { try await gate.enter("a") }
    #expect(try await wait { gate.waiting == 1 })
    #expect(try await gate.enter("b") == .enter)
    gate.leave("a")
    #expect(try await third.value == .enter)
    #expect(gate.waiting == 0)
  }

  @Test("what finds the line full is set aside")
  func setsAside() async throws {
    let gate = OriginGate(share: 1, maximumLine: 1)
    #expect(try await gate.enter("a") == .enter)
    let waiting = Task { try await gate.enter("a") }
    #expect(try await wait { gate.waiting == 1 })
    guard case .setAside(let seconds) = try await gate.enter("a") else {
      Issue.record("it was let in")
      return
    }
    #expect(0.2...300 ~= seconds)
    #expect(try await gate.enter("b") == .enter)
    gate.close()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("who gives up leaves the line, and the next one goes on")
  func giveUp() async throws {
    let gate = OriginGate(share: 1, maximumLine: 5)
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
