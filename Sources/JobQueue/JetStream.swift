import FoundationEssentials

/// NATS' persistence layer, spoken to as its own clients do: requests on `$JS.API.…`, documents in JSON.
///
/// The library has calls for it as well, but each blocks a thread until the server answers.
struct JetStream: Sendable {
  let client: NATSClient

  /// A message that a stream holds.
  struct Stored: Sendable {
    var subject: String
    var sequence: UInt64
    var headers: [String: String]
    var data: [UInt8]
    /// When it was stored, in seconds since 1970.
    var time: Double
  }

  enum Published: Sendable, Equatable {
    case stored
    /// A message with the same id was stored before.
    case duplicate
    /// The subject has a message already, of which there may be one only.
    case occupied
  }

  // MARK: Messages

  /// Adds a message to the stream that has its subject, and waits until it is kept.
  func publish(
    _ subject: String, headers: [(name: String, value: String)], data: [UInt8]
  ) async throws(NATSProblem) -> Published {
    let answer = try await client.request(subject, headers: headers, data: data)
    // By far most answers say {"stream":"…","seq":…} and no more; decoding them would cost more than all the rest.
    if !answer.data.contains("\"error\""), !answer.data.contains("\"duplicate\"") { return .stored }
    let acknowledgement: Acknowledgement = try decode(answer.data)
    if let error = acknowledgement.error {
      let text = error.description ?? ""
      switch error.errCode ?? error.code {
      case JetStreamCode.wrongLastSequence: return .occupied
      // The same number as for a full disk.
      case JetStreamCode.storeFailed where text.contains("per subject"): return .occupied
      case let code: throw .refused(code: code, text)
      }
    }
    return acknowledgement.duplicate == true ? .duplicate : .stored
  }

  /// The last message with a subject, as any of the servers knows it: one that was stored just now may be missing.
  func glance(_ stream: String, _ subject: String) async throws(NATSProblem) -> Stored? {
    try direct(try await client.request("$JS.API.DIRECT.GET.\(stream).\(subject)"))
  }

  /// The first message from a number on whose subject fits, as any of the servers knows it.
  func next(_ stream: String, _ subject: String, from sequence: UInt64) async throws(NATSProblem) -> Stored? {
    let request = try encode(MessageRequest(seq: sequence, nextBySubj: subject))
    return try direct(try await client.request("$JS.API.DIRECT.GET.\(stream)", data: request))
  }

  private func direct(_ answer: NATSMessage) throws(NATSProblem) -> Stored? {
    if answer.status == 404 { return nil }
    if let status = answer.status { throw .refused(code: status, answer.headers["Description"] ?? "") }
    guard let sequence = answer.headers["Nats-Sequence"].flatMap({ UInt64($0) }),
      let subject = answer.headers["Nats-Subject"]
    else { throw .library("the NATS server answered without saying for what") }
    return Stored(
      subject: subject, sequence: sequence, headers: answer.headers, data: answer.data,
      time: answer.headers["Nats-Time-Stamp"].flatMap(Self.seconds) ?? 0)
  }

  /// The last message with a subject, as the leader of the stream knows it, who knows all of them.
  func last(_ stream: String, _ subject: String) async throws(NATSProblem) -> Stored? {
    try await atLeader(stream, MessageRequest(lastBySubj: subject))
  }

  /// The first message from a number on whose subject fits, as the leader of the stream knows it.
  func nextOfAll(_ stream: String, _ subject: String, from sequence: UInt64) async throws(NATSProblem) -> Stored? {
    try await atLeader(stream, MessageRequest(seq: sequence, nextBySubj: subject))
  }

  private func atLeader(_ stream: String, _ request: MessageRequest) async throws(NATSProblem) -> Stored? {
    let answer: MessageAnswer
    do throws(NATSProblem) {
      answer = try await call("STREAM.MSG.GET.\(stream)", request)
    } catch .refused(JetStreamCode.noMessage, _) {
      return nil
    }
    let message = answer.message
    return Stored(
      subject: message.subject, sequence: message.seq, headers: Self.headers(message.hdrs.map { [UInt8]($0) } ?? []),
      data: message.data.map { [UInt8]($0) } ?? [], time: message.time.flatMap(Self.seconds) ?? 0)
  }

