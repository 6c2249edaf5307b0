import Glibc
import JobQueue
import TestSupport

// How many jobs a queue takes and hands out in a second, and how many messages its server does without the queue.
//
//   QueueBenchmark nats [SERVERS] [JOBS]    on servers that it starts, 1 or 3; raw pull-and-ack as well
//   QueueBenchmark raw nats://HOST:PORT     raw pull-and-ack alone, on a server that runs: prints messages per second
//   QueueBenchmark URL [JOBS]               on a queue that is empty

let arguments = CommandLine.arguments.dropFirst()
let kind = arguments.first ?? "nats"
if kind == "nats" {
  let servers = try await NATSServers(arguments.dropFirst().first.flatMap { Int($0) } ?? 1)
  let count = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 20_000
  let replicas = servers.addresses.contains(",") ? 3 : 1
  var options = QueueOptions()
  options.nats.replicas = replicas
  options.nats.patienceSeconds = 30
  let url = "nats://\(servers.addresses)/jobs"
  let queue = try await openQueue(url, options: options)
  for round in 1...3 {
    print("round \(round)")
    for isWithResults in [false, true] {
      let url = "nats://\(servers.addresses)"
      let raw = try RawPulling(url, stream: "raw\(round)\(isWithResults)", replicas: replicas, isWorkQueue: true)
      let results = "results\(round)"
      if isWithResults { _ = try RawPulling(url, stream: results, replicas: replicas, isForResults: true) }
      try raw.fill(count)
      let start = processorSeconds()
      report(
        "raw pull\(isWithResults ? ", publish a result" : "") and ack", count, since: start,
        try raw.run(count, publishingTo: isWithResults ? results : nil))
    }
    try await measure(queue, count, prefix: "\(round)-")
  }
  await queue.close()
} else if kind == "raw", let url = arguments.dropFirst().first {
  let count = 50_000
  let raw = try RawPulling(url, stream: "raw", replicas: 1, isWorkQueue: true)
  try raw.fill(count)
  print(Int(Double(count) / (try raw.run(count) / .seconds(1))))
} else {
  let queue = try await openQueue(kind)
  try await measure(queue, arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000, prefix: "")
  await queue.close()
}

/// Processor time of this process and the servers it has started, in seconds: on a machine that does other things as
/// well it says more than the time that passes.
func processorSeconds() -> (own: Double, servers: Double) {
  (processorSeconds(of: [getpid()]), processorSeconds(of: processes { $0.parent == getpid() }))
}

private func processorSeconds(of pids: [pid_t]) -> Double {
  pids.reduce(0) { sum, pid in
    guard let file = fopen("/proc/\(pid)/stat", "r") else { return sum }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 1024)
    guard fgets(&line, Int32(line.count), file) != nil else { return sum }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Behind the name, which is in brackets: user and system time are the 14th and 15th of all fields.
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    return sum + (Double(fields[12]) ?? 0) / 100 + (Double(fields[13]) ?? 0) / 100
  }
}

func report(_ what: String, _ count: Int, since start: (own: Double, servers: Double), _ time: Duration) {
  let rate = Int(Double(count) / (time / .seconds(1)))
  let now = processorSeconds()
  let own = Int((now.own - start.own) / Double(count) * 1e6)
  let servers = Int((now.servers - start.servers) / Double(count) * 1e6)
  print("  \(what): \(rate) per second; processor time each: \(own) µs here, \(servers) µs in the servers")
}

/// Adds jobs from 64 tasks, then leases them in batches and completes those, 4 batches of 64 at a time.
func measure(_ queue: any JobQueue, _ count: Int, prefix: String) async throws {
  let body = [UInt8](repeating: UInt8(ascii: "x"), count: RawPulling.messageBytes)
  let clock = ContinuousClock()
  let beforeAdding = processorSeconds()
  let adding = try await clock.measure {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for adder in 0..<64 {
        group.addTask {
          for number in stride(from: adder, to: count, by: 64) {
            _ = try await queue.enqueue(NewJob(id: "\(prefix)\(number)", body: body))
          }
        }
      }
      try await group.waitForAll()
    }
  }
  report("enqueue", count, since: beforeAdding, adding)
  let result = Array(#"{"status":"ready","location":"manifests/order-1234.json"}"#.utf8)
  let beforeWorking = processorSeconds()
  let working =
    try await clock.measure {
      let done = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask {
            var done = 0
            while true {
              let leases = try await queue.lease(64, seconds: 10, wait: 0.5)
              if leases.isEmpty { return done }
              try await withThrowingTaskGroup(of: Void.self) { inner in
                for lease in leases { inner.addTask { try await queue.complete(lease, result: result) } }
                try await inner.waitForAll()
              }
              done += leases.count
            }
          }
        }
        return try await group.reduce(0, +)
      }
      guard done == count else { fatalError("\(done) of \(count) jobs were handed out") }
    } - .milliseconds(500)
  report("lease and complete", count, since: beforeWorking, working)
}
