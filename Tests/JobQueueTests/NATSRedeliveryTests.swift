import Synchronization
import TestSupport
import Testing

@testable import JobQueue

/// What becomes of jobs when servers and connections do what they rarely do.
@Suite(.enabled(if: NATSServers.isInstalled, "nats-server is not installed"))
struct NATSRedeliveryTests {
  private static func open(
    _ servers: NATSServers, patience: Double = 5, _ change: (inout QueueOptions) -> Void = { _ in }
  ) async throws -> NATSQueue {
    var options = QueueOptions()
    options.nats.patienceSeconds = patience
    change(&options)
    return try await NATSQueue("nats://\(servers.addresses)/jobs", options: options)
  }

  /// The server's name for the delivery of a lease.
  private static func delivery(_ lease: Lease, in queue: NATSQueue) throws -> NATSDelivery {
    try #require(queue.held.withLock { $0[lease.token] }?.delivery)
  }

  @Test("a question that is not answered costs no lease but its own")
  func extendsTheOthers() async throws {
    let servers = try await NATSServers(
      configuration: """
        authorization { users: [
          { user: all, password: x },
          { user: some, password: x, permissions: {
            publish: { deny: ["$JS.API.DIRECT.GET.jobs_endings.jobs.endings.2"] } } },
        ] }
        """)
    let worker = try await Self.open(servers, patience: 1) {
      $0.nats.ackWaitSeconds = 2
      $0.nats.credentials = .user("some", password: "x")
    }
    let other = try await Self.open(servers) { $0.nats.credentials = .user("all", password: "x") }
    try await worker.add("1", "2", "3", "4")
    let leases = try await worker.lease(4, seconds: 2, wait: 5)
    #expect(leases.count == 4)
    let failure = await #expect(throws: QueueFailure.self) { try await worker.extend(leases, seconds: 60) }
    // The server's own words belong to this failure alone.
    #expect(failure?.message.contains("it said:") == true)
    let lost = try await other.lease(10, seconds: 60, wait: 10)
    #expect(lost.map(\.id) == ["2"])
    #expect(try await other.lease(10, seconds: 60, wait: 1).isEmpty)
    for lease in leases where lease.id != "2" { try await worker.complete(lease, result: []) }
    await servers.freeze(0)
    let later = await #expect(throws: QueueFailure.self) { try await worker.status() }
    #expect(later?.message.contains("it said:") == false)
    servers.thaw(0)
    await worker.close()
    await other.close()
  }

  @Test("a job that the server hands out before its time loses no attempt, and comes when it is due", arguments: 1...2)
  func putsOff(spent: Int) async throws {
    let servers = try await NATSServers()
    let worker = try await Self.open(servers)
    let other = try await Self.open(servers)
    try await worker.add("a")
    let lease = try await worker.next()
    let reply = try Self.delivery(lease, in: worker).reply
    if spent == 1 {
      try await worker.release(lease, after: 4)
    } else {
      try await worker.retry(lease, after: 4, reason: "later")
    }
    // As a new leader of the consumer does, who does not know of the delay.
    for _ in 0..<3 {
      try worker.client.send(reply, data: Array("-NAK".utf8))
      #expect(try await other.lease(1, seconds: 60, wait: 0.5).isEmpty)
    }
    #expect(try await other.status() == QueueStatus(ready: 0, delayed: 1, leased: 0, dead: 0))
    let next = try #require(try await other.lease(1, seconds: 60, wait: 10).first)
    #expect(next.attempt == spent)
    #expect(next.token > lease.token)
    try await other.bury(next, reason: "no")
    let reason = try #require(try await other.dead(limit: 1).first?.reason)
    #expect(!reason.contains("ran out"), "\(reason)")
    await worker.close()
    await other.close()
  }

  @Test("a job about which no server answers is given back when one does, with no attempt spent")
  func keepsGivingBack() async throws {
    let servers = try await NATSServers()
    let queue = try await Self.open(servers, patience: 0.5)
    try await queue.add("a")
    try await queue.release(try await queue.next())
    // As the queue itself has it when its questions fail.
    let lease = try await queue.next()
    let delivery = try Self.delivery(lease, in: queue)
    #expect(delivery.deliveries == 2)
    queue.held.withLock { $0 = [:] }
    await servers.freeze(0)
    queue.keepGivingBack(delivery)
    try await Task.sleep(for: .seconds(2))
    servers.thaw(0)
    let next = try #require(try await queue.lease(1, seconds: 60, wait: 9).first)
    #expect(next.attempt == 1)
    await queue.close()
  }

