package import AssetStore
import FoundationEssentials
import MediaChannel
import Preparation
package import RichPush
import Synchronization

/// Takes jobs through all stages: fetch, inspect, plan, prepare, verify, store.
///
/// Any number of jobs may run at once; what limits the work are the helpers and the downloader. Whatever is wrong with
/// a source becomes a rejection in the job's manifest.
package struct Pipeline: Sendable {
  let reader: SourceReader
  let store: any AssetStore
  private let publicAddress: PublicAddress?
  private let rules: NotificationRules
  private let preparations = SingleFlight<PreparationKey, PreparedAsset>()

  /// - Parameters:
  ///   - publicAddress: where the public gets what is in the store; gives attachments their URLs.
  ///   - rules: what becomes of the notifications that jobs bring.
  package init(
    reader: SourceReader, store: any AssetStore, publicAddress: PublicAddress? = nil,
    rules: NotificationRules = NotificationRules()
  ) {
    self.reader = reader
    self.store = store
    self.publicAddress = publicAddress
    self.rules = rules
  }

  /// A job's manifest and where it is stored, relative to the store.
  package struct Outcome: Sendable {
    package let manifest: Manifest
    package let json: [UInt8]
    package let location: String
    /// The first source's file as it was when it was opened; nil for URLs and what cannot be opened.
    package let state: FileState?
  }

  /// Prepares a job and stores its attachments, then its manifest.
  /// - Throws: `CancellationError` when the task was cancelled, and the `Rejection.Reason` why the manifest could not
  ///   be stored. Nothing is stored under the job's id then.
  package func run(_ job: Job) async throws -> Outcome {
    let (manifest, state) = try await verdicts(on: job)
    try Task.checkCancellation()
    do {
      let (location, json) = try await store(manifest)
      return Outcome(manifest: manifest, json: json, location: location, state: state)
    } catch {
      // A store may be cut short.
      try Task.checkCancellation()
      throw error
    }
  }

  /// Prepares a job and stores its attachments, but not its manifest.
  /// - Throws: `CancellationError` when the task was cancelled.
  package func prepare(_ job: Job) async throws -> Manifest {
    try await verdicts(on: job).0
  }

  /// Stores a manifest whose attachments are stored.
  /// - Returns: its location and its bytes.
  package func store(_ manifest: Manifest) async throws(Rejection.Reason) -> (location: String, json: [UInt8]) {
    let json: [UInt8]
    do {
      json = try manifest.json()
    } catch {
      throw Rejection.Reason(.storeFailed, at: .store, "the manifest cannot be written as JSON", permanent: true)
    }
    let location = try await reader.metrics.measure(.store) { () throws(Rejection.Reason) in
      try await store.storeManifest(json, id: manifest.id)
    }
    return (location, json)
  }

  private func verdicts(on job: Job) async throws -> (Manifest, FileState?) {
    if let reason = rules.refusal(of: job, at: publicAddress) {
      let manifest = Manifest(
        rejecting: job.id, sources: job.sources.map(\.location.publicName), for: reason,
        preparedAt: Date.now.formatted(.iso8601), payload: job.payload)
      return (manifest, nil)
    }
    let verdicts = try await withThrowingTaskGroup(of: (Int, Verdict).self) { group in
      for (index, source) in job.sources.enumerated() {
        group.addTask {
          (index, try await verdict(on: source, number: index + 1, options: job.options))
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let inOrder = job.sources.indices.compactMap { verdicts[$0] }
    let attachments = inOrder.compactMap(\.attachment).map { attachment in
      var attachment = attachment
      attachment.options.thumbnailHidden = job.thumbnailHidden
      // Sound has no picture.
      if attachment.asset.type.kind != .audio { attachment.options.thumbnailClippingRect = job.thumbnailClippingRect }
      return attachment
    }
    let notification = rules.completed(job, attachments, at: publicAddress)
    let manifest = Manifest(
      id: job.id, preparedAt: Date.now.formatted(.iso8601), attachments: attachments,
      rejections: inOrder.compactMap(\.rejection), warnings: inOrder.flatMap(\.warnings) + notification.warnings,
      payload: notification.payload)
    return (manifest, inOrder.first?.state)
  }

  /// What became of one source.
  private struct Verdict: Sendable {
    var attachment: Attachment?
    var rejection: Rejection?
    var warnings: [Warning] = []
    var state: FileState?
  }

  private func verdict(on source: JobSource, number: Int, options: PreparationOptions) async throws -> Verdict {
    var verdict = Verdict()
    do {
      let opened = try await reader.fetch(source.location, options: options)
      if case .file = source.location { verdict.state = opened.state }
      let name = source.location.publicName
      let (attachment, warnings): (Attachment, [Remark])
      do {
        (attachment, warnings) = try await prepare(
          opened, named: name, identifier: source.identifier ?? defaultIdentifier(ofSource: number), options: options)
      } catch let reason as Rejection.Reason {
        // What looks truncated may only not be there yet.
        try opened.requireUnchanged()
        throw reason
      }
      reader.metrics.attached(attachment)
      verdict.attachment = attachment
      verdict.warnings = warnings.map { Warning(source: name, code: $0.code, message: $0.message) }
    } catch let reason as Rejection.Reason {
      try Task.checkCancellation()
      reader.metrics.rejected(reason)
      verdict.rejection = Rejection(source: source.location.publicName, reason: reason)
    }
    return verdict
  }

  private func prepare(
    _ source: OpenSource, named name: String, identifier: String, options: PreparationOptions
  ) async throws -> (Attachment, [Remark]) {
    let facts = try await reader.inspect(source)
    let recipe: Recipe
    switch plan(facts, for: reader.profile, options: options) {
    case .reject(let reason): throw reason
    case .prepare(let planned): recipe = planned
    }
    let (made, sha256) = try await attachment(of: source, PrepareRequest(facts: facts, recipe: recipe))
    let attachment = Attachment(
      identifier: identifier, asset: Asset(made.stored, made.file, at: publicAddress),
      options: AttachmentOptions(thumbnailTime: made.poster?.made.seconds),
      poster: made.poster.map { Asset($0.stored, $0.made.file, at: publicAddress) },
      placeholder: made.poster?.made.file.placeholder ?? made.file.placeholder,
      steps: made.file.steps + (made.poster?.steps ?? []),
      source: source.description(named: name, facts, sha256: sha256))
    return (attachment, source.remarks(facts) + made.file.reductions.map { (.reduced, $0) })
  }

  private struct PreparationKey: Hashable {
    let sha256: String
    let recipe: [UInt8]
  }

  /// The stored attachment, and the SHA-256 of the source.
  ///
  /// Of a download, whose hash is known, the same attachment is made once for all who want it at the same moment. A file
  /// is hashed while it is prepared: to wait for that would cost more than is ever saved.
  private func attachment(
    of source: OpenSource, _ request: PrepareRequest
  ) async throws -> (PreparedAsset, sha256: String) {
    guard let sha256 = source.knownHash else { return try await make(request, of: source) }
    guard source.isShared else { return (try await recalledOrMade(request, of: source, sha256), sha256) }
    let key = PreparationKey(sha256: sha256, recipe: try encoded(request.recipe))
    let made = try await preparations.value(for: key) {
      if let known = source.findings.assets.withLock({ $0[key.recipe] }) { return known }
      let made = try await recalledOrMade(request, of: source, sha256)
      source.findings.assets.withLock { $0[key.recipe] = made }
      return made
    }
    return (made, sha256)
  }

  private func recalledOrMade(
    _ request: PrepareRequest, of source: OpenSource, _ sha256: String
  ) async throws -> PreparedAsset {
    guard let memory = reader.memory else { return try await make(request, of: source).0 }
    if let known = try await memory.asset(of: sha256, request.recipe), await hasAll(of: known) {
      reader.metrics.lookedUp(.asset, isHit: true)
      return known
    }
    reader.metrics.lookedUp(.asset, isHit: false)
    let (made, _) = try await make(request, of: source)
    try await memory.keep(made, of: sha256, request.recipe)
    return made
  }

  private func hasAll(of asset: PreparedAsset) async -> Bool {
    for stored in [asset.stored] + [asset.poster?.stored].compactMap({ $0 }) {
      guard await store.hasAsset(at: stored.location, bytes: stored.bytes) else { return false }
    }
    return true
  }

  /// Prepares, verifies and stores.
  private func make(
    _ request: PrepareRequest, of source: OpenSource
  ) async throws -> (PreparedAsset, sha256: String) {
    let source = source.isShared ? try await source.reopened() : source
    async let hash = source.hash()
    let work = try await store.makeWorkFile()
    let file = try await prepare(source, into: work, request)
    try await verify(work, expected: file)
    let sha256 = try await hash
    try source.requireUnchanged()
    let poster = try await storedPoster(of: work, file)
    let stored = try await stored(work, as: file.type)
    return (PreparedAsset(stored: stored, file: file, poster: poster), sha256)
  }

  private func prepare(
    _ source: OpenSource, into work: WorkFile, _ request: PrepareRequest
  ) async throws -> PreparedFile {
    let outcome = try await reader.metrics.measure(.prepare) {
      try await reader.helpers.perform(.prepare(request), files: [source.file, work])
    }
    guard case .prepared(let file) = outcome else { throw unexpectedAnswer(at: .prepare) }
    return file
  }

  /// A video's still, made of the prepared file, so that it shows what a phone will.
  /// - Returns: nil for what is no video.
  private func storedPoster(of video: WorkFile, _ file: PreparedFile) async throws -> StoredPoster? {
    guard file.type.kind == .video, let duration = file.duration else { return nil }
    let work = try await store.makeWorkFile()
    let request = PosterRequest(recipe: reader.profile.poster, duration: duration)
    let outcome = try await reader.metrics.measure(.prepare) {
      try await reader.helpers.perform(.poster(request), files: [video, work])
    }
    guard case .poster(let made) = outcome else { throw unexpectedAnswer(at: .prepare) }
    try await verify(work, expected: made.file)
    return StoredPoster(stored: try await stored(work, as: made.file.type), made: made)
  }

  private func stored(_ work: WorkFile, as type: AttachmentType) async throws(Rejection.Reason) -> StoredAsset {
    let stored = try await reader.metrics.measure(.store) { () throws(Rejection.Reason) in
      try await store.storeAsset(work, as: type)
    }
    reader.metrics.stored(bytes: stored.bytes)
    return stored
  }

  private func verify(_ work: WorkFile, expected: PreparedFile) async throws {
    let outcome = try await reader.metrics.measure(.verify) {
      try await reader.helpers.perform(.verify(VerifyRequest(expected: expected)), files: [work])
    }
    guard case .verified = outcome else { throw unexpectedAnswer(at: .verify) }
  }
}

extension Manifest {
  /// Its JSON, with the payload's numbers as the sender wrote them.
  fileprivate func json() throws -> [UInt8] {
    let json = try encoded(self)
    guard let payload, payload.holdsNumeral, var members = try JSONValue(parsing: json).asObject else { return json }
    // The encoder has no way to write a number that it cannot hold.
    members["payload"] = payload
    return JSONValue.object(members).utf8(indented: true) + [UInt8(ascii: "\n")]
  }
}

/// The JSON of a document: keys in order, so that the same document is the same bytes.
package func encoded(_ value: some Encodable) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
}

/// The JSON of a message that goes into others, on one line without its end; keys in order.
func encodedLine(_ value: some Encodable) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return Array(try encoder.encode(value))
}
