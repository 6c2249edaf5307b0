/// What the endpoint asks of the service behind it.
///
/// Every call has some seconds to answer (`OperationsConfiguration.answerSeconds`); a later answer is dropped, and the
/// client told 503. Calls come from any number of tasks at once.
package protocol OperationsDelegate: Sendable {
  /// Whether the process works at all. A check that fails means that a restart may help, so a queue or a store that is
  /// gone is no reason.
  func health() async -> [Check]

  /// Whether jobs are taken and worked on: queue, store, helpers, disk, and that the service is not about to end.
  func readiness() async -> [Check]

  /// Adds a job.
  /// - Parameter body: its document, at most `OperationsConfiguration.maximumBodyBytes`; nothing else was checked.
  func submit(_ body: [UInt8]) async -> Submission

  /// What is known of a job.
  /// - Parameter id: 1 to 512 bytes of UTF-8 without NUL.
  func job(_ id: String) async -> JobReport

  /// Brings the gauges up to date that nothing else does; called before metrics are written.
  func refreshMetrics() async
}

/// One thing that has to hold.
package struct Check: Sendable, Equatable {
  package var name: String
  /// nil when it holds, else a sentence that says what is wrong.
  package var problem: String?

  package init(_ name: String, problem: String? = nil) {
    self.name = name
    self.problem = problem
  }
}

/// What became of a job that somebody wanted to add.
package enum Submission: Sendable, Equatable {
  case added(id: String)
  /// There was one with this id already; nothing was changed.
  case known(id: String)
  /// The body is no JSON at all.
  case notJSON(message: String)
  /// - Parameter field: where in the document, such as `sources[1].url`; nil when it concerns all of it.
  case invalid(message: String, field: String?)
  /// It cannot be added now: the queue is gone, the disk full, the service about to end.
  case unavailable(message: String)
}

/// What is known of a job.
package enum JobReport: Sendable, Equatable {
  case waiting(attempts: Int)
  case working(attempt: Int)
  /// - Parameter result: the JSON object that the job was completed with; goes into the answer as it is.
  case completed(result: [UInt8])
  /// - Parameter reason: why, a line for each attempt.
  case dead(reason: String)
  case unknown
  case unavailable(message: String)
}
