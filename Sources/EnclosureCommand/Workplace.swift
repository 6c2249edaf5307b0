import AssetStore
import Cache
import Glibc
import JobQueue
import Operations
import Pipeline
import Preparation
import RichPush
import Transfer

/// What the commands that handle media share: the options, and the two planes that those configure.
struct Workplace {
  static let options: [Syntax.Option] = [
    .init("fit", .one("inside|cover"), "inside (default) keeps the whole picture, cover fills a square"),
    .init("overlong", .one("reject|trim|poster"), "a video over 30 s: reject it (default), its first 30 s, or a still"),
    .init("helpers", .one("N"), "media processes to run; as many as there are processors by default"),
    .init("decode-timeout", .one("SECONDS"), "how long each step may take; 15 to 90 by default, encoding 600"),
    .init("decode-memory", .one("MIB"), "how much memory a media process may take; 1024 by default"),
    .init("spool", .one("DIR"), "where downloads are kept while they are worked on; TMPDIR or /var/tmp by default"),
    .init("cache", .one("DIR"), "keep what was downloaded and prepared there, and do neither twice"),
    .init("cache-bytes", .one("N"), "how much the cache may hold: 10000000000 by default"),
    .init("ca-file", .one("FILE"), "certificates to trust for https, in PEM, instead of the system's"),
  ]

  let reader: SourceReader
  private let helpers: HelperPool
  let downloader: Downloader
  let addressPolicy: AddressPolicy
  let preparation: PreparationOptions
  let cacheFolder: FilePath?
  private let spoolFolder: FilePath
  private let helperCount: Int
  let concurrentTransfers: Int

  /// Starts the helpers.
  /// - Parameters:
  ///   - files: which files may be sources.
  ///   - hasExpressHelper: whether there is one more helper, for what is quick.
  ///   - metrics: learns what is done to sources.
  init(
    _ arguments: Arguments, files: FileAccess = .any, hasExpressHelper: Bool = false,
    metrics: ServiceMetrics = ServiceMetrics()
  ) async throws {
    preparation = try Self.preparation(arguments)
    var configuration = HelperConfiguration(
      executable: try Self.helperProgram(),
      count: try arguments.number("helpers", in: 1...256) ?? HelperConfiguration.processors)
    if let seconds = try arguments.number("decode-timeout", in: 1...86_400) {
      configuration.setDeadlines(to: Double(seconds))
    }
    if let mebibytes = try arguments.number("decode-memory", in: 64...1_000_000) {
      configuration.memoryMark = mebibytes << 20
      configuration.recycleMark = min(configuration.recycleMark, configuration.memoryMark / 2)
    }
    configuration.hasExpressHelper = hasExpressHelper
    let cacheBytes = try arguments.number("cache-bytes", in: 1_000_000...1_000_000_000_000_000)
    helperCount = configuration.count
    var transfer = TransferConfiguration()
    transfer.caFile = try Self.certificates(arguments)
    addressPolicy = try arguments.addressPolicy()
    transfer.addressPolicy = addressPolicy
    transfer.usesProxyFromEnvironment = arguments.has("proxy-from-environment")
    transfer.concurrentTransfers = min(transfer.concurrentTransfers, (OpenFileLimit.raised() - 256) / 3)
    concurrentTransfers = max(transfer.concurrentTransfers, 1)
    helpers = HelperPool(configuration: configuration) { report in
      switch report {
      case .lost(let reason, let lastWords): Console.log(.helperLost(reason, lastWords: lastWords))
      case .lostIdle(let how): Console.log(.helperLostIdle(how))
      case .cannotStart(let why): Console.log(.helperNotStarted(why))
      }
    }
    cacheFolder = arguments.bytes("cache").flatMap { $0.isEmpty ? nil : FilePath(bytes: $0) }
    let cache: DiskCache?
    if let cacheFolder {
      cache = await DiskCache(path: cacheFolder.bytes, maximumBytes: cacheBytes ?? DiskCache.defaultMaximumBytes) {
        Console.log(.cacheImpaired($0))
      }
    } else {
      cache = nil
    }
    transfer.cache = cache
    downloader = Downloader(configuration: transfer)
    spoolFolder = try Self.spoolFolder(arguments)
    reader = SourceReader(
      helpers: helpers, downloader: downloader, spoolFolder: spoolFolder, fileAccess: files, cache: cache,
      metrics: metrics)
  }

