import JobQueue
import TestSupport
import Testing

/// Queues on three servers, of which one is gone now and then.
@Suite(.enabled(if: NATSServers.isInstalled, "nats-server is not installed"), .serialized)
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
    let url = try await SharedCluster.shared.url()
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
}

/// One cluster for the tests that leave it alone.
private actor SharedCluster {
  static let shared = SharedCluster()
  private var starting: Task<NATSServers, any Error>?
  private var streams = 0

  func url() async throws -> String {
    if starting == nil { starting = Task { try await NATSServers(3) } }
    guard let servers = try await starting?.value else { throw NATSServers.Fault(message: "no servers") }
    streams += 1
    return "nats://\(servers.addresses)/test\(streams)"
  }
}
