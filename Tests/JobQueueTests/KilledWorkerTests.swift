import Glibc
import JobQueue
import SQLite
import TestSupport
import Testing

@Suite struct KilledWorkerTests {
  @Test("workers that are killed again and again lose no job and complete none twice")
  func losesNothing() async throws {
    let folder = try TemporaryFolder()
    let url = "sqlite:\(folder.path)/jobs.sqlite"
    let count = 300
    let prefixes = ["a", "b", "c"]
    var lines: [Substring] = []
    var processes = try prefixes.map { try Worker(url, $0, count) }
    for _ in 0..<24 {
      try await Task.sleep(for: .milliseconds(Int.random(in: 20...150)))
      let victim = Int.random(in: 0..<processes.count)
      lines += try await processes[victim].kill()
      processes[victim] = try Worker(url, prefixes[victim], count)
    }
    // The last ones add again what they had added before, and do the rest.
    let queue = try await openQueue(url)
    let isDone = try await eventually {
      guard processes.allSatisfy({ $0.hasAdded(count) }) else { return false }
      let status = try await queue.status()
      return status.ready + status.delayed + status.leased == 0
    }
    let status = try await queue.status()
    #expect(isDone, "\(status)")
    for process in processes { lines += try await process.kill() }

    for prefix in prefixes {
      for number in 0..<count {
        let id = "\(prefix)-\(number)"
        let state = try await queue.state(of: id)
        #expect(state == .completed(result: Array(id.utf8)), "\(id)")
      }
    }
    let completed = lines.filter { $0.hasPrefix("=") }
    #expect(Set(completed).count == completed.count, "a job was completed twice")
    // Those that were killed between completing a job and saying so.
    #expect(completed.count >= prefixes.count * count - 24 * 4)
    await queue.close()
    #expect(try isSound("\(folder.path)/jobs.sqlite"))
  }

  @Test("what a process was told is added is there after it was killed", arguments: [0, 3, 20, 60])
  func keepsWhatWasAdded(milliseconds: Int) async throws {
    let folder = try TemporaryFolder()
    let url = "sqlite:\(folder.path)/jobs.sqlite"
    let worker = try Worker(url, "a", 100_000)
    #expect(await eventually { worker.hasAdded(1) })
    try await Task.sleep(for: .milliseconds(milliseconds))
    let lines = try await worker.kill()
    let queue = try await openQueue(url)
    for line in lines where line.hasPrefix("+") {
      let id = String(line.dropFirst())
      #expect(try await queue.state(of: id) != nil, "\(id) was lost")
      #expect(try await queue.enqueue(NewJob(id: id, body: [])) == .known)
    }
    await queue.close()
  }

  @Test("the job of a killed worker goes to somebody who waits when the lease runs out")
  func leasesElsewhere() async throws {
    let folder = try TemporaryFolder()
    let url = "sqlite:\(folder.path)/jobs.sqlite"
    let queue = try await openQueue(url)
    try await queue.add("a")
    let holder = try ChildProcess(builtProduct("JobQueueWriter"), ["hold", url, "2"].map { Array($0.utf8) })
    #expect(await eventually { holder.output == Array("a\n".utf8) })
    holder.signal(SIGKILL)
    let killed = ContinuousClock.now
    let lease = try await queue.next()
    #expect(lease.attempt == 2)
    #expect(ContinuousClock.now - killed < .seconds(15))
    await queue.close()
  }

  @Test("many processes that open a new queue at once use the same one")
  func opensTogether() async throws {
    let folder = try TemporaryFolder()
    let url = "sqlite:\(folder.path)/new/jobs.sqlite"
    let processes = try (0..<6).map { try Worker(url, "\($0)", 20) }
    #expect(await eventually { processes.allSatisfy { $0.hasAdded(20) } })
    let queue = try await openQueue(url)
    for process in 0..<6 {
      for number in 0..<20 { #expect(try await queue.state(of: "\(process)-\(number)") != nil) }
    }
    for process in processes { _ = try await process.kill() }
    await queue.close()
  }

  private func isSound(_ path: String) throws -> Bool {
    let database = try Database(path: path)
    return try database.rows("PRAGMA integrity_check", read: { $0.text(0) }) == ["ok"]
  }
}

/// The program JobQueueWriter, adding and working.
private final class Worker {
  private let process: ChildProcess

  init(_ url: String, _ prefix: String, _ count: Int) throws {
    process = try ChildProcess(
      builtProduct("JobQueueWriter"), ["work", url, prefix, "\(count)"].map { Array($0.utf8) })
  }

  /// What it has told so far, in whole lines.
  private var lines: [Substring] {
    let text = process.output
    let end = text.lastIndex(of: UInt8(ascii: "\n")) ?? 0
    return String(decoding: text[..<end], as: UTF8.self).split(separator: "\n")
  }

  func hasAdded(_ count: Int) -> Bool {
    lines.count { $0.hasPrefix("+") } >= count
  }

  func kill() async throws -> [Substring] {
    process.signal(SIGKILL)
    let ending = await process.wait()
    try #require(ending == .killed(signal: SIGKILL), "\(ending): \(process.errors)")
    return lines
  }
}