  @Test("a delivery that was kept too long takes nobody's lease")
  func leavesTakenJobs() async throws {
    let servers = try await NATSServers()
    let queue = try await Self.open(servers) { $0.nats.ackWaitSeconds = 1 }
    let other = try await Self.open(servers)
    try await queue.add("a")
    for isFirst in [true, false] {
      let lease = try await queue.lease(1, seconds: 1, wait: 5)
      var delivery = try Self.delivery(try #require(lease.first), in: queue)
      delivery.isKept = true
      let next = try #require(try await other.lease(1, seconds: 60, wait: 5).first)
      #expect(await queue.hasGivenBack(delivery))
      #expect(try await other.extend([next], seconds: 60).isEmpty)
      if isFirst { try await other.release(next) } else { try await other.complete(next, result: []) }
    }
    await queue.close()
    await other.close()
  }

  @Test("what has come in when the connection is lost stays, and is asked about again")
  func keepsSpares() async throws {
    let pulls = NATSPulls()
    let message = NATSMessage(
      subject: "jobs.jobs.a", reply: "$JS.ACK.jobs.workers.1.7.1.1700000000000000000.0", headers: [:], data: [])
    let spare = try #require(pulls.receive(message))
    #expect(spare.isFirst)
    pulls.lose(.disconnected)
    let taken = try await pulls.take(1, seconds: 0) { (_, _) throws(NATSProblem) in }
    #expect(taken.map(\.sequence) == [7])
    #expect(taken.first?.isFirst == false)
    #expect(pulls.withdraw(spare) == nil)
  }

  @Test("a job that is given back often pushes out no result, and goes on when results are forgotten")
  func keepsEndingsApart() async throws {
    let servers = try await NATSServers()
    let queue = try await Self.open(servers) { $0.rememberedCount = 4 }
    try await queue.add("done")
    try await queue.complete(try await queue.next(), result: [1])
    try await queue.add("a")
    var lease = try await queue.next()
    try await queue.retry(lease, after: 0, reason: "first")
    for _ in 0..<30 {
      let next = try await queue.next()
      #expect(next.token > lease.token && next.attempt == 2)
      lease = next
      try await queue.release(lease)
    }
    #expect(try await queue.state(of: "done") == .completed(result: [1]))
    #expect(try await queue.enqueue(NewJob(id: "done", body: [])) == .known)

    lease = try await queue.next()
    for number in 0..<10 {
      try await queue.add("\(number)")
      try await queue.complete(try await queue.next(), result: [])
    }
    #expect(try await queue.state(of: "done") == nil)
    try await queue.retry(lease, after: 0, reason: "second")
    let last = try await queue.next()
    #expect(last.attempt == 3 && last.token > lease.token)
    try await queue.bury(last, reason: "third")
    try await queue.bury(last, reason: "third")
    let reason = try #require(try await queue.dead(limit: 1).first?.reason)
    #expect(reason.split(separator: "\n").count == 3, "\(reason)")
    await queue.close()
  }

  @Test("a worker that is killed while it completes a further attempt has completed it")
  func finishesCompleting() async throws {
    let servers = try await NATSServers()
    let queue = try await Self.open(servers) { $0.nats.ackWaitSeconds = 1 }
    let other = try await Self.open(servers)
    try await queue.add("a")
    try await queue.retry(try await queue.next(), after: 0, reason: "first")
    let lease = try #require(try await queue.lease(1, seconds: 1, wait: 5).first)
    let held = try #require(queue.held.withLock { $0[lease.token] })
    var ending = NATSEnding(kind: .completed, attempts: 2, deliveries: held.delivery.deliveries, reasons: "")
    ending.result = [1, 2]
    #expect(try await queue.write(ending, for: held))
    #expect(try await other.state(of: "a") == .completed(result: [1, 2]))
    // Nobody else gets the job.
    #expect(try await other.lease(1, seconds: 10, wait: 3).isEmpty)
    #expect(try await eventually { try await other.status() == QueueStatus(ready: 0, delayed: 0, leased: 0, dead: 0) })
    #expect(try await other.state(of: "a") == .completed(result: [1, 2]))
    // And who began it may say so again.
    try await queue.complete(lease, result: [1, 2])
    await queue.close()
    await other.close()
  }

  @Test("a lease that was lost completes nothing, also when the first lease's ending is forgotten", arguments: 1...2)
  func fencesZombies(number: Int) async throws {
    let servers = try await NATSServers()
    let queue = try await Self.open(servers) {
      $0.rememberedCount = 1
      $0.nats.ackWaitSeconds = 1
    }
    let other = try await Self.open(servers)
    try await queue.add("a")
    if number == 2 { try await queue.release(try await queue.next()) }
    let lost = try #require(try await queue.lease(1, seconds: 1, wait: 5).first)
    let lease = try #require(try await other.lease(1, seconds: 60, wait: 5).first)
    for number in 0..<4 {
      try await other.add("\(number)")
      try await other.complete(try await other.next(), result: [])
    }
    await #expect(throws: QueueFailure.leaseLost(id: "a")) { try await queue.complete(lost, result: [9]) }
    await #expect(throws: QueueFailure.leaseLost(id: "a")) { try await queue.bury(lost, reason: "no") }
    try await other.complete(lease, result: [1])
    #expect(try await other.state(of: "a") == .completed(result: [1]))
    #expect(try await other.dead(limit: 1).isEmpty)
    await queue.close()
    await other.close()
  }
}
