import Pipeline
import RichPush

enum BatchCommand: Command {
  static let syntax = Syntax(
    command: "batch", operands: "FOLDER|URLS --out DIR",
    summary: "Prepare every file below a folder, or every URL of a list",
    options: [
      .init("out", short: "o", .one("DIR"), "the folder for attachments, manifests and index.jsonl"),
      .init("store", .one("URL"), "instead of --out: s3://BUCKET/PREFIX, or a folder"),
      .init("index", .one("DIR"), "the folder for index.jsonl; needed with s3://…, else the store's own"),
      .init("strict", .none, "exit with 1 when any file was rejected"),
      .init("quiet", short: "q", .none, "no progress, only the summary"), ReportFile.option,
    ] + Workplace.options + StoreChoice.syntax + Workplace.fetchOptions,
    details: """
      Each file is a job whose id is its path below FOLDER. URLS is a text file with a URL on each line; empty lines and
      those that begin with # are passed over. A job's id is then its URL without user info, query and fragment; those
      that are alike are numbered: …~2. Downloads run ahead of the work.

      DIR/index.jsonl has a line for each job: id, status, kind, code, manifest, milliseconds, and what tells whether it
      is up to date. Run again, it prepares only the files that are missing or have changed, and all URLs (but with
      --cache none is fetched or prepared twice); interrupted with ^C, it leaves whole files only. Exit status: 0 every
      source got its verdict (with --strict: none was rejected), 1 with --strict: one was rejected, 64 wrong use, 70
      failed, 130 interrupted.

      \(StoreChoice.details)

      \(Workplace.fetchDetails)

      \(ReportFile.details)

      Examples:
        enclosure batch photos --out prepared
        enclosure batch photos --out prepared --fit cover --strict
        enclosure batch urls.txt --out prepared
        enclosure batch photos --out prepared --report report.html
        enclosure batch photos --store s3://my-media/push --index prepared
      """)

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard arguments.operands.count == 1, let operand = arguments.operands.first else {
      throw UsageError("name one folder or list of URLs, as in: enclosure batch photos --out prepared")
    }
    let choice = try StoreChoice(arguments)
    let named = arguments.bytes("index").flatMap { $0.isEmpty ? nil : FilePath(bytes: $0) }
    guard let index = named ?? choice.folder else {
      throw UsageError("--index DIR says where index.jsonl goes, by which the next run knows what is done")
    }
    let sources = try sources(
      FilePath(bytes: operand),
      out: [("index", index)] + (choice.folder.map { [(arguments.has("out") ? "out" : "store", $0)] } ?? []))
    if case .folder(let folder) = sources, let cache = arguments.bytes("cache"),
      FolderIdentity(of: folder) == FolderIdentity(of: FilePath(bytes: cache))
    {
      throw UsageError(
        "--cache \(folder.description) is the folder with the sources; choose another one, or one inside it")
    }
    let excluded = [index] + (arguments.bytes("cache").map { $0.isEmpty ? [] : [FilePath(bytes: $0)] } ?? [])
    let report = try ReportFile(arguments, store: choice.folder, sources: sources.folder, excluded: excluded)
    let workplace = try await Workplace(arguments)
    let isQuiet = arguments.has("quiet")
    let clock = ContinuousClock()
    let start = clock.now
    let lines = try await workplace.run {
      let store = try await workplace.open(choice)
      let batch = Batch(
        sources, output: index,
        pipeline: Pipeline(reader: workplace.reader, store: store, publicAddress: choice.publicAddress), store: store,
        options: workplace.preparation, cache: workplace.cacheFolder,
        parallelJobs: workplace.parallelJobs(for: sources))
      var display = ProgressDisplay(isQuiet: isQuiet, noun: sources.noun)
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
    Console.error(summary.text(store: choice.name, index: index.description))
    try report?.write(lines, sources: sources.folder, title: FilePath(bytes: operand).description)
    return arguments.has("strict") && summary.rejected > 0 ? 1 : 0
  }

  /// - Parameter out: what is written to, by the options that name it.
  private static func sources(
    _ operand: FilePath, out: [(option: String, folder: FilePath)]
  ) throws(UsageError) -> Batch.Sources {
    let name = operand.description
    guard let identity = FolderIdentity(of: operand) else {
      throw UsageError("there is no folder \(name), and no list of URLs of that name")
    }
    // Where both are the same folder, it is called by the store's option.
    for (option, folder) in out.reversed() where identity == FolderIdentity(of: folder) {
      throw UsageError(
        "--\(option) \(folder.description) is the folder with the sources; choose another one, or one inside it")
    }
    if identity.isFolder { return .folder(operand) }
    do throws(FileFailure) {
      if let list = try URLList(at: operand) { return .urls(list) }
    } catch {
      throw UsageError("\(name) cannot be read: \(error.message)")
    }
    throw UsageError(
      "\(name) is no folder, and no text with a URL on each line; single files are for enclosure prepare")
  }
}

extension Batch.Sources {
  fileprivate var folder: FilePath? {
    switch self {
    case .folder(let path): path
    case .urls: nil
    }
  }

  fileprivate var noun: String {
    switch self {
    case .folder: "file"
    case .urls: "URL"
    }
  }
}
