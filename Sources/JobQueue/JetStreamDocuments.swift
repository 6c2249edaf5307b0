import FoundationEssentials

// The documents of JetStream's requests and answers, as far as they are needed. Their keys are the server's, whose
// snake_case is converted.

/// The numbers that answers say no with (`errors.json` of nats-server).
enum JetStreamCode {
  static let unavailable = 10008
  static let consumerTaken = 10013
  static let noConsumer = 10014
  static let noMessage = 10037
  static let noSequence = 10043
  static let deleteFailed = 10057
  static let notEnabledForAccount = 10039
  static let notEnabled = 10076
  static let nameTaken = 10058
  static let noStream = 10059
  static let storeFailed = 10077
  static let wrongLastSequence = 10071
  /// A cluster without a leader, without enough servers, a full or a broken disk: it may be over in a moment.
  static let passing: Set<Int> = [
    10002, 10005, unavailable, 10023, 10028, 10047, noStream, noConsumer, storeFailed, 10104, 10118, 10119,
  ]
}

struct Failed: Decodable {
  struct Reason: Decodable {
    var code: Int
    var errCode: Int?
    var description: String?
  }

  var error: Reason?
}

struct Acknowledgement: Decodable {
  var duplicate: Bool?
  var error: Failed.Reason?
}

struct Nothing: Encodable {}
struct Done: Decodable {}

struct MessageRequest: Encodable {
  var seq: UInt64?
  var lastBySubj: String?
  var nextBySubj: String?
}

struct MessageAnswer: Decodable {
  struct Message: Decodable {
    var subject: String
    var seq: UInt64
    var hdrs: Data?
    var data: Data?
    var time: String?
  }

  var message: Message
}

struct DeleteRequest: Encodable { var seq: UInt64 }
struct PurgeRequest: Encodable { var filter: String }
struct Purged: Decodable { var purged: Int? }
struct StreamRequest: Encodable { var subjectsFilter: String? }

struct StreamAnswer: Decodable, Sendable {
  struct State: Decodable, Sendable {
    var messages: Int
    var lastSeq: UInt64
    var subjects: [String: Int]?
  }

  var config: StreamSettings
  var state: State
}

/// Times are in nanoseconds, and 0 or -1 is no limit.
struct StreamSettings: Codable, Sendable, Equatable {
  var name: String
  var subjects: [String]
  var retention = "limits"
  var discard = "old"
  var discardNewPerSubject: Bool?
  var maxMsgsPerSubject: Int?
  var maxMsgs: Int?
  var maxAge: Int64?
  var storage = "file"
  var numReplicas: Int
  var duplicateWindow: Int64?
  var allowDirect: Bool?

  init(name: String, subjects: [String], replicas: Int) {
    self.name = name
    self.subjects = subjects
    numReplicas = replicas
  }
}

struct ConsumerRequest: Encodable {
  var streamName: String
  var config: ConsumerSettings
}

struct ConsumerSettings: Codable, Sendable {
  var durableName: String
  var ackPolicy = "explicit"
  var ackWait: Int64
  var maxDeliver = -1
  var maxAckPending: Int?
  var maxWaiting: Int?
  var deliverPolicy = "all"
  var replayPolicy = "instant"
}

struct ConsumerAnswer: Decodable, Sendable {
  struct Position: Decodable, Sendable {
    var consumerSeq: UInt64
    var streamSeq: UInt64
  }

  var config: ConsumerSettings
  var delivered: Position
  var numAckPending: Int
  var numPending: Int
}
