package import JobQueue
import Preparation
package import RichPush

extension NewJob {
  /// A job to be queued, from its JSON, which is checked as far as that is possible without looking at the sources.
  package init(json bytes: [UInt8]) throws(JobDocument.Fault) {
    let document = try JobDocument(json: bytes)
    // Whoever adds a job is to learn of what a worker could only reject.
    _ = try Job(document, defaults: PreparationOptions())
    self.init(id: document.id, body: bytes, deadline: document.expiresAt?.secondsSince1970)
  }
}
