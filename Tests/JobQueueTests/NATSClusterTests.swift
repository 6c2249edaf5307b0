import JobQueue
import TestSupport
import Testing

/// Queues on three servers, of which one is gone now and then.
@Suite(.enabled(if: NATSServers.isInstalled, "nats-server is not installed"), .natsServers(3), .serialized)
struct NATSClusterTests {
  private static let options = {
    var options = QueueOptions()
    options.nats.replicas = 3
    // On a busy machine elections take their time.
    options.nats.patienceSeconds = 60
    return options
  }()

  /// The cluster, and a way to open a queue on it.
  private static func cluster() async throws -> (NATSServers, @Sendable () async throws -> any JobQueue) {
    let servers = try await NATSServers(3)
    let url = "nats://\(servers.addresses)/test"
    return (servers, { try await openQueue(url, options: options) })
  }

  @Test("a NATS queue on a cluster does what every queue does", arguments: JobQueueConformance.allCases)
  func conforms(rule: JobQueueConformance) async throws {
    let url = try NATSScope.newQueue()
    let queue = try await openQueue(url, options: Self.options)
    let test = QueueUnderTest(
      queue: queue, openAgain: { try await openQueue(url, options: Self.options) }, ordersByDeadline: false)
    try await rule.check(test)
    await queue.close()
  }

  @Test("nothing is lost or done twice while servers of a cluster are killed and started again")
  func survivesServers() async throws {
    let (servers, open) = try await Self.cluster()
    let queue = try await open()
    let other = try await open()
    let count = 300
    let completed = Shared<[String: Int]>([:])
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for index in 0..<3 {
          try await Task.sleep(for: .seconds(1))
          await servers.kill(index)
          try await Task.sleep(for: .seconds(2))
          try await servers.start(index)
          // A second one may only go when the first has caught up.
          let isWell = try await eventually { try await queue.status().dead == 0 }
          #expect(isWell)
        }
      }
      group.addTask {
        for number in 0..<count {
          while true {
            // May not be known whether it was done: then it is done again.
            if (try? await queue.enqueue(NewJob(id: "\(number)", body: Array("\(number)".utf8)))) != nil { break }
          }
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      for worker in 0..<4 {
        let mine = worker % 2 == 0 ? queue : other
        group.addTask {
          while completed.value.count < count {
            for lease in (try? await mine.lease(8, seconds: 10, wait: 0.5)) ?? [] {
              do {
                try await mine.complete(lease, result: lease.body)
                completed.change { $0[lease.id, default: 0] += 1 }
              } catch QueueFailure.leaseLost {
                // Somebody else has it, or has completed it.
              } catch QueueFailure.unavailable {
                // It comes again.
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(completed.value == Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", 1) }))
    let isEmpty = try await eventually {
      _ = try await queue.lease(10, seconds: 10, wait: 0)
      return try await queue.status() == QueueStatus(ready: 0, delayed: 0, leased: 0, dead: 0)
    }
    #expect(isEmpty)
    await queue.close()
    await other.close()
  }

  @Test("a queue whose servers are too few to agree is unavailable, also where there is no job, until they are back")
  func missesQuorum() async throws {
    let servers = try await NATSServers(3)
    var options = Self.options
    options.nats.patienceSeconds = 4
    let queue = try await openQueue("nats://\(servers.addresses)/test", options: options)
    #expect(try await queue.lease(1, seconds: 10, wait: 0.1).isEmpty)
    for index in [0, 1] { await servers.kill(index) }
    // The last server goes on as a leader for some seconds.
    let isNoticed = try await eventually {
      do throws(QueueFailure) {
        _ = try await queue.lease(1, seconds: 10, wait: 0.1)
        return false
      } catch {
        guard case .unavailable = error else { throw error }
        return true
      }
    }
    #expect(isNoticed)
    let failure = await #expect(throws: QueueFailure.self) { try await queue.check() }
    if case .unavailable = failure {} else { Issue.record("\(failure.debugDescription)") }
    for index in [0, 1] { try await servers.start(index) }
    let isBack = await eventually {
      guard (try? await queue.check()) != nil else { return false }
      return (try? await queue.lease(1, seconds: 10, wait: 0.1)) != nil
    }
    #expect(isBack)
    await queue.close()
  }

  @Test("streams that somebody made with fewer replicas are told of")
  func tellsOfReplicas() async throws {
    let url = try NATSScope.newQueue()
    let made = try await openQueue(url)
    #expect(made.caveats.isEmpty)
    let opened = try await openQueue(url, options: Self.options)
    #expect(opened.caveats.count == 1)
    #expect(opened.caveats.first?.contains("as few servers as 1, not on 3: ") == true)
    for queue in [made, opened] { await queue.close() }
  }
}
