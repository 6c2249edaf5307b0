import CNATS
import Glibc

/// Pulling and acknowledging messages with the library's own calls and nothing around them, as `nats bench` does.
struct RawPulling {
  static let messageBytes = 300
  private static let batch = 100

  struct Fault: Error { var what: String, status: UInt32 }

  private let connection: OpaquePointer
  private let context: OpaquePointer
  private let stream: String

  init(_ url: String, stream: String, replicas: Int, isWorkQueue: Bool = false, isForResults: Bool = false) throws {
    self.stream = stream
    var connection: OpaquePointer?
    try Self.check(natsConnection_ConnectTo(&connection, url), "connect")
    var context: OpaquePointer?
    try Self.check(natsConnection_JetStream(&context, connection, nil), "JetStream")
    guard let connection, let context else { throw Fault(what: "connect", status: 0) }
    (self.connection, self.context) = (connection, context)
    var settings = jsStreamConfig()
    jsStreamConfig_Init(&settings)
    let name = strdup(stream)
    defer { free(name) }
    settings.Name = UnsafePointer(name)
    settings.Replicas = Int64(replicas)
    let subject = strdup(isForResults ? "\(stream).*" : stream)
    defer { free(subject) }
    var subjects: [UnsafePointer<CChar>?] = [UnsafePointer(subject)]
    settings.Retention = isWorkQueue ? js_WorkQueuePolicy : js_LimitsPolicy
    try subjects.withUnsafeMutableBufferPointer { buffer in
      settings.Subjects = buffer.baseAddress
      settings.SubjectsLen = 1
      try Self.check(js_AddStream(nil, context, &settings, nil, nil), "add stream")
    }
  }

  func fill(_ count: Int) throws {
    let body = [CChar](repeating: 120, count: Self.messageBytes)
    for _ in 0..<count {
      try Self.check(js_PublishAsync(context, stream, body, Int32(body.count), nil), "publish")
    }
    try Self.check(js_PublishAsyncComplete(context, nil), "publish")
  }

  /// Gets and acknowledges `count` messages.
  /// - Parameter results: a stream that gets a message for each of them before.
  func run(_ count: Int, publishingTo results: String? = nil) throws -> Duration {
    var subscription: OpaquePointer?
    try Self.check(js_PullSubscribe(&subscription, context, stream, "raw", nil, nil, nil), "subscribe")
    defer { natsSubscription_Destroy(subscription) }
    let clock = ContinuousClock()
    return try clock.measure {
      var done = 0
      while done < count {
        var list = natsMsgList()
        try Self.check(natsSubscription_Fetch(&list, subscription, Int32(Self.batch), 5_000, nil), "fetch")
        if let results {
          for index in 0..<Int(list.Count) { try publish(to: results, done + index) }
          try Self.check(js_PublishAsyncComplete(context, nil), "publish")
        }
        for index in 0..<Int(list.Count) { try Self.check(natsMsg_Ack(list.Msgs[index], nil), "ack") }
        done += Int(list.Count)
        natsMsgList_Destroy(&list)
      }
      try Self.check(natsConnection_Flush(connection), "flush")
    }
  }

  private func publish(to results: String, _ number: Int) throws {
    var options = jsPubOptions()
    jsPubOptions_Init(&options)
    options.ExpectNoMessage = true
    let id = strdup("\(number)")
    defer { free(id) }
    options.MsgId = UnsafePointer(id)
    let body = [CChar](repeating: 120, count: 60)
    try Self.check(js_PublishAsync(context, "\(results).\(number)", body, Int32(body.count), &options), "publish")
  }

  private static func check(_ status: natsStatus, _ what: String) throws {
    guard status == NATS_OK else { throw Fault(what: what, status: status.rawValue) }
  }
}
