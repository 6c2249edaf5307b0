/// How a lease of a job ended without completing it, as the queue's results stream keeps it.
///
/// Each lease has one ending: its result, or one of these. All are published with the lease's number as their message
/// id, and for subjects that have no message yet, so that the first one counts.
struct NATSEnding: Sendable, Equatable {
  enum Kind: String, Sendable {
    /// Given back by its holder, to be due at some time.
    case returned
    /// Nothing was heard of its holder for too long, and somebody else took the job.
    case expired
    case buried
    case purged
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
    reasons = String(decoding: message.data, as: UTF8.self)
  }

  var headers: [(name: String, value: String)] {
    [
      (NATSHeader.ending, kind.rawValue), (NATSHeader.attempts, String(attempts)),
      (NATSHeader.deliveries, String(deliveries)), (NATSHeader.due, String(due)),
    ]
  }
}

/// Reasons of attempts, a line each.
enum NATSReasons {
  private static let maximumReasonBytes = 1_000
  /// Of all of them. As a header of a dead letter, percent-encoded, they stay below the 64 KB that headers may have.
  private static let maximumBytes = 20_000

  /// Adds a line; what is too long loses its oldest lines.
  static func adding(_ reason: String, attempt: Int, to reasons: String) -> String {
    adding("attempt \(attempt): \(line(reason))", to: reasons)
  }

  static func adding(_ line: String, to reasons: String) -> String {
    var lines = reasons.split(separator: "\n").map(String.init) + [line]
    while lines.count > 1, lines.reduce(0, { $0 + $1.utf8.count + 1 }) > maximumBytes { lines.removeFirst() }
    return lines.joined(separator: "\n")
  }

  private static func line(_ reason: String) -> String {
    let words = reason.split { $0.isNewline || $0 == "\0" }.joined(separator: " ")
    guard words.utf8.count > maximumReasonBytes else { return words }
    return String(decoding: words.utf8.prefix(maximumReasonBytes), as: UTF8.self) + "…"
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
