package import JobQueue
import Preparation
package import RichPush
import Transfer

extension NewJob {
  /// A job to be queued, from its JSON, which is checked as far as that is possible without looking at the sources:
  /// whoever adds a job is to learn of what a worker could only reject.
  /// - Parameter takesCallbacks: whether the job may ask for one.
  package init(json bytes: [UInt8], takesCallbacks: Bool = true) throws(JobDocument.Fault) {
    let document = try JobDocument(json: bytes)
    let job = try Job(document, defaults: PreparationOptions())
    for (index, source) in job.sources.enumerated() {
      guard case .url(let url) = source.location else { continue }
      try Self.requireRequestable(url, field: "sources[\(index)]")
    }
    if let callback = document.callback {
      guard takesCallbacks else {
        throw JobDocument.Fault("callback", "cannot be served: this worker has no secret to sign with")
      }
      try Self.requireRequestable(callback, field: "callback")
    }
    self.init(id: document.id, body: bytes, deadline: document.expiresAt?.secondsSince1970)
  }

  private static func requireRequestable(_ url: String, field: String) throws(JobDocument.Fault) {
    if let fault = requestFault(of: url) { throw JobDocument.Fault(field, fault) }
  }
}
