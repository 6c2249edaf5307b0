import AssetStore
import Cache
import Glibc
import JobQueue
import Operations
import Pipeline
import RichPush
import Transfer

enum WorkerCommand: Command {
  static let syntax = Syntax(
    command: "worker", operands: "",
    summary: "Serve jobs from a queue until SIGTERM",
    options: [
      QueueChoice.option,
      .init(
        "store", .one("URL"),
        "a folder or s3://BUCKET/PREFIX for what is made; \(WorkerOptions.defaultStore) by default"),
      .init("jobs", .one("N"), "how many jobs to work on at once; 256 by default"),
      .init("attempts", .one("N"), "how often to try a job whose failures may pass; 5 by default"),
      .init("lease", .one("SECONDS"), "after how long others get a dead worker's jobs; 10 by default"),
      .init("grace", .one("SECONDS"), "how long to finish what was begun, on SIGTERM; 25 by default"),
      .init("allow-files", .many("DIR"), "take file: URLs below this folder; none by default"),
      .init("callback-secret-file", .one("FILE"), "what callbacks are signed with, a whsec_… on each line"),
      .init("check-config", .none, "try all of this, say what is wrong, and exit"),
    ] + EndpointOptions.options + NotificationOptions.options + StoreChoice.syntax + Workplace.options
      + Workplace.fetchOptions,
    details: """
      Jobs are JSON documents (job.schema.json); enclosure enqueue adds them. Each ends with a manifest in the store, or,
      when all attempts failed for reasons that might pass, among the dead letters of the queue. Any number of workers
      may serve one queue; whichever is killed, its jobs run elsewhere as soon as their leases have run out.

      On SIGTERM or ^C the worker takes no more jobs, finishes what it can within the grace period, and gives the rest
      back; a second signal ends it at once, with status 130. While the queue, the store or the disk is not available, it
      waits. Exit status: 0 ended in order, or --check-config found nothing wrong; 1 --check-config did; 64 wrong use;
      70 failed; 78 the queue, or what is said of it, has to be put right first: with these settings a restart does not
      help.

      \(QueueChoice.details)

      \(NotificationOptions.details)

      \(EndpointOptions.details)

      \(StoreChoice.details)

      \(Workplace.fetchDetails) The same holds for callbacks.

      Examples:
        enclosure worker
        enclosure worker --queue sqlite:/var/lib/enclosure/queue.db --store /srv/media --cache /var/cache/enclosure
        enclosure worker --check-config
      """)

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard arguments.operands.isEmpty else { throw UsageError("worker takes no operands") }
    let options = try WorkerOptions(arguments)
    let rules = try NotificationOptions.rules(arguments)
    // A terminal that goes away is no reason to end; there is nothing to open anew.
    signal(SIGHUP, SIG_IGN)
    if arguments.has("check-config") { return try await check(options, arguments) }
    limitMemoryArenas()
    // The store may be away for hours, and nobody would be told until then.
    try options.checkQueue()

    let service = WorkerService(takesCallbacks: !options.secrets.isEmpty)
    let report: @Sendable (WorkerEvent) -> Void = { event in
      service.note(event)
      Console.log(.worker(event))
    }
    let workplace = try await Workplace(
      arguments, files: options.files, hasExpressHelper: true, metrics: service.metrics)
    defer { workplace.close() }
    // It may be anybody who reads the log of a service, or nobody.
    Console.logInBackground()
    let start = Startup(report: report)
    Interruption.onFirstSignal {
      start.end()
    } lastWords: {
      Console.log(.interrupted("a second signal: ended at once; whatever jobs were in work go on elsewhere"))
      Console.finishLog(within: 0.5)
    }
    try await workplace.requireHelper()
    // Before the rest: whoever asks learns what the worker waits for.
    let endpoint = try options.endpoint.started(service)
    let opening = { () async throws -> any AssetStore in
      let store = try await workplace.open(options.store)
      service.openedStore()
      return store
    }
    guard let store = try await start.attempt(.store, opening),
      let queue = try await start.attempt(.queue, { try await options.openedQueue() })
    else {
      report(.drained(released: 0, abandoned: 0))
      await endpoint?.close()
      return 0
    }
    service.opened(queue)
    let worker = Worker(
      queue: queue,
      work: Pipeline(
        reader: workplace.reader, store: store, publicAddress: options.store.publicAddress, rules: rules),
      callbacks: options.callbacks(over: workplace), configuration: options.configuration(workplace), report: report)
    service.began(worker)
    start.onEnd { Task { await worker.drain() } }
    Console.log(.serving("serving \(withoutCredentials(options.queue)) into \(options.store.name)"))
    await worker.run()
    // To the end: that the worker is ending is what it has to say.
    await endpoint?.close()
    await queue.close()
    return 0
  }

  /// Opens what a worker would open, and takes no job.
  private static func check(_ options: WorkerOptions, _ arguments: Arguments) async throws -> Int32 {
    var withoutCache = arguments
    // Opened by itself, since a cache that cannot be used keeps no worker from starting.
    withoutCache.values["cache"] = nil
    let workplace = try await Workplace(withoutCache, files: options.files)
    defer { workplace.close() }
    var faults = 0
    func check(_ name: String, _ body: () async throws -> String) async throws {
      do {
        try Console.output("\(name): \(try await body())\n")
      } catch let error as OutputFailure {
        throw error
      } catch {
        faults += 1
        try Console.output("\(name): NO: \(describe(error))\n")
      }
    }
    try await check("helpers") {
      try await workplace.requireHelper()
      return "they answer"
    }
    try await check("store") {
      try await workplace.open(options.store).checkWriting()
      return "\(options.store.name) can be written to"
    }
    try await check("queue") {
      let queue = try await options.openedQueue()
      try await queue.check()
      let status = try await queue.status()
      await queue.close()
      return
        "\(withoutCredentials(options.queue)) has \(counted(status.ready, "job")) ready, \(status.delayed) delayed, \(status.leased) in work, "
        + "\(status.dead) dead"
    }
    if let folder = arguments.bytes("cache") {
      try await check("cache") {
        try await DiskCache.requireUsable(path: folder)
        return "\(FilePath(bytes: folder).description) can be used"
      }
    }
    try await check("callbacks") {
      options.secrets.isEmpty ? "refused; there is no --callback-secret-file" : "signed"
    }
    try await check("endpoint") { try options.endpoint.checked() }
    for variable in UnknownVariable.all { try Console.output("variables: \(printable(variable.message))\n") }
    return faults == 0 ? 0 : 1
  }
}
