/// A job as it is added.
package struct NewJob: Sendable, Equatable {
  /// 1 to 512 bytes of UTF-8. Two jobs of one id are one job.
  package var id: String
  /// The job's document, at most `maximumBodyBytes`.
  package var body: [UInt8]
  /// When it is of no use any more, in seconds since 1970; nil for never. Jobs with an early one go first.
  package var deadline: Double?

  package static let maximumIdBytes = 512
  /// Well below the megabyte of a NATS message, and a hundred times what a job needs.
  package static let maximumBodyBytes = 512 * 1024

  package init(id: String, body: [UInt8], deadline: Double? = nil) {
    self.id = id
    self.body = body
    self.deadline = deadline
  }

  /// Says whether any queue takes this job.
  /// - Throws: `refused`.
  package func check() throws(QueueFailure) {
    guard !id.isEmpty else { throw .refused("the job's id is empty") }
    guard id.utf8.count <= Self.maximumIdBytes else {
      throw .refused("the job's id has \(id.utf8.count) bytes; at most \(Self.maximumIdBytes) are taken")
    }
    guard body.count <= Self.maximumBodyBytes else {
      throw .refused("the job's document has \(body.count) bytes; at most \(Self.maximumBodyBytes) are taken")
    }
    guard deadline?.isFinite ?? true else { throw .refused("the job's deadline is no time") }
  }
}

package enum Enqueued: Sendable, Equatable {
  case added
  /// There was a job with this id already; nothing was changed.
  case known
}

/// A job on loan.
package struct Lease: Sendable, Hashable {
  package let id: String
  package let body: [UInt8]
  /// Which attempt this is, from 1 on. Attempts that ended with a worker's death count.
  package let attempt: Int
  /// Rises with every lease of the job.
  package let token: UInt64
  /// When it was added, or put back from the dead letters, in seconds since 1970 by the queue's clock: for NATS, its
  /// server's.
  package let addedAt: Double

  package init(id: String, body: [UInt8], attempt: Int, token: UInt64, addedAt: Double) {
    self.id = id
    self.body = body
    self.attempt = attempt
    self.token = token
    self.addedAt = addedAt
  }
}

package enum JobState: Sendable, Equatable {
  case waiting(attempts: Int)
  case leased(attempt: Int)
  /// `result` is what it was completed with.
  case completed(result: [UInt8])
  /// `reason` is that of the dead letter.
  case dead(reason: String)
}

package struct DeadLetter: Sendable, Equatable {
  package var id: String
  package var body: [UInt8]
  package var attempts: Int
  /// Why, after the reasons of the attempts before, a line each, such as `attempt 2: the origin answered 503`.
  package var reason: String
  /// Seconds since 1970.
  package var buriedAt: Double

  package init(id: String, body: [UInt8], attempts: Int, reason: String, buriedAt: Double) {
    self.id = id
    self.body = body
    self.attempts = attempts
    self.reason = reason
    self.buriedAt = buriedAt
  }
}
