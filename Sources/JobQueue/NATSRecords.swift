/// How a lease of a job ended. Each has one ending.
///
/// The first lease of a job, as a rule its only one, ends with the job's result or with one of these in the stream of
/// results, where the message's id lets only one of both in. A stream that keeps one message for each job has a copy,
/// and after it the endings of all further leases: that of the last one, each published in place of the one before.
/// Completed then comes before the result.
struct NATSEnding: Sendable, Equatable {
  enum Kind: String, Sendable {
    /// Given back by its holder, to be due at some time.
    case returned
    /// Nothing was heard of its holder for too long, and somebody else took the job.
    case expired
    case buried
    case purged
    case completed
  }

  var kind: Kind
  /// The attempts that have been spent until then.
  var attempts: Int
  /// How often the message had been handed out when the lease ended.
  var deliveries: UInt64
  /// Milliseconds since 1970.
  var due: Int64 = 0
  /// Of all attempts until then, a line each.
  var reasons: String
  /// Of a job that was completed.
  var result: [UInt8] = []

  init(kind: Kind, attempts: Int, deliveries: UInt64, due: Int64 = 0, reasons: String) {
    self.kind = kind
    self.attempts = attempts
    self.deliveries = deliveries
    self.due = due
    self.reasons = reasons
  }

  init?(_ message: JetStream.Stored) {
    guard let kind = message.headers[NATSHeader.ending].flatMap(Kind.init) else { return nil }
    self.kind = kind
    attempts = message.headers[NATSHeader.attempts].flatMap { Int($0) } ?? 0
    deliveries = message.headers[NATSHeader.deliveries].flatMap { UInt64($0) } ?? 0
    due = message.headers[NATSHeader.due].flatMap { Int64($0) } ?? 0
    reasons = kind == .completed ? "" : String(decoding: message.data, as: UTF8.self)
    result = kind == .completed ? message.data : []
  }

  var data: [UInt8] { kind == .completed ? result : Array(reasons.utf8) }

  var headers: [(name: String, value: String)] {
    [
      (NATSHeader.ending, kind.rawValue), (NATSHeader.attempts, String(attempts)),
      (NATSHeader.deliveries, String(deliveries)), (NATSHeader.due, String(due)),
    ]
  }
}

/// The ending of the last lease of a job that has ended.
struct NATSLastEnding: Sendable {
  /// That of the lease.
  var number: UInt64
  /// That of the message in the stream of endings; 0 when it is not there.
  var sequence: UInt64
  var ending: NATSEnding
}

/// Reasons of attempts, a line each.
enum NATSReasons {
  /// Of all of them. As a header of a dead letter, percent-encoded, they stay below the 64 KB that headers may have.
  private static let maximumBytes = 20_000

  /// Adds a line; what is too long loses its oldest lines.
  static func adding(_ reason: String, attempt: Int, to reasons: String) -> String {
    adding("attempt \(attempt): \(reasonLine(reason))", to: reasons)
  }

  static func adding(_ line: String, to reasons: String) -> String {
    var lines = reasons.split(separator: "\n").map(String.init) + [line]
    while lines.count > 1, lines.reduce(0, { $0 + $1.utf8.count + 1 }) > maximumBytes { lines.removeFirst() }
    return lines.joined(separator: "\n")
  }
}

/// A lease that this process holds.
struct NATSHeld: Sendable {
  var delivery: NATSDelivery
  /// Counts the leases of the job's message, from 1 on.
  var number: UInt64
  /// The attempts spent before this one.
  var attemptsBefore: Int
  var reasons: String
  /// The sequence number of the ending of the lease before, in the stream of endings; 0 when none is there.
  var previous: UInt64 = 0
  /// When it runs out unless it is extended.
  var end: ContinuousClock.Instant
  /// Names what is written for this lease.
  var writer: String

  var token: UInt64 { NATSToken.make(delivery.sequence, number) }
  var attempt: Int { attemptsBefore + 1 }
  var lease: Lease {
    Lease(id: delivery.id, body: delivery.body, attempt: attempt, token: token, addedAt: delivery.added)
  }
}

/// Fencing tokens: the number of the job's message, which rises when it is added again, and that of the lease.
enum NATSToken {
  static func make(_ sequence: UInt64, _ number: UInt64) -> UInt64 { sequence << 20 | number }
  static func sequence(_ token: UInt64) -> UInt64 { token >> 20 }
  static func number(_ token: UInt64) -> UInt64 { token & 0xFFFFF }
}