  func delete(_ stream: String, _ sequence: UInt64) async throws(NATSProblem) {
    do throws(NATSProblem) {
      let _: Done = try await call("STREAM.MSG.DELETE.\(stream)", DeleteRequest(seq: sequence))
    } catch .refused(JetStreamCode.noMessage, _), .refused(JetStreamCode.noSequence, _) {
    } catch .refused(JetStreamCode.deleteFailed, let text) where text.contains("no message found") {
    }
  }

  /// Deletes all messages whose subjects fit.
  /// - Returns: how many there were.
  @discardableResult
  func purge(_ stream: String, _ subject: String) async throws(NATSProblem) -> Int {
    let done: Purged = try await call("STREAM.PURGE.\(stream)", PurgeRequest(filter: subject))
    return done.purged ?? 0
  }

  // MARK: Streams and consumers

  /// - Parameter subjects: whether to list them, those that fit.
  func stream(_ name: String, subjects: String? = nil) async throws(NATSProblem) -> StreamAnswer? {
    do throws(NATSProblem) {
      return try await call("STREAM.INFO.\(name)", StreamRequest(subjectsFilter: subjects))
    } catch .refused(JetStreamCode.noStream, _) {
      return nil
    }
  }

  func create(_ stream: StreamSettings) async throws(NATSProblem) {
    let _: StreamAnswer = try await call("STREAM.CREATE.\(stream.name)", stream, seconds: 10)
  }

  func consumer(_ stream: String, _ name: String) async throws(NATSProblem) -> ConsumerAnswer? {
    do throws(NATSProblem) {
      return try await call("CONSUMER.INFO.\(stream).\(name)", Nothing())
    } catch .refused(JetStreamCode.noConsumer, _) {
      return nil
    }
  }

  func create(_ consumer: ConsumerSettings, on stream: String) async throws(NATSProblem) {
    let _: ConsumerAnswer = try await call(
      "CONSUMER.DURABLE.CREATE.\(stream).\(consumer.durableName)",
      ConsumerRequest(streamName: stream, config: consumer), seconds: 10)
  }

  // MARK: Requests

  private func call<Request: Encodable, Answer: Decodable>(
    _ subject: String, _ request: Request, seconds: Double = 3
  ) async throws(NATSProblem) -> Answer {
    let answer = try await client.request("$JS.API.\(subject)", data: try encode(request), seconds: seconds)
    let failed: Failed = try decode(answer.data)
    if let error = failed.error { throw .refused(code: error.errCode ?? error.code, error.description ?? "") }
    return try decode(answer.data)
  }

  private func encode(_ value: some Encodable) throws(NATSProblem) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    do { return [UInt8](try encoder.encode(value)) } catch { throw .library("a request cannot be written") }
  }

  private func decode<Value: Decodable>(_ bytes: [UInt8]) throws(NATSProblem) -> Value {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      return try decoder.decode(Value.self, from: Data(bytes))
    } catch {
      throw .library(
        "the NATS server answered what is no answer: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
    }
  }

  /// `NATS/1.0`, and a line each.
  private static func headers(_ bytes: [UInt8]) -> [String: String] {
    var headers: [String: String] = [:]
    for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }).dropFirst() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == UInt8(ascii: " ") }
      headers[String(decoding: line[..<colon], as: UTF8.self)] = String(decoding: value, as: UTF8.self)
    }
    return headers
  }

  /// Reads a time such as 2026-11-30T12:00:00.123456789Z.
  private static func seconds(_ text: String) -> Double? {
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
    return (try? format.parse(text))?.timeIntervalSince1970
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { wanted in
      withUnsafeBufferPointer { bytes in
        (0...(bytes.count - wanted.count)).contains { start in
          bytes[start] == wanted[0] && bytes[start..<(start + wanted.count)].elementsEqual(wanted)
        }
      }
    }
  }
}
