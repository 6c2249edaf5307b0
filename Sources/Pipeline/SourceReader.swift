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
    package let facts: MediaFacts?
    package let plan: Plan
    package let download: Download?
  }

  /// Finds out about a source.
  /// - Throws: `CancellationError` when the task was cancelled.
  package func inspection(
    of location: JobSource.Location, options: PreparationOptions
  ) async throws -> Inspection {
    var download: Download?
    do {
      let source = try await fetch(location)
      download = source.download
      let facts = try await inspect(source)
      return Inspection(
        source: location.publicName, facts: facts, plan: plan(facts, for: profile, options: options),
        download: download)
    } catch let reason as Rejection.Reason {
      try Task.checkCancellation()
      return Inspection(source: location.publicName, facts: nil, plan: .reject(reason), download: download)
    }
  }

  /// What the media plane's libraries can do.
  package func capabilities() async throws -> MediaCapabilities {
    guard case .capabilities(let capabilities) = try await helpers.perform(.describe, files: []) else {
      throw unexpectedAnswer(at: .inspect)
    }
    return capabilities
  }

  func fetch(_ location: JobSource.Location) async throws(Rejection.Reason) -> OpenSource {
    switch location {
    case .file(let path): return try await OpenSource(path: path)
    case .url(let url):
      let spool = try await makeSpoolFile()
      let profile = profile
      var limits = transferLimits
      limits.maximumBytes = profile.maximumSourceBytes
      let download = try await downloader.download(url, into: spool.descriptor, limits: limits) { head in
        head.probableKind.map(profile.maximumSourceBytes(of:)) ?? profile.maximumSourceBytes
      }
      return try OpenSource(download, in: spool)
    }
  }

  func inspect(_ source: OpenSource) async throws -> MediaFacts {
    let request = InspectRequest(
      enoughSeconds: profile.maximumVideoDuration + profile.maximumGrace, enoughFrames: profile.maximumFrames)
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
