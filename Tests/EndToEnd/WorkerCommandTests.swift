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

  @Test("a second signal ends the worker at once, and the log says so")
  func endsAtOnce() async throws {
    let origin = try FaultyOrigin { _ in [.stall] }
    try await add("slow", "http://127.0.0.1:\(origin.port)/a.jpg")
    let worker = try start("--allow-address", "127.0.0.0/8", "--allow-port", "\(origin.port)")
    #expect(await eventually { !origin.requests.isEmpty })
    worker.signal(SIGTERM)
    #expect(await eventually { worker.errors.contains("worker_draining") })
    worker.signal(SIGTERM)
    #expect(await worker.wait() == .exited(130))
    #expect(worker.errors.contains(#""event":"interrupted""#), "\(worker.errors)")
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

  private func check(_ options: String...) async throws -> Run {
    let words = ["worker", "--check-config", "--queue", queue, "--store", bench.out] + options
    return try await enclosure(words.map { Array($0.utf8) }, environment: bench.environment())
  }

  @Test("--check-config listens where it should, as the start would, and nowhere afterwards")
  func checksEndpoint() async throws {
    let worker = try startEnclosure(
      ["worker", "--queue", queue, "--store", bench.out, "--listen", "127.0.0.1:0"].map { Array($0.utf8) },
      environment: bench.environment())
    #expect(await eventually { worker.errors.contains("worker_started") })
    let address = try #require(
      worker.errors.split(separator: "\"").first { $0.hasPrefix("listening on http://") }?.split(separator: "/").last)
    let taken = try await check("--listen", String(address))
    #expect(taken.status == 1)
    #expect(
      taken.text.contains(
        "endpoint: NO: nothing can listen on \(address): Address already in use; --listen chooses another address"),
      "\(taken.text)")
    worker.signal(SIGTERM)
    #expect(await worker.wait() == .exited(0))
    for _ in 0..<2 {
      let free = try await check("--listen", String(address))
      #expect(free.status == 0 && free.text.contains("endpoint: \(address), jobs from this machine"), "\(free.text)")
    }
    // An address for documentation (RFC 5737), which no machine has.
    let foreign = try await check("--listen", "192.0.2.1:9464")
    #expect(foreign.status == 1 && foreign.text.contains("endpoint: NO: nothing can listen on 192.0.2.1:9464: Cannot"))
  }

  @Test("--check-config tries the cache, and leaves nothing of it behind")
  func checksCache() async throws {
    let cache = "\(bench.folder.path)/new/cache"
    let good = try await check("--listen", "none", "--cache", cache)
    #expect(good.status == 0 && good.text.contains("cache: \(cache) can be used"), "\(good.text)")
    #expect(access("\(bench.folder.path)/new", F_OK) != 0)

    try bench.folder.makeFolder("kept")
    #expect(try await check("--listen", "none", "--cache", "\(bench.folder.path)/kept").status == 0)
    #expect(bench.folder.files(below: "kept") == [])

    try bench.folder.write([], to: "file")
    let bad = try await check("--listen", "none", "--cache", "\(bench.folder.path)/file")
    #expect(bad.status == 1)
    let message = "cache: NO: the cache in \(bench.folder.path)/file cannot be used: Not a directory"
    #expect(bad.text.contains(message), "\(bad.text)")
    #expect(bad.errors.isEmpty, "\(bad.errors)")
  }

  @Test("--check-config finds a cache that there is, and lets it be")
  func checksOldCache() async throws {
    let cache = "\(bench.folder.path)/cache"
    try bench.put("image/landscape.jpg", as: "a.jpg")
    _ = try await enclosure("prepare", "\(bench.source)/a.jpg", "--out", bench.out, "--cache", cache)
    let before = bench.folder.files(below: "cache")
    #expect(!before.isEmpty)
    #expect(try await check("--listen", "none", "--cache", cache).status == 0)
    #expect(bench.folder.files(below: "cache") == before)
    for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] { unlink("\(cache)/\(name)") }
    // Whoever uses the cache makes a damaged index anew; asking does not.
    try bench.folder.write(Array("no database".utf8), to: "cache/index.sqlite")
    #expect(try await check("--listen", "none", "--cache", cache).status == 0)
    #expect(bench.folder.content("cache/index.sqlite") == Array("no database".utf8))
    unlink("\(cache)/index.sqlite")
    mkdir("\(cache)/index.sqlite", 0o700)
    let bad = try await check("--listen", "none", "--cache", cache)
    #expect(bad.status == 1 && bad.text.contains("cache: NO: the cache in \(cache) cannot be used: "), "\(bad.text)")
  }

  @Test("what is wrong with the queue's settings is told before the store is waited for")
  func judgesQueueFirst() async throws {
    let variables = [
      "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
      "ENCLOSURE_NATS_REPLICAS": "2",
    ]
    let run = try await enclosure(
      "worker", "--store", "s3://bucket/prefix", "--queue", "nats://127.0.0.1:1/jobs", "--listen", "none",
      environment: bench.environment().merging(variables) { $1 })
    #expect(run.status == 78, "\(run.errors)")
    #expect(try run.log.map { $0["event"] } == ["failed"])
    #expect(run.errors.contains("ENCLOSURE_NATS_REPLICAS is “2”; jobs can be kept on 1, 3 or 5 servers"))
  }

  @Test("a variable that is misspelt is told, by --check-config too")
  func warnsOfVariables() async throws {
    let variables = ["ENCLOSURE_JOB": "5", "ENCLOSURE_SERVICE_HOST": "10.0.0.1"]
    let run = try await enclosure(
      "worker", "--check-config", "--queue", queue, "--store", bench.out, "--listen", "none",
      environment: bench.environment().merging(variables) { $1 })
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    #expect(try run.log.map { $0["event"] } == ["variable_unknown"])
    let warning = "ENCLOSURE_JOB is no variable of Enclosure's and is passed over; there is ENCLOSURE_JOBS"
    #expect(try run.log.first?["message"] == warning)
    #expect(run.text.contains("\nvariables: \(warning)\n"), "\(run.text)")
  }

  @Test(
    "a wrong value is told by where it came from",
    arguments: [
      ([:], ["--jobs", "0"], "--jobs takes a whole number"), (["JOBS": "0"], [], "ENCLOSURE_JOBS takes a whole number"),
      (["LISTEN": "here"], [], "ENCLOSURE_LISTEN: "), (["STORE": "s3://b"], [], "ENCLOSURE_STORE s3://b has no"),
      ([:], ["--registry", "/nowhere"], "--registry /nowhere cannot be read"),
      (["REGISTRY": "/nowhere"], [], "ENCLOSURE_REGISTRY /nowhere cannot be read"),
      (["TOKEN_FILE": "/nowhere"], [], "ENCLOSURE_TOKEN_FILE /nowhere cannot be read"),
      (["ALLOW_FILES": "/nowhere"], [], "ENCLOSURE_ALLOW_FILES /nowhere is no folder"),
      (["ALLOW_HOST": "*.b"], [], "ENCLOSURE_ALLOW_HOST takes"), (["PRESET": "x"], [], "ENCLOSURE_PRESET takes plain"),
      (["PUBLIC_URL": "x"], [], "ENCLOSURE_PUBLIC_URL x"), (["CA_FILE": "/nowhere"], [], "ENCLOSURE_CA_FILE /nowhere"),
      (["SPOOL": "/etc/passwd"], [], "name another folder with ENCLOSURE_SPOOL"),
    ] as [([String: String], [String], String)])
  func namesOrigin(variables: [String: String], options: [String], part: String) async throws {
    let named = variables.map { ("ENCLOSURE_\($0)", $1) }
    let run = try await enclosure(
      (["worker", "--check-config", "--queue", queue] + options).map { Array($0.utf8) },
      environment: ["ENCLOSURE_STORE": bench.out].merging(named) { $1 })
    #expect(run.status == 64 && run.errors.contains(part), "\(run.errors)")
  }

  @Test("a variable that only says maybe checks nothing and starts nothing")
  func refusesMaybe() async throws {
    let run = try await enclosure(
      "worker", environment: bench.environment().merging(["ENCLOSURE_CHECK_CONFIG": "maybe"]) { $1 })
    #expect(run.status == 64 && run.errors.contains("ENCLOSURE_CHECK_CONFIG takes 1, true or yes"), "\(run.errors)")
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
