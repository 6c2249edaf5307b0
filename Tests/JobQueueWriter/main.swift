import Glibc
import JobQueue

/// Uses a queue as a process of its own, to be killed or measured.
///
///     JobQueueWriter work URL PREFIX COUNT    adds that many jobs, and works on any until it is killed. Prints +ID for
///                                             each that was added, =ID for each that was completed.
///     JobQueueWriter hold URL SECONDS         leases a job for so long, prints its id, and does nothing
///     JobQueueWriter measure URL COUNT TASKS  adds COUNT jobs and completes them, with so many tasks at once, and
///                                             prints jobs per second for both
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 3 else { exit(64) }
let queue = try await openQueue(arguments[1])
switch (arguments[0], arguments.count) {
case ("work", 4): try await work(queue, prefix: arguments[2], count: Int(arguments[3]) ?? 0)
case ("hold", 3): try await hold(queue, seconds: Double(arguments[2]) ?? 0)
case ("measure", 4): try await measure(queue, count: Int(arguments[2]) ?? 0, tasks: Int(arguments[3]) ?? 1)
default: exit(64)
}
await queue.close()

func work(_ queue: any JobQueue, prefix: String, count: Int) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for adder in 0..<4 {
      group.addTask {
        for number in stride(from: adder, to: count, by: 4) {
          let id = "\(prefix)-\(number)"
          _ = try await queue.enqueue(NewJob(id: id, body: Array(id.utf8)))
          say("+\(id)")
        }
      }
    }
    for _ in 0..<4 {
      group.addTask {
        while true {
          for lease in try await queue.lease(Int.random(in: 1...5), seconds: 1, wait: 10) {
            // Sometimes the lease has run out in between, which is as good an end as any here.
            switch Int.random(in: 0..<10) {
            case 0: try? await queue.retry(lease, after: 0.1, reason: "again")
            case 1: try? await queue.release(lease)
            default:
              do {
                guard try await queue.extend([lease], seconds: 1).isEmpty else { continue }
                try await queue.complete(lease, result: lease.body)
                say("=\(lease.id)")
              } catch QueueFailure.leaseLost {}
            }
          }
        }
      }
    }
    try await group.waitForAll()
  }
}

func hold(_ queue: any JobQueue, seconds: Double) async throws {
  guard let lease = try await queue.lease(1, seconds: seconds, wait: 60).first else { exit(1) }
  say(lease.id)
  try await Task.sleep(for: .seconds(3600))
}

func measure(_ queue: any JobQueue, count: Int, tasks: Int) async throws {
  let body = Array(#"{"id":"order-1234","sources":["https://example.com/p/1"],"options":{"fit":"cover"}}"#.utf8)
  let clock = ContinuousClock()
  let start = clock.now
  try await withThrowingTaskGroup(of: Void.self) { group in
    for task in 0..<tasks {
      group.addTask {
        for number in stride(from: task, to: count, by: tasks) {
          _ = try await queue.enqueue(NewJob(id: "\(getpid())-order-\(number)", body: body))
        }
      }
    }
    try await group.waitForAll()
  }
  let added = clock.now
  let result = Array(#"{"status":"ready","location":"manifests/order-1234.json"}"#.utf8)
  let completed = try await withThrowingTaskGroup(of: Int.self) { group in
    for _ in 0..<tasks {
      group.addTask {
        var completed = 0
        while case let leases = try await queue.lease(4, seconds: 30, wait: 0), !leases.isEmpty {
          for lease in leases { try await queue.complete(lease, result: result) }
          completed += leases.count
        }
        return completed
      }
    }
    return try await group.reduce(0, +)
  }
  let ended = clock.now
  say("added \(Int(Double(count) / ((added - start) / .seconds(1)))) jobs/s")
  say("completed \(Int(Double(completed) / ((ended - added) / .seconds(1)))) jobs/s")
}

/// Prints a line that is out when this returns.
func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}