  /// The file with trusted certificates. With a wrong one all https sources would be rejected, and for good.
  private static func certificates(_ arguments: Arguments) throws(UsageError) -> String? {
    guard let path = arguments.text("ca-file"), !path.isEmpty else { return nil }
    let bytes: [UInt8]
    do throws(FileFailure) {
      bytes = try contents(of: FilePath(path), atMost: 16 << 20)
    } catch {
      throw UsageError("\(arguments.given("ca-file")) \(path) cannot be read: \(error.message)")
    }
    guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN ") else {
      throw UsageError("\(arguments.given("ca-file")) \(path) has no certificate in PEM")
    }
    return path
  }

  /// The folder for downloads. One that was not named is seen only when something is to be spooled: files need none.
  private static func spoolFolder(_ arguments: Arguments) throws(UsageError) -> FilePath {
    guard let named = arguments.bytes("spool") else { return temporaryFolder }
    let folder = FilePath(bytes: named)
    guard folder.appending(Array(".".utf8)).withCString({ access($0, W_OK | X_OK) }) == 0 else {
      let cause = String(cString: strerror(errno))
      throw UsageError(
        "nothing can be spooled in \(folder.description): \(cause); name another folder with"
          + " \(arguments.given("spool"))")
    }
    return folder
  }

  /// What is done with sources where nothing else is said.
  static func preparation(_ arguments: Arguments) throws(UsageError) -> PreparationOptions {
    PreparationOptions(
      fit: try arguments.choice("fit", of: PreparationOptions.Fit.self) ?? .inside,
      overlong: try arguments.choice("overlong", of: PreparationOptions.Overlong.self) ?? .reject)
  }

  /// Opens a store, and makes sure that it can be used. What goes to S3 shares the downloads' thread.
  func open(_ choice: StoreChoice) async throws(Rejection.Reason) -> any AssetStore {
    try await openStore(
      choice.location, choice.options, client: HTTPClient(sharing: downloader), workFolder: spoolFolder.bytes)
  }

  /// How many jobs of a batch are begun before another has ended.
  ///
  /// Files need no more than keep the helpers busy. Downloads run far ahead of them, so that neither the network's pace
  /// nor slow servers ever leave them without work; what bounds those is the downloader.
  func parallelJobs(for sources: Batch.Sources) -> Int {
    switch sources {
    case .folder: helperCount * 2
    case .urls: max(helperCount * 2, concurrentTransfers)
    }
  }

  /// Runs `work` and ends the helpers. ^C and SIGTERM cancel it: what is in work is given up, nothing is half done.
  func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
    let task = Task {
      try await requireHelper()
      return try await work()
    }
    Interruption.onFirstSignal { task.cancel() }
    let result = await task.result
    close()
    return try result.get()
  }

  /// Ends helpers and transfers; what is in work is given up.
  func close() {
    downloader.shutdown()
    helpers.close(aborting: true)
  }

  /// Makes sure that helpers answer. Without them every source would be rejected, which looks like its own fault.
  ///
  /// One that was killed from outside says nothing about the next; several in a row do.
  func requireHelper() async throws {
    for attempt in 1...5 {
      do {
        _ = try await reader.capabilities()
        return
      } catch let reason as Rejection.Reason {
        guard !reason.permanent, attempt < 5 else {
          throw UselessHelper(path: try Self.helperProgram(), reason: reason)
        }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  /// The helper program: beside this one, unless `ENCLOSURE_MEDIA` names another.
  private static func helperProgram() throws(MissingHelper) -> String {
    var path = getenv("ENCLOSURE_MEDIA").map { String(cString: $0) } ?? ""
    if path.isEmpty {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink("/proc/self/exe", &buffer, buffer.count)
      let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
      path = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      path += "/enclosure-media"
    }
    guard access(path, X_OK) == 0 else {
      throw MissingHelper(path: path)
    }
    return path
  }
}

/// There is no helper program: nothing that another command line would mend.
struct MissingHelper: Error {
  let path: String
}

/// There is one, but it does not answer; a library of it may be missing.
struct UselessHelper: Error {
  let path: String
  let reason: Rejection.Reason
}

/// The source that a word of the command line names.
func sourceLocation(_ word: [UInt8]) -> JobSource.Location {
  if let text = String(validating: word, as: UTF8.self), let colon = text.firstIndex(of: ":"),
    text[colon...].hasPrefix("://")
  {
    return .url(text)
  }
  return .file(FilePath(bytes: word))
}

/// An error as a sentence.
func describe(_ error: any Error) -> String {
  switch error {
  case let reason as Rejection.Reason: reason.message
  case let failure as OutputFailure: "standard output cannot be written: \(String(cString: strerror(failure.errno)))"
  case Batch.Failure.folderUnreadable(let folder, let failure):
    "the folder \(folder.description) cannot be read: \(failure.message)"
  case Batch.Failure.indexUnwritable(let folder, let failure):
    "index.jsonl cannot be written in \(folder.description): \(failure.message); free some space or choose another"
      + " folder, and the same command again does the rest"
  case Batch.Failure.store(let reason): reason.message
  case let missing as MissingHelper:
    "the media helper \(missing.path) is missing; it belongs beside enclosure (make build leaves both in build/), or"
      + " ENCLOSURE_MEDIA names it"
  case let failure as QueueFailure: failure.message
  case let file as UnwritableFile: "\(file.path.description) cannot be written: \(file.reason)"
  case let failure as InputFailure: "\(failure.name) cannot be read: \(String(cString: strerror(failure.errno)))"
  case let fault as ListenFault:
    fault.message + (fault.isAddressInUse ? "; --listen chooses another address" : "")
  case let unusable as CacheUnusable: unusable.message
  case let usage as UsageError: usage.message
  case let useless as UselessHelper: "the media helper \(useless.path) does not work: \(useless.reason.message)"
  default: "\(error)"
  }
}
