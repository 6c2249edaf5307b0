import JobQueue
import Pipeline
import RichPush
import Synchronization

/// Stands in for the pipeline: says what becomes of jobs, and remembers what was published.
final class FakeWork: JobWork {
  typealias Preparation = @Sendable (Job, _ attempt: Int) async throws -> Manifest

  private let preparation: Preparation
  private let state = Mutex(State())

  private struct State {
    var attempts: [String: Int] = [:]
    var published: [String: [Manifest]] = [:]
    var storeFault: Rejection.Reason?
    var refusedManifests: Set<String> = []
    var helperFault: String?
    var inWork = 0
    var mostInWork = 0
  }

  init(_ preparation: @escaping Preparation = { job, _ in ready(job) }) {
    self.preparation = preparation
  }

  func prepare(_ job: Job) async throws -> Manifest {
    let attempt = state.withLock { state in
      state.attempts[job.id, default: 0] += 1
      state.inWork += 1
      state.mostInWork = max(state.mostInWork, state.inWork)
      return state.attempts[job.id] ?? 1
    }
    defer { state.withLock { $0.inWork -= 1 } }
    return try await preparation(job, attempt)
  }

  func publish(_ manifest: Manifest) async throws(Rejection.Reason) -> String {
    let fault = state.withLock { state in
      let fault = state.refusedManifests.contains(manifest.id) ? diskFull : state.storeFault
      if fault == nil { state.published[manifest.id, default: []].append(manifest) }
      return fault
    }
    if let fault { throw fault }
    return "manifests/\(manifest.id).json"
  }

  func manifest(of id: String) async -> Manifest? { published(id).last }

  var isSaturated: Bool { false }

  var storeAnswers: Bool { storeFault == nil }

  var helperFault: String? {
    get { state.withLock(\.helperFault) }
    set { state.withLock { $0.helperFault = newValue } }
  }

  var storeFault: Rejection.Reason? {
    get { state.withLock(\.storeFault) }
    set { state.withLock { $0.storeFault = newValue } }
  }

  /// The ids of jobs whose manifests the store does not take.
  var refusedManifests: Set<String> {
    get { state.withLock(\.refusedManifests) }
    set { state.withLock { $0.refusedManifests = newValue } }
  }

  func attempts(at id: String) -> Int { state.withLock { $0.attempts[id] ?? 0 } }
  func published(_ id: String) -> [Manifest] { state.withLock { $0.published[id] ?? [] } }
  var publishedIDs: Set<String> { state.withLock { Set($0.published.keys) } }
  var mostInWork: Int { state.withLock(\.mostInWork) }
}

/// A manifest with an attachment for each source.
func ready(_ job: Job) -> Manifest {
  manifest(job, attachments: job.sources.count)
}

/// A manifest with some attachments, and a rejection for each further source.
func manifest(
  _ job: Job, attachments: Int, _ reason: Rejection.Reason = unreachable, preparedAt: String = "2026-11-30T00:00:00Z"
) -> Manifest {
  let asset = Asset(type: .jpeg, location: "assets/aa/aa.jpg", bytes: 1, sha256: "aa")
  let attachment = Attachment(
    identifier: "media-1", asset: asset, options: AttachmentOptions(), steps: [],
    source: SourceDescription(url: "x", format: "jpeg", bytes: 1, sha256: "aa"))
  return Manifest(
    id: job.id, preparedAt: preparedAt, attachments: Array(repeating: attachment, count: attachments),
    rejections: job.sources.dropFirst(attachments).map { Rejection(source: $0.location.publicName, reason: reason) },
    warnings: [])
}

let unreachable = Rejection.Reason(.fetchFailed, at: .fetch, "could not connect to example.com")
let corrupt = Rejection.Reason(.corrupt, at: .inspect, "the picture ends in its middle")
let diskFull = Rejection.Reason(.storeFailed, at: .store, "no space is left on the disk")
