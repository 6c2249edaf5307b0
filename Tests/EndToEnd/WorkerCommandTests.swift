import FoundationEssentials
import Glibc
import RichPush
import TestSupport
import Testing

@Suite struct WorkerCommandTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private var queue: String { "sqlite:\(bench.folder.path)/queue.db" }

  private func arguments(_ options: [String]) -> [String] {
    ["worker", "--queue", queue, "--store", bench.out, "--allow-files", bench.source, "--listen", "none"] + options
  }

  private func start(_ options: String...) throws -> ChildProcess {
    try startEnclosure(arguments(options).map { Array($0.utf8) }, environment: bench.environment())
  }

  private func add(_ id: String, _ source: String) async throws {
    try bench.folder.write(Array(#"{"id": "\#(id)", "sources": ["\#(source)"]}"#.utf8), to: "job.json")
    let run = try await enclosure("enqueue", "--queue", queue, bench.folder.path + "/job.json")
    #expect(run.status == 0 && run.text == "\(id)\n", "\(run.errors)")
  }

  private func manifest(_ id: String) throws -> Manifest? {
    guard let json = contentOfFile("\(bench.out)/manifests/\(id).json") else { return nil }
    return try JSONDecoder().decode(Manifest.self, from: Data(json))
  }

  @Test("jobs are prepared, files elsewhere are not read, and SIGTERM ends the worker in order")
  func serves() async throws {
    try bench.put("image/landscape.jpg", as: "a.jpg")
    try await add("good", "file://\(bench.source)/a.jpg")
    try await add("stranger", "file:///etc/passwd")
    let worker = try start()
    #expect(try await eventually { try manifest("good") != nil && manifest("stranger") != nil })
    worker.signal(SIGTERM)
    #expect(await worker.wait() == .exited(0))
    #expect(try manifest("good")?.status == .ready)
    #expect(try manifest("good")?.attachments.first?.placeholder != nil)
    #expect(try manifest("stranger")?.rejections.map(\.reason.code) == [.blockedAddress])
    let log = worker.errors
    #expect(log.contains(#""event":"job_finished""#) && log.contains(#""event":"worker_ended""#), "\(log)")
    #expect(log.contains(#""stages":{"#))
  }

  @Test("a log that nobody reads keeps neither the jobs nor the end waiting")
  func unreadLog() async throws {
    let fifo = "\(bench.folder.path)/log"
    try #require(mkfifo(fifo, 0o600) == 0)
    // Open, so that the worker can open it too, and as small as the system allows.
    let reader = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    defer { close(reader) }
    let setPipeSize: Int32 = 1031
    try #require(fcntl(reader, setPipeSize, 4096) == 4096)

    let jobs = (1...100).map { #"{"id": "\#($0)", "sources": ["file:///etc/passwd"]}"# }.joined(separator: "\n")
    try bench.folder.write(Array(jobs.utf8), to: "jobs.jsonl")
    let added = try await enclosure("enqueue", "--queue", queue, bench.folder.path + "/jobs.jsonl")
    try #require(added.status == 0)
    let words = ["-c", #"exec "$@" 2> "$0""#, fifo, builtProduct("enclosure")] + arguments([])
    let worker = try ChildProcess("/bin/sh", words.map { Array($0.utf8) }, environment: bench.environment())
    #expect(try await eventually { try (1...100).allSatisfy { try manifest("\($0)") != nil } })
    worker.signal(SIGTERM)
    #expect(await worker.wait() == .exited(0))

    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(reader, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).hasPrefix("{"), "there was a log")
  }

  @Test("what a killed worker had begun, the next one finishes")
  func survives() async throws {
    try bench.put("image/landscape.jpg", as: "a.jpg")
    for number in 1...5 { try await add("\(number)", "file://\(bench.source)/a.jpg") }
    let first = try start("--lease", "2")
    #expect(await eventually { first.errors.contains("worker_started") })
    first.signal(SIGKILL)
    _ = await first.wait()
    let second = try start("--lease", "2")
    #expect(try await eventually { try (1...5).allSatisfy { try manifest("\($0)") != nil } })
    second.signal(SIGTERM)
    #expect(await second.wait() == .exited(0))
    #expect(bench.folder.files().allSatisfy { !$0.contains("/.work/") })
  }

  @Test("--check-config says what is wrong, and exits")
  func checks() async throws {
    let good = try await enclosure(
      ["worker", "--check-config", "--queue", queue, "--store", bench.out].map { Array($0.utf8) },
      environment: bench.environment())
    #expect(good.status == 0 && good.text.contains("queue: \(queue) has 0 jobs ready"), "\(good.text)")
    try bench.folder.write([1, 2, 3], to: "file")
    let bad = try await enclosure(
      [
        "worker", "--check-config", "--queue", "sqlite:\(bench.folder.path)/file", "--store",
        "\(bench.folder.path)/file",
      ]
      .map { Array($0.utf8) }, environment: bench.environment())
    #expect(bad.status == 1 && bad.text.contains("store: NO: ") && bad.text.contains("queue: NO: "), "\(bad.text)")
  }

  @Test(
    "options that make no sense are refused at once",
    arguments: [
      ["--queue", "queue.db"], ["--allow-files", "/nowhere/at/all"], ["--callback-secret-file", "/nowhere"],
      ["--jobs", "0"], ["--lease", "1"], ["operand"],
    ])
  func refuses(options: [String]) async throws {
    let run = try await enclosure(
      (["worker", "--check-config", "--store", bench.out] + options).map { Array($0.utf8) },
      environment: bench.environment())
    if options == ["--queue", "queue.db"] {
      #expect(run.status == 1)
    } else {
      #expect(run.status == 64, "\(run.errors)")
    }
  }
}
