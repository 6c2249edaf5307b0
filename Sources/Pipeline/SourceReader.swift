import Blocking
package import Cache
import MediaChannel
package import Preparation
import RichPush
import Synchronization
package import Transfer

/// The first stages: gets hold of a source and finds out what it is.
package struct SourceReader: Sendable {
  let helpers: HelperPool
  let profile: Profile
  private let downloader: Downloader
  private let transferLimits: TransferLimits
  private let spoolFolder: FilePath
  private let fileAccess: FileAccess
  /// nil without a cache.
  let memory: SourceMemory?
  let metrics: ServiceMetrics
  private let downloads = SingleFlight<DownloadKey, OpenSource>()
  private let inspections = SingleFlight<String, MediaFacts>()

  /// - Parameters:
  ///   - spoolFolder: where downloads are kept while they are worked on.
  ///   - fileAccess: which files may be sources.
  ///   - cache: remembers what was found out about sources. That the downloader has it too is the caller's concern.
  ///   - metrics: learns what is done to sources.
  package init(
    helpers: HelperPool, downloader: Downloader, transferLimits: TransferLimits = TransferLimits(),
    spoolFolder: FilePath = temporaryFolder, fileAccess: FileAccess = .any, cache: DiskCache? = nil,
    metrics: ServiceMetrics = ServiceMetrics(), profile: Profile = .ios
  ) {
    self.helpers = helpers
    self.downloader = downloader
    self.transferLimits = transferLimits
    self.spoolFolder = spoolFolder
    self.fileAccess = fileAccess
    memory = cache.map { SourceMemory($0, helpers: helpers) }
    self.metrics = metrics
    metrics.show(helpers)
    self.profile = profile
  }

  /// What a source is and what would be done with it.
  package struct Inspection: Sendable {
    package let source: String
    /// nil when it was rejected before it was inspected.
    package let facts: MediaFacts?
    package let plan: Plan
    /// nil for a file.
    package let fetch: FetchRecord?
  }

  /// Finds out about a source.
  /// - Throws: `CancellationError` when the task was cancelled.
  package func inspection(
    of location: JobSource.Location, options: PreparationOptions
  ) async throws -> Inspection {
    let record = FetchRecord()
    var fetch: FetchRecord?
    if case .url = location { fetch = record }
    do {
      let source = try await self.fetch(location, options: options, record: record)
      let facts = try await inspect(source)
      return Inspection(
        source: location.publicName, facts: facts, plan: plan(facts, for: profile, options: options), fetch: fetch)
    } catch let reason as Rejection.Reason {
      try Task.checkCancellation()
      return Inspection(source: location.publicName, facts: nil, plan: .reject(reason), fetch: fetch)
    }
  }

  /// What the media plane's libraries can do.
  package func capabilities() async throws -> MediaCapabilities {
    guard case .capabilities(let capabilities) = try await helpers.perform(.describe, files: []) else {
      throw unexpectedAnswer(at: .inspect)
    }
    return capabilities
  }

  /// - Parameter record: is told how a transfer goes, also one that fails.
  func fetch(
    _ location: JobSource.Location, options: PreparationOptions, record: FetchRecord = FetchRecord()
  ) async throws(Rejection.Reason) -> OpenSource {
    switch location {
    case .file(let path):
      return try await metrics.measure(.fetch) { () throws(Rejection.Reason) in
        let source = try await OpenSource(path: path, access: fileAccess)
        // Without a cache it is hashed beside the work; and what is too large to be read is not worth hashing.
        return memory == nil || source.state.bytes > profile.maximumSourceBytes ? source : try await source.hashed()
      }
    case .url(let url):
      do {
        let key = DownloadKey(url: url, mayEndEarly: options.overlong == .reject)
        let source = try await downloads.value(for: key) {
          defer { metrics.fetched(record.cost) }
          return try await metrics.measure(.fetch) { try await download(key, record: record) }
        }
        if let download = source.download { record.note(download) }
        return source
      } catch let reason as Rejection.Reason {
        throw reason
      } catch {
        throw Rejection.Reason(.fetchFailed, at: .fetch, "the download was cancelled")
      }
    }
  }

  /// How many jobs wait for the download of a URL that runs now.
  package func waiting(for url: String) -> Int {
    [true, false].reduce(0) { $0 + downloads.waiting(for: DownloadKey(url: url, mayEndEarly: $1)) }
  }

  /// What makes two downloads one.
  private struct DownloadKey: Hashable {
    let url: String
    /// Whether it ends where a video shows to be too long. Who wants its beginning or a poster needs all of it.
    let mayEndEarly: Bool
  }

  private func download(_ key: DownloadKey, record: FetchRecord) async throws(Rejection.Reason) -> OpenSource {
    let spool = try await makeSpoolFile()
    let profile = profile
    var limits = transferLimits
    limits.maximumBytes = profile.maximumSourceBytes
    let download = try await downloader.download(
      key.url, into: spool.descriptor, limits: limits,
      examine: key.mayEndEarly ? examiner(of: spool, record: record) : nil,
      account: record.account
    ) { head in
      head.probableKind.map(profile.maximumSourceBytes(of:)) ?? profile.maximumSourceBytes
    }
    if memory != nil { metrics.lookedUp(.response, isHit: download.keptBody != nil) }
    // Facts and attachments are shared by the hash, so it has to be known.
    return try await OpenSource(download, in: spool).hashed()
  }

  func inspect(_ source: OpenSource) async throws -> MediaFacts {
    guard let sha256 = source.knownHash else { return try await inspected(source) }
    guard source.isShared else { return try await recalledOrInspected(source, sha256) }
    return try await inspections.value(for: sha256) {
      // Who comes just after the others have been served is one of them too.
      if let known = source.findings.facts.withLock({ $0 }) { return known }
      let facts = try await recalledOrInspected(source, sha256)
      source.findings.facts.withLock { $0 = facts }
      return facts
    }
  }

  private func recalledOrInspected(_ source: OpenSource, _ sha256: String) async throws -> MediaFacts {
    guard let memory else { return try await inspected(source) }
    let known = try await memory.facts(of: sha256, inspectRequest)
    metrics.lookedUp(.facts, isHit: known != nil)
    if let known { return known }
    let facts = try await inspected(source)
    try source.requireUnchanged()
    try await memory.keep(facts, of: sha256, inspectRequest)
    return facts
  }

  private func inspected(_ source: OpenSource) async throws -> MediaFacts {
    let source = source.isShared ? try await source.reopened() : source
    let outcome = try await metrics.measure(.inspect) {
      try await helpers.perform(.inspect(inspectRequest), files: [source.file])
    }
    guard case .facts(let facts) = outcome else { throw unexpectedAnswer(at: .inspect) }
    return facts
  }

  private var inspectRequest: InspectRequest {
    InspectRequest(
      enoughSeconds: profile.enoughSeconds, enoughFrames: profile.maximumFrames)
  }

  private func makeSpoolFile() async throws(Rejection.Reason) -> OpenFile {
    do throws(FileFailure) {
      return try await blocking { [spoolFolder] () throws(FileFailure) in
        try unnamedTemporaryFile(in: spoolFolder)
      }
    } catch {
      throw Rejection.Reason(
        .storeFailed, at: .fetch, "nothing can be spooled in \(spoolFolder.description): \(error.message)",
        permanent: false)
    }
  }
}

extension JobSource.Location {
  /// The source for logs and manifests: without the secrets of a URL.
  package var publicName: String {
    switch self {
    case .url(let url): redacted(url)
    case .file(let path): path.description
    }
  }
}

func unexpectedAnswer(at stage: Rejection.Stage) -> Rejection.Reason {
  Rejection.Reason(.decoderCrashed, at: stage, "the decoder answered another question than it was asked")
}
