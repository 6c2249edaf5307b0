package import RichPush

/// What a worker has done with jobs: the pipeline, apart from queues.
package protocol JobWork: Sendable {
  /// Prepares a job and stores its attachments, but not its manifest.
  /// - Throws: `CancellationError` when the task was cancelled or the program ends.
  func prepare(_ job: Job) async throws -> Manifest

  /// Stores a manifest whose attachments are stored.
  /// - Returns: its location.
  func publish(_ manifest: Manifest) async throws(Rejection.Reason) -> String

  /// Whether so much waits for helpers that there is no use in beginning more.
  var isSaturated: Bool { get }

  /// Why there are no helpers; nil as long as there are.
  var helperFault: String? { get }
}

extension Pipeline: JobWork {
  package func publish(_ manifest: Manifest) async throws(Rejection.Reason) -> String {
    try await store(manifest).location
  }

  package var isSaturated: Bool { reader.helpers.backlog >= 4 * reader.helpers.processes }

  package var helperFault: String? { reader.helpers.startFault }
}
