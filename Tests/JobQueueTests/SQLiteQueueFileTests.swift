import Glibc
import JobQueue
import SQLite
import TestSupport
import Testing

@Suite struct SQLiteQueueFileTests {
  @Test("a queue is made with the folders above it, for its owner alone")
  func makesFile() async throws {
    let folder = try TemporaryFolder()
    let queue = try await openQueue("sqlite:\(folder.path)/a/b/jobs.sqlite")
    try await queue.add("a")
    #expect(permissions("\(folder.path)/a/b") == 0o700)
    for name in folder.files() { #expect(permissions("\(folder.path)/\(name)") == 0o600, "\(name)") }
    await queue.close()
    #expect(folder.files() == ["a/b/jobs.sqlite"])
  }

  @Test("where no queue is to be made, there has to be one")
  func makesNone() async throws {
    let folder = try TemporaryFolder()
    let url = "sqlite:\(folder.path)/jobs.sqlite"
    var options = QueueOptions()
    options.createsQueue = false
    let failure = await #expect(throws: QueueFailure.self) { try await openQueue(url, options: options) }
    #expect(failure == .unusable("there is no queue \(folder.path)/jobs.sqlite"))
    #expect(folder.files() == [])
    let made = try await openQueue(url)
    let opened = try await openQueue(url, options: options)
    try await opened.add("a")
    for queue in [made, opened] { await queue.close() }
  }

  @Test("what is no queue of ours is refused, and stays as it was")
  func refusesOtherFiles() async throws {
    let folder = try TemporaryFolder()
    let text = Array(String(repeating: "this is a shopping list\n", count: 100).utf8)
    try folder.write(text, to: "list.txt")
    await expectUnusable("sqlite:\(folder.path)/list.txt", "no SQLite database")
    #expect(folder.content("list.txt") == text)

    let other = try Database(path: "\(folder.path)/other.sqlite")
    try other.execute("CREATE TABLE customer (name TEXT)")
    await expectUnusable("sqlite:\(folder.path)/other.sqlite", "another program's database")

    let newer = try await openQueue("sqlite:\(folder.path)/newer.sqlite")
    await newer.close()
    try Database(path: "\(folder.path)/newer.sqlite").execute("PRAGMA user_version = 99")
    await expectUnusable("sqlite:\(folder.path)/newer.sqlite", "version 99")

    try folder.makeFolder("folder")
    await expectFailure("sqlite:\(folder.path)/folder", "cannot be opened")
    await expectUnusable("sqlite:\(folder.path)/list.txt/jobs.sqlite", "Not a directory")
  }

  @Test(
    "an address that is none is refused with what one looks like",
    arguments: [
      ("", "sqlite:FILE"), ("jobs.sqlite", "sqlite:FILE"), ("http://example.com", "sqlite:FILE"),
      ("sqlite:", "names no file"),
      ("sqlite://host/jobs", "sqlite:FILE"),
    ])
  func refusesAddresses(url: String, message: String) async {
    await expectUnusable(url, message)
  }

  @Test("a queue whose file is taken away is unavailable, and goes on when it is back")
  func noticesRemoval() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/jobs.sqlite"
    let queue = try await openQueue("sqlite:\(path)")
    try await queue.add("a")
    let lease = try await queue.next()
    // As somebody would do who moves the queue while nobody is working: with all that belongs to it.
    for suffix in ["", "-wal", "-shm"] { rename(path + suffix, "\(path)2\(suffix)") }
    for _ in 0..<2 {
      let failure = await #expect(throws: QueueFailure.self) { try await queue.enqueue(NewJob(id: "b", body: [])) }
      #expect(failure == .unavailable("the queue \(path) was removed; it is used again when it is back"))
    }
    await #expect(throws: QueueFailure.self) { try await queue.lease(1, seconds: 1, wait: 1) }
    for suffix in ["", "-wal", "-shm"] { rename("\(path)2\(suffix)", path + suffix) }
    try await queue.add("b")
    try await queue.complete(lease, result: [1])
    #expect(try await queue.next().id == "b")
    await queue.close()
  }

