import FoundationEssentials

// The documents of JetStream's requests and answers, as far as they are needed. Their keys are the server's.

/// The numbers that answers say no with (`errors.json` of nats-server).
enum JetStreamCode {
  static let noConsumer = 10014
  static let noMessage = 10037
  static let noSequence = 10043
  static let notEnabledForAccount = 10039
  static let notEnabled = 10076
  static let nameTaken = 10058
  static let noStream = 10059
  static let storeFailed = 10077
  static let wrongLastSequence = 10071
  /// A cluster without a leader, without enough servers, a full or a broken disk: it may be over in a moment.
  static let passing: Set<Int> = [10002, 10005, 10008, 10023, 10028, 10047, noStream, noConsumer, 10077, 10104, 10118, 10119]
}

struct Failed: Decodable {
  struct Reason: Decodable {
    var code: Int
    var err_code: Int?
    var description: String?
  }

  var error: Reason?
}

struct Acknowledgement: Decodable {
  var seq: UInt64?
  var duplicate: Bool?
  var error: Failed.Reason?
}

struct Nothing: Encodable {}
struct Done: Decodable {}

struct MessageRequest: Encodable {
  var seq: UInt64?
  var last_by_subj: String?
  var next_by_subj: String?
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
struct StreamRequest: Encodable { var subjects_filter: String? }

struct StreamAnswer: Decodable, Sendable {
  struct State: Decodable, Sendable {
    var messages: Int
    var first_seq: UInt64
    var last_seq: UInt64
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
  var discard_new_per_subject: Bool?
  var max_msgs_per_subject: Int?
  var max_msgs: Int?
  var max_age: Int64?
  var storage = "file"
  var num_replicas: Int
  var duplicate_window: Int64?
  var allow_direct: Bool?

  init(name: String, subjects: [String], replicas: Int) {
    self.name = name
    self.subjects = subjects
    num_replicas = replicas
  }
}

struct ConsumerRequest: Encodable {
  var stream_name: String
  var config: ConsumerSettings
}

struct ConsumerSettings: Codable, Sendable {
  var durable_name: String
  var ack_policy = "explicit"
  var ack_wait: Int64
  var max_deliver = -1
  var max_ack_pending: Int?
  var max_waiting: Int?
  var deliver_policy = "all"
  var replay_policy = "instant"
}

struct ConsumerAnswer: Decodable, Sendable {
  struct Position: Decodable, Sendable {
    var consumer_seq: UInt64
    var stream_seq: UInt64
  }

  var config: ConsumerSettings
  var delivered: Position
  var num_ack_pending: Int
  var num_pending: Int
}
