import AssetStore
import Blocking
import FoundationEssentials
import Glibc
package import RichPush

/// What a worker has done with jobs: the pipeline, apart from queues.
package protocol JobWork: Sendable {
  /// Prepares a job and stores its attachments, but not its manifest.
  /// - Throws: `CancellationError` when the task was cancelled or the program ends.
  func prepare(_ job: Job) async throws -> Manifest

  /// Stores a manifest whose attachments are stored.
  /// - Returns: its location.
  func publish(_ manifest: Manifest) async throws(Rejection.Reason) -> String

  /// The stored manifest of the job with this id; nil when there is none that can be read.
  func manifest(of id: String) async -> Manifest?

  /// Whether so much waits for helpers that there is no use in beginning more.
  var isSaturated: Bool { get }

  /// Whether the store seems to be there, as far as can be told without a job.
  var storeAnswers: Bool { get async }

  /// Why there are no helpers; nil as long as there are.
  var helperFault: String? { get }
}

extension Pipeline: JobWork {
  package func publish(_ manifest: Manifest) async throws(Rejection.Reason) -> String {
    try await store(manifest).location
  }

  package func manifest(of id: String) async -> Manifest? {
    guard let json = try? await store.manifest(id: id) else { return nil }
    return try? JSONDecoder().decode(Manifest.self, from: Data(json))
  }

  package var isSaturated: Bool { reader.helpers.backlog >= 4 * reader.helpers.processes }

  package var storeAnswers: Bool {
    get async { await seemsUsable(store) }
  }

  package var helperFault: String? { reader.helpers.startFault }
}

/// Whether a store can be asked, and has room for a small file. That files get into it only a job can show.
private func seemsUsable(_ store: any AssetStore) async -> Bool {
  let file: WorkFile
  do throws(Rejection.Reason) {
    file = try await store.makeWorkFile()
    // There is none; but that has to be the answer.
    _ = try await store.manifest(id: JobDocument.reservedIDPrefix + "probe")
  } catch {
    return false
  }
  return await blocking {
    let sample = [UInt8](repeating: 0, count: 256 << 10)
    return pwrite(file.descriptor, sample, sample.count, 0) == sample.count && fdatasync(file.descriptor) == 0
  }
}
