package import AssetStore
import FoundationEssentials
import MediaChannel
package import Preparation
package import RichPush
package import Transfer

/// Takes jobs through all stages: fetch, inspect, plan, prepare, verify, store.
///
/// Any number of jobs may run at once; what limits the work are the helpers and the downloader. Whatever is wrong with
/// a source becomes a rejection in the job's manifest.
package final class Pipeline: Sendable {
  private let helpers: HelperPool
  private let downloader: Downloader
  private let transferLimits: TransferLimits
  private let store: any AssetStore
  private let profile: Profile

  package init(
    helpers: HelperPool, downloader: Downloader, transferLimits: TransferLimits = TransferLimits(),
    store: any AssetStore, profile: Profile = .ios
  ) {
    self.helpers = helpers
    self.downloader = downloader
    self.transferLimits = transferLimits
    self.store = store
    self.profile = profile
  }

  /// A job's manifest and where it is stored, relative to the store.
  package struct Outcome: Sendable {
    package let manifest: Manifest
    package let json: [UInt8]
    package let location: String
    /// The first source's file as it was when it was read; nil for URLs and what cannot be opened.
    package let state: FileState?
  }

  /// Prepares a job and stores its attachments, then its manifest.
  /// - Throws: `CancellationError` when the task was cancelled, and the `Rejection.Reason` why the manifest could not
  ///   be stored. Nothing is stored under the job's id then.
  package func run(_ job: Job) async throws -> Outcome {
    var attachments: [Attachment] = []
    var rejections: [Rejection] = []
    var warnings: [Warning] = []
    var state: FileState?
    for (index, source) in job.sources.enumerated() {
      let identifier = source.identifier ?? "media-\(index + 1)"
      do {
        let opened = try await fetch(source.location)
        if index == 0 && opened.download == nil { state = opened.state }
        let prepared = try await prepare(opened, identifier: identifier, options: job.options)
        attachments.append(prepared.attachment)
        warnings += prepared.warnings
      } catch let reason as Rejection.Reason {
        try Task.checkCancellation()
        rejections.append(Rejection(source: name(of: source.location), reason: reason))
      }
    }
    let manifest = Manifest(
      id: job.id, preparedAt: Date.now.formatted(.iso8601), attachments: attachments, rejections: rejections,
      warnings: warnings, payload: job.payload)
    try Task.checkCancellation()
    let json = try encoded(manifest)
    return Outcome(
      manifest: manifest, json: json, location: try await store.storeManifest(json, id: job.id), state: state)
  }

  /// What a source is and what would be done with it.
  package struct Inspection: Sendable {
    package let source: String
    package let facts: MediaFacts?
    package let plan: Plan
    package let download: Download?
  }

  /// Finds out about a source without preparing it.
  /// - Throws: `CancellationError` when the task was cancelled.
  package func inspect(_ location: JobSource.Location, options: PreparationOptions) async throws -> Inspection {
    do {
      let source = try await fetch(location)
      do {
        let facts = try await inspect(source)
        return Inspection(
          source: source.name, facts: facts, plan: plan(facts, for: profile, options: options),
          download: source.download)
      } catch let reason as Rejection.Reason {
        try Task.checkCancellation()
        return Inspection(source: source.name, facts: nil, plan: .reject(reason), download: source.download)
      }
    } catch let reason as Rejection.Reason {
      try Task.checkCancellation()
      return Inspection(source: name(of: location), facts: nil, plan: .reject(reason), download: nil)
    }
  }

  // MARK: The stages, in order

  private func prepare(
    _ source: OpenSource, identifier: String, options: PreparationOptions
  ) async throws -> (attachment: Attachment, warnings: [Warning]) {
    async let hash = source.hash()
    let facts = try await inspect(source)
    let recipe: Recipe
    switch plan(facts, for: profile, options: options) {
    case .reject(let reason): throw reason
    case .prepare(let planned): recipe = planned
    }
    let work = try await store.makeWorkFile()
    let file = try await prepare(source, into: work, PrepareRequest(facts: facts, recipe: recipe))
    try await verify(work, expected: file)
    try source.requireUnchanged()
    let sha256 = try await hash
    let stored = try await store.storeAsset(work, as: file.type)
    return (
      Attachment(
        identifier: identifier, asset: asset(stored, file), options: AttachmentOptions(), steps: file.steps,
        source: description(of: source, facts, sha256: sha256)),
      warnings(about: source, facts, file)
    )
  }

  private func fetch(_ location: JobSource.Location) async throws(Rejection.Reason) -> OpenSource {
    switch location {
    case .file(let path): return try await OpenSource(path: path)
    case .url(let url):
      let spool = try await store.makeWorkFile()
      let profile = profile
      var limits = transferLimits
      limits.maximumBytes = profile.maximumSourceBytes
      let download = try await downloader.download(url, into: spool.descriptor, limits: limits) { head in
        head.probableKind.map(profile.maximumSourceBytes(of:)) ?? profile.maximumSourceBytes
      }
      return try OpenSource(download, named: redacted(url), in: spool)
    }
  }

  private func inspect(_ source: OpenSource) async throws -> MediaFacts {
    let request = InspectRequest(
      enoughSeconds: profile.maximumVideoDuration + profile.maximumGrace, enoughFrames: profile.maximumFrames)
    guard case .facts(let facts) = try await helpers.perform(.inspect(request), files: [source.file]) else {
      throw unexpectedAnswer(at: .inspect)
    }
    return facts
  }

  private func prepare(
    _ source: OpenSource, into work: WorkFile, _ request: PrepareRequest
  ) async throws -> PreparedFile {
    let outcome = try await helpers.perform(.prepare(request), files: [source.file, work])
    guard case .prepared(let file) = outcome else { throw unexpectedAnswer(at: .prepare) }
    return file
  }

  private func verify(_ work: WorkFile, expected: PreparedFile) async throws {
    let outcome = try await helpers.perform(.verify(VerifyRequest(expected: expected)), files: [work])
    guard case .verified = outcome else { throw unexpectedAnswer(at: .verify) }
  }

  // MARK: What the manifest says

  private func name(of location: JobSource.Location) -> String {
    switch location {
    case .url(let url): redacted(url)
    case .file(let path): path.description
    }
  }

  private func asset(_ stored: StoredAsset, _ file: PreparedFile) -> Asset {
    Asset(
      type: file.type, location: stored.location, bytes: stored.bytes, sha256: stored.sha256, width: file.width,
      height: file.height, frames: file.frames, duration: file.duration)
  }

  private func description(of source: OpenSource, _ facts: MediaFacts, sha256: String) -> SourceDescription {
    var description = SourceDescription(
      url: source.name, finalURL: source.download?.finalURL, declaredType: source.download?.declaredType,
      format: facts.format.rawValue, bytes: facts.bytes, bytesFetched: source.download?.bytesFetched, sha256: sha256)
    switch facts.content {
    case .image(let image):
      (description.width, description.height) = (image.width, image.height)
      description.duration = image.duration
    case .video(let video):
      (description.width, description.height) = (video.width, video.height)
      description.duration = video.duration.presented
    case .audio(let audio): description.duration = audio.duration.presented
    }
    return description
  }

  private func warnings(about source: OpenSource, _ facts: MediaFacts, _ file: PreparedFile) -> [Warning] {
    var warnings: [Warning] = []
    if let type = source.download?.declaredType, let claimed = ClaimedType(contentType: type),
      !claimed.allows(facts.format)
    {
      warnings.append(
        Warning(
          source: source.name, code: .typeMismatch,
          message: "served as \(type), contains \(facts.format.rawValue)"))
    }
    if let name = source.claimedExtension, let claimed = ClaimedType(fileExtension: name),
      !claimed.allows(facts.format)
    {
      warnings.append(
        Warning(
          source: source.name, code: .typeMismatch, message: "named .\(name), contains \(facts.format.rawValue)"))
    }
    return warnings + file.reductions.map { Warning(source: source.name, code: .reduced, message: $0) }
  }
}

/// The JSON of a manifest: keys in order, so that the same manifest is the same bytes.
package func encoded(_ value: some Encodable) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
}

private func unexpectedAnswer(at stage: Rejection.Stage) -> Rejection.Reason {
  Rejection.Reason(.decoderCrashed, at: stage, "the decoder answered another question than it was asked")
}
