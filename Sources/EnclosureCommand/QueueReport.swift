import FoundationEssentials
import JobQueue
import Pipeline
import RichPush

/// What is told of a queue: text for people, or JSON for programs. Each ends with the end of a line.
struct QueueReport {
  let asJSON: Bool

  func status(_ status: QueueStatus) -> String {
    if asJSON {
      return json([
        "ready": .integer(Int64(status.ready)), "delayed": .integer(Int64(status.delayed)),
        "leased": .integer(Int64(status.leased)), "dead": .integer(Int64(status.dead)),
        "oldestReadySeconds": status.oldestReadySeconds.map { .number($0) } ?? .null,
      ])
    }
    let age = status.oldestReadySeconds.map { "  the oldest for \(roughDuration($0))" } ?? ""
    let rows = [
      ("ready", status.ready, age), ("delayed", status.delayed, ""), ("leased", status.leased, ""),
      ("dead", status.dead, ""),
    ]
    return rows.map { "\(padded($0.0, to: 8))\(leftPadded("\($0.1)", to: 8))\($0.2)\n" }.joined()
  }

  /// What became of a job. The object is the one that `GET /v1/jobs/ID` answers.
  func state(_ state: JobState?, of id: String) -> String {
    var members: [String: JSONValue] = ["id": .string(id)]
    var text: String
    switch state {
    case nil:
      members["state"] = .string("unknown")
      text = "unknown"
    case .waiting(let attempts):
      members["state"] = .string("waiting")
      members["attempts"] = .integer(Int64(attempts))
      text = attempts == 0 ? "waiting" : "waiting after \(counted(attempts, "attempt"))"
    case .leased(let attempt):
      members["state"] = .string("working")
      members["attempt"] = .integer(Int64(attempt))
      text = "working, attempt \(attempt)"
    case .completed(let result):
      members["state"] = .string("completed")
      members["result"] = value(result)
      text = "completed" + outcome(result).map { ", \(printable($0))" }.joined()
    case .dead(let reason):
      members["state"] = .string("dead")
      members["reasons"] = reasons(reason)
      text = "dead\n" + indented(reason)
    }
    if asJSON { return json(members) }
    while text.last == "\n" || text.last == " " { text.removeLast() }
    return "\(printable(id)): \(text)\n"
  }

  func dead(_ letters: [DeadLetter]) -> String {
    if asJSON {
      return letters.map { letter in
        json([
          "id": .string(letter.id), "attempts": .integer(Int64(letter.attempts)), "reasons": reasons(letter.reason),
          "buriedAt": .string(time(letter.buriedAt)), "job": value(letter.body),
        ])
      }.joined()
    }
    guard !letters.isEmpty else { return "There are no dead letters.\n" }
    return letters.map { letter in
      "\(printable(letter.id))  given up \(time(letter.buriedAt)) after \(counted(letter.attempts, "attempt"))\n"
        + indented(letter.reason)
    }.joined()
  }

  /// How many jobs something was done to.
  func count(_ count: Int, _ member: String, _ done: String) -> String {
    asJSON ? json([member: .integer(Int64(count))]) : "\(counted(count, "job")) \(done)\n"
  }

  // MARK: Parts

  private func json(_ members: [String: JSONValue]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = try? encoder.encode(JSONValue.object(members))
    return String(decoding: line ?? Data(), as: UTF8.self) + "\n"
  }

  /// A document as the JSON it is, or as text where it is none.
  private func value(_ document: [UInt8]) -> JSONValue {
    if let value = try? JSONValue(parsing: document) { return value }
    return .string(String(decoding: document, as: UTF8.self))
  }

  /// What people want to know of a result: the status with the codes of the rejections, and the manifest.
  private func outcome(_ result: [UInt8]) -> [String] {
    guard case .object(let members) = value(result), let status = members["status"]?.string else {
      let text = String(decoding: result, as: UTF8.self)
      return text.isEmpty ? [] : [text]
    }
    let codes = members["codes"]?.strings ?? []
    let list = codes.isEmpty ? "" : " [\(codes.joined(separator: ", "))]"
    return [status + list] + (members["manifest"]?.string.map { [$0] } ?? [])
  }

  private func reasons(_ text: String) -> JSONValue {
    .array(text.split(separator: "\n").map { .string(String($0)) })
  }

  private func indented(_ text: String) -> String {
    text.split(separator: "\n").map { "  \(printable(String($0)))\n" }.joined()
  }

  private func time(_ seconds: Double) -> String {
    Date(timeIntervalSince1970: seconds).formatted(.iso8601)
  }

  private func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private func leftPadded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

extension JSONValue {
  fileprivate var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  fileprivate var strings: [String]? {
    if case .array(let values) = self { values.compactMap(\.string) } else { nil }
  }
}

/// `1 job`, `2 jobs`.
func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
