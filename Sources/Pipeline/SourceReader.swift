import Blocking
import MediaChannel
package import Preparation
import RichPush
package import Transfer

/// The first stages: gets hold of a source and finds out what it is.
package struct SourceReader: Sendable {
  let helpers: HelperPool
  let profile: Profile
  private let downloader: Downloader
  private let transferLimits: TransferLimits
  private let spoolFolder: FilePath

  /// - Parameter spoolFolder: where downloads are kept while they are worked on.
  package init(
    helpers: HelperPool, downloader: Downloader, transferLimits: TransferLimits = TransferLimits(),
    spoolFolder: FilePath = temporaryFolder, profile: Profile = .ios
  ) {
    self.helpers = helpers
    self.downloader = downloader
    self.transferLimits = transferLimits
    self.spoolFolder = spoolFolder
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
      let source = try await self.fetch(location, record: record)
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
    _ location: JobSource.Location, record: FetchRecord = FetchRecord()
  ) async throws(Rejection.Reason) -> OpenSource {
    switch location {
    case .file(let path): return try await OpenSource(path: path)
    case .url(let url):
      let spool = try await makeSpoolFile()
      let profile = profile
      var limits = transferLimits
      limits.maximumBytes = profile.maximumSourceBytes
      let download = try await downloader.download(
        url, into: spool.descriptor, limits: limits, examine: examiner(of: spool, record: record),
        account: record.account
      ) { head in
        head.probableKind.map(profile.maximumSourceBytes(of:)) ?? profile.maximumSourceBytes
      }
      record.note(download)
      return try OpenSource(download, in: spool)
    }
  }

  func inspect(_ source: OpenSource) async throws -> MediaFacts {
    let request = InspectRequest(
      enoughSeconds: profile.enoughSeconds, enoughFrames: profile.maximumFrames)
    guard case .facts(let facts) = try await helpers.perform(.inspect(request), files: [source.file]) else {
      throw unexpectedAnswer(at: .inspect)
    }
    return facts
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
