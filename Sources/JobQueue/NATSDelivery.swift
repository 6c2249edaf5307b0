/// A job's message as the consumer hands it out.
struct NATSDelivery: Sendable {
  var id: String
  var body: [UInt8]
  var headers: [String: String]
  /// Where what becomes of it is to be told.
  var reply: String
  /// The message's number in its stream: a job that is added again gets another one.
  var sequence: UInt64
  /// How often it has been handed out, this time included.
  var deliveries: UInt64
  /// When it was added, in seconds since 1970.
  var added: Double
  /// Whether it has been lying here for a while, so that the server may have handed the job to somebody else.
  var isKept = false

  /// nil for a message that is no job.
  init?(_ message: NATSMessage) {
    guard let reply = message.reply, let id = NATSNames.id(of: message.subject) else { return nil }
    // $JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<consumer's sequence>.<time>.<pending>, where newer servers
    // put domain and account before the stream, and something random behind all.
    let parts = reply.split(separator: ".")
    guard parts.count >= 9, parts[0] == "$JS", parts[1] == "ACK" else { return nil }
    let first = parts.count >= 11 ? 6 : 4
    guard let deliveries = UInt64(parts[first]), let sequence = UInt64(parts[first + 1]),
      let nanoseconds = Double(parts[first + 3])
    else { return nil }
    self.id = id
    body = message.data
    headers = message.headers
    self.reply = reply
    self.sequence = sequence
    self.deliveries = deliveries
    added = nanoseconds / 1e9
  }

  /// Whether nobody else can have had the job.
  var isFirst: Bool { deliveries == 1 && !isKept }

  /// When the job is of no use any more, in seconds since 1970.
  var deadline: Double? { headers[NATSHeader.deadline].flatMap { Double($0) } }
}

/// The headers of the queue's messages.
enum NATSHeader {
  static let messageId = "Nats-Msg-Id"
  static let expectedLast = "Nats-Expected-Last-Subject-Sequence"
  /// Of a job: when it is of no use any more, in seconds since 1970.
  static let deadline = "Enclosure-Deadline"
  /// Who wrote a message: tells one's own from somebody else's when an answer was lost.
  static let writer = "Enclosure-Writer"
  /// The lease that ended a job, of its result.
  static let token = "Enclosure-Token"
  static let attempts = "Enclosure-Attempts"
  /// Reasons of attempts, percent-encoded.
  static let reasons = "Enclosure-Reasons"
  static let ending = "Enclosure-Ending"
  /// The number of the lease that an ending is of.
  static let lease = "Enclosure-Lease"
  static let deliveries = "Enclosure-Deliveries"
  /// From when on a job may be handed out again, in milliseconds since 1970.
  static let due = "Enclosure-Due"
  /// The number of the lease that comes next.
  static let next = "Enclosure-Next"
  /// The dead letter that a job was.
  static let letter = "Enclosure-Letter"
}
