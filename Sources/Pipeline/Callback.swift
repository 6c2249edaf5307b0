import FoundationEssentials
import JobQueue
package import RichPush

/// A message that a job's callback URL is to get. It is a job itself, on the same queue, so that it outlives the worker
/// and is tried again like any other.
struct Callback: Codable, Sendable, Equatable {
  var schema = "enclosure.callback/1"
  /// Never logged as a whole: it may hold secrets.
  let url: String
  let message: JobResult
  /// When the job was added, in whole seconds since 1970: its id may be used again when it has been forgotten.
  let jobAddedAt: Int

  init(to url: String, _ message: JobResult, of lease: Lease) {
    self.url = url
    self.message = message
    jobAddedAt = Int(lease.addedAt)
  }

  static let idPrefix = JobDocument.reservedIDPrefix + "callback/"

  /// Those who enqueue the same message twice send it once; a job that ends in another way later has another message.
  var id: String { "\(Self.idPrefix)\(message.status.rawValue)/\(jobAddedAt)/\(message.id)" }

  var job: NewJob {
    get throws { NewJob(id: id, body: try encodedLine(self)) }
  }

  init(job lease: Lease) throws {
    self = try JSONDecoder().decode(Callback.self, from: Data(lease.body))
  }

  /// What is posted: the same bytes each time.
  var body: [UInt8] {
    get throws { try encodedLine(message) }
  }
}

/// Posts callbacks.
package protocol CallbackSender: Sendable {
  /// - Parameters:
  ///   - id: names the message: the same for each attempt.
  ///   - body: a JSON document.
  /// - Throws: why it was not accepted; transient when it may be later.
  func post(_ body: [UInt8], to url: String, id: String) async throws(Rejection.Reason)
}
