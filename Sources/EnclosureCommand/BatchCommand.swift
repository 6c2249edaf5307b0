import AssetStore
import Pipeline
import RichPush

enum BatchCommand: Command {
  static let syntax = Syntax(
    command: "batch", operands: "FOLDER --out DIR", summary: "Prepare every file below a folder",
    options: [
      .init("out", short: "o", .one("DIR"), "the folder for attachments, manifests and index.jsonl"),
      .init("strict", .none, "exit with 1 when any file was rejected"),
      .init("quiet", short: "q", .none, "no progress, only the summary"),
    ] + Workplace.options,
    details: """
      Each file is a job whose id is its path below FOLDER. DIR/index.jsonl has a line for each: id, status, kind, code,
      manifest, milliseconds, and what tells whether it is up to date. Run again, it prepares only what is missing or
      has changed; interrupted with ^C, it leaves whole files only. Exit status: 0 every file got its verdict (with
      --strict: none was rejected), 1 with --strict: one was rejected, 64 wrong use, 70 failed, 130 interrupted.

      Examples:
        enclosure batch photos --out prepared
        enclosure batch photos --out prepared --fit cover --strict
      """)

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard arguments.operands.count == 1, let folder = arguments.operands.first else {
      throw UsageError("name one folder, as in: enclosure batch photos --out prepared")
    }
    guard let out = arguments.bytes("out"), !out.isEmpty else {
      throw UsageError("--out DIR says where the attachments go")
    }
    let name = FilePath(bytes: folder).description
    let outName = FilePath(bytes: out).description
    guard let identity = FolderIdentity(of: FilePath(bytes: folder)) else {
      throw UsageError("there is no folder \(name)")
    }
    guard identity != FolderIdentity(of: FilePath(bytes: out)) else {
      throw UsageError("--out \(outName) is the folder with the sources; choose another one, or one inside it")
    }
    guard identity.isFolder else {
      throw UsageError("\(name) is no folder; single files are for enclosure prepare")
    }
    if let cache = arguments.bytes("cache"), identity == FolderIdentity(of: FilePath(bytes: cache)) {
      throw UsageError("--cache \(name) is the folder with the sources; choose another one, or one inside it")
    }
    let workplace = try await Workplace(arguments)
    let isQuiet = arguments.has("quiet")
    let clock = ContinuousClock()
    let start = clock.now
    let lines = try await workplace.run {
      let store = try await DirectoryStore(path: out)
      let batch = Batch(
        folder: FilePath(bytes: folder), output: FilePath(bytes: out),
        pipeline: Pipeline(reader: workplace.reader, store: store), store: store, options: workplace.preparation,
        cache: workplace.cacheFolder, parallelJobs: workplace.helperCount * 2)
      var display = ProgressDisplay(isQuiet: isQuiet)
      defer { display.end() }
      do {
        return try await batch.run { event in display.show(event) }
      } catch let error as CancellationError {
        display.end()
        Console.log(.interrupted("interrupted; what is done is kept, and the same command again does the rest"))
        throw error
      }
    }
    let summary = Summary(lines: lines, seconds: (clock.now - start) / .seconds(1))
    Console.error(summary.text(output: outName))
    return arguments.has("strict") && summary.rejected > 0 ? 1 : 0
  }
}
