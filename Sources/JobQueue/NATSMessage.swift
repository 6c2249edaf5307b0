import CNATS

/// A message that came in.
struct NATSMessage: Sendable {
  var subject: String
  var reply: String?
  var headers: [String: String]
  var data: [UInt8]

  /// The status of a message that has one in place of content, such as 404; nil for all others.
  var status: Int? { headers["Status"].flatMap { Int($0) } }

  init(subject: String, reply: String?, headers: [String: String], data: [UInt8]) {
    self.subject = subject
    self.reply = reply
    self.headers = headers
    self.data = data
  }

  /// Copies what the library owns.
  init(copying message: OpaquePointer) {
    subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
    reply = natsMsg_GetReply(message).map { String(cString: $0) }
    let count = Int(natsMsg_GetDataLength(message))
    data = Array(UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: count))
    headers = Self.headers(of: message)
  }

  private static func headers(of message: OpaquePointer) -> [String: String] {
    var keys: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    var count: Int32 = 0
    guard natsMsgHeader_Keys(message, &keys, &count) == NATS_OK, let keys else { return [:] }
    defer { free(keys) }
    var headers: [String: String] = [:]
    for index in 0..<Int(count) {
      var value: UnsafePointer<CChar>?
      guard let key = keys[index], natsMsgHeader_Get(message, key, &value) == NATS_OK, let value else { continue }
      headers[String(cString: key)] = String(cString: value)
    }
    return headers
  }
}

/// A message to be sent.
struct NATSOutgoing: Sendable {
  var subject: String
  var reply: String?
  var headers: [(name: String, value: String)] = []
  var data: [UInt8] = []

  /// Hands it to a connection, which sends it or refuses to.
  func publish(on connection: OpaquePointer) -> natsStatus {
    var message: OpaquePointer?
    let created = data.withUnsafeBytes { bytes in
      natsMsg_Create(
        &message, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
    guard created == NATS_OK else { return created }
    defer { natsMsg_Destroy(message) }
    for header in headers {
      let status = natsMsgHeader_Set(message, header.name, header.value)
      guard status == NATS_OK else { return status }
    }
    return natsConnection_PublishMsg(connection, message)
  }
}

/// Why a message did not go out, or why no answer came in.
enum NATSProblem: Error, Sendable, Equatable {
  /// There is no connection, or it broke before the answer came: what was asked may have been done.
  case disconnected
  /// No answer came in time: what was asked may have been done.
  case timeout
  /// Nobody listens: what was asked was not done.
  case noResponders
  case tooLarge
  case closed
  /// The server's answer is no.
  case refused(code: Int, String)
  case library(String)
  /// What is there is not what the queue needs.
  case unusable(String)

  /// Whether the same may be done later.
  var isPassing: Bool {
    switch self {
    case .disconnected, .timeout, .noResponders: true
    case .refused(let code, _): JetStreamCode.passing.contains(code)
    case .tooLarge, .closed, .library, .unusable: false
    }
  }
}