  @Test("where an open queue was, an empty file is no queue, and what is none is left as it is")
  func noticesReplacement() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/jobs.sqlite"
    let queue = try await openQueue("sqlite:\(path)")
    try await queue.add("a")
    for suffix in ["", "-wal", "-shm"] { rename(path + suffix, "\(path)2\(suffix)") }
    try folder.write([], to: "jobs.sqlite")
    for _ in 0..<2 {
      let failure = await #expect(throws: QueueFailure.self) { try await queue.enqueue(NewJob(id: "b", body: [])) }
      #expect(
        failure == .unavailable("the queue \(path) is an empty file now; it is used again when it is back"))
    }
    #expect(folder.content("jobs.sqlite") == [])
    let text = Array(String(repeating: "this is a shopping list\n", count: 100).utf8)
    try folder.write(text, to: "jobs.sqlite")
    let failure = await #expect(throws: QueueFailure.self) { try await queue.status() }
    #expect(failure?.message.contains("no SQLite database") == true, "\(failure.debugDescription)")
    #expect(folder.content("jobs.sqlite") == text)
    for suffix in ["", "-wal", "-shm"] { rename("\(path)2\(suffix)", path + suffix) }
    #expect(try await queue.next().id == "a")
    await queue.close()
  }

  @Test("an open queue that is emptied is unavailable, not begun anew")
  func noticesEmptying() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/jobs.sqlite"
    let queue = try await openQueue("sqlite:\(path)")
    try await queue.add("a")
    truncate(path, 0)
    let failure = await #expect(throws: QueueFailure.self) { try await queue.enqueue(NewJob(id: "a", body: [])) }
    guard case .unavailable = failure else {
      Issue.record("\(failure.debugDescription)")
      return
    }
    await queue.close()
  }

  @Test("an empty file is a queue to begin with")
  func takesEmptyFile() async throws {
    let folder = try TemporaryFolder()
    try folder.write([], to: "jobs.sqlite")
    let queue = try await openQueue("sqlite:\(folder.path)/jobs.sqlite")
    try await queue.add("a")
    #expect(try await queue.next().id == "a")
    await queue.close()
  }

  @Test(
    "on a full disk the queue is unavailable; with room again it goes on, and nothing is lost",
    .enabled(if: SmallDisk.canBeMade))
  func survivesFullDisk() async throws {
    let disk = try #require(SmallDisk(kilobytes: 2_000))
    let ballast = "\(disk.path)/ballast"
    try #require(fill(ballast, bytes: 800_000))
    let queue = try await openQueue("sqlite:\(disk.path)/jobs.sqlite")
    try await queue.add("leased")
    let lease = try await queue.next()
    let body = [UInt8](repeating: 32, count: 20_000)
    var added: [String] = ["leased"]
    var failure: QueueFailure?
    for number in 0..<200 where failure == nil {
      do throws(QueueFailure) {
        _ = try await queue.enqueue(NewJob(id: "\(number)", body: body))
        added.append("\(number)")
      } catch {
        failure = error
      }
    }
    #expect(failure == .unavailable("the disk of the queue \(disk.path)/jobs.sqlite is full"))
    await #expect(throws: failure ?? .closed) { try await queue.check() }
    _ = try await queue.status()
    // Reading and waiting go on being possible or fail alike; nothing ends the process.
    _ = try? await queue.extend([lease], seconds: longLease)
    unlink(ballast)
    try await queue.check()
    try await queue.complete(lease, result: [1])
    try await queue.add("afterwards")
    var found: [String] = []
    while case let leases = try await queue.lease(10, seconds: longLease, wait: 0), !leases.isEmpty {
      found += leases.map(\.id)
    }
    #expect(found.sorted() == (added.dropFirst() + ["afterwards"]).sorted())
    await queue.close()
  }

  @Test("a queue on a disk that was mounted read-only is unavailable", .enabled(if: SmallDisk.canBeMade))
  func survivesReadOnlyDisk() async throws {
    let disk = try #require(SmallDisk(kilobytes: 2_000))
    let made = try await openQueue("sqlite:\(disk.path)/jobs.sqlite")
    await made.close()
    try #require(disk.makeReadOnly())
    let failure = await #expect(throws: QueueFailure.self) { try await openQueue("sqlite:\(disk.path)/jobs.sqlite") }
    guard case .unavailable = failure else {
      Issue.record("\(failure.debugDescription)")
      return
    }
  }

  @Test("whoever waits is woken at once, not only when it looks again by itself")
  func wakesAtOnce() async throws {
    let folder = try TemporaryFolder()
    let url = "sqlite:\(folder.path)/jobs.sqlite"
    let adding = try await openQueue(url)
    let waiting = try await openQueue(url)
    var waits: [Duration] = []
    for number in 0..<9 {
      async let lease = waiting.next()
      try await Task.sleep(for: .milliseconds(20))
      let start = ContinuousClock.now
      try await adding.add("\(number)")
      #expect(try await lease.id == "\(number)")
      waits.append(ContinuousClock.now - start)
    }
    // It looks by itself after a second. How long a busy machine takes on top says nothing.
    #expect(waits.count { $0 < .milliseconds(500) } >= 3, "\(waits)")
    for queue in [adding, waiting] { await queue.close() }
  }

  @Test("times that are none are taken for none or for very long")
  func boundsTimes() async throws {
    let folder = try TemporaryFolder()
    let queue = try await openQueue("sqlite:\(folder.path)/jobs.sqlite")
    #expect(try await queue.lease(1, seconds: 1, wait: .nan).isEmpty)
    try await queue.add("a")
    let lease = try await queue.next(seconds: .infinity, wait: -1)
    #expect(try await queue.extend([lease], seconds: .infinity).isEmpty)
    try await queue.retry(lease, after: .nan, reason: "")
    try await queue.release(try await queue.next(), after: .infinity)
    #expect(try await queue.status().delayed == 1)
    await queue.close()
  }

  @Test("queues that are closed or forgotten leave no open file behind")
  func closesFiles() async throws {
    let folder = try TemporaryFolder()
    for _ in 0..<20 {
      let queue = try await openQueue("sqlite:\(folder.path)/jobs.sqlite")
      _ = try await queue.status()
      await queue.close()
    }
    #expect(openFiles(in: folder.path) == 0)
    for _ in 0..<20 { _ = try await openQueue("sqlite:\(folder.path)/jobs.sqlite") }
    #expect(await eventually { openFiles(in: folder.path) == 0 })
  }

  private func expectUnusable(_ url: String, _ part: String) async {
    let failure = await #expect(throws: QueueFailure.self) { try await openQueue(url) }
    guard case .unusable(let message) = failure, message.contains(part) else {
      Issue.record("\(url): \(failure.debugDescription)")
      return
    }
  }

  private func expectFailure(_ url: String, _ part: String) async {
    let failure = await #expect(throws: QueueFailure.self) { try await openQueue(url) }
    #expect(failure?.message.contains(part) == true, "\(failure.debugDescription)")
  }
}

private func permissions(_ path: String) -> mode_t {
  var status = stat()
  return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
}

private func fill(_ path: String, bytes: Int) -> Bool {
  let content = [UInt8](repeating: 1, count: bytes)
  guard let file = fopen(path, "w") else { return false }
  return fwrite(content, 1, bytes, file) == bytes && fclose(file) == 0
}

/// How many descriptors of this process are of files below a folder.
private func openFiles(in folder: String) -> Int {
  (0..<1_024).count { number in
    var name = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/fd/\(number)", &name, name.count - 1)
    let path = String(decoding: name.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return path.hasPrefix(folder)
  }
}
