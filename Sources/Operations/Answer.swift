import Metrics

/// A response: small, and made as a whole.
struct Answer: Sendable, Equatable {
  var status: Int
  var contentType = "application/json"
  var fields: [String: String] = [:]
  var body: [UInt8]

  static func json(_ status: Int, _ text: String, fields: [String: String] = [:]) -> Answer {
    Answer(status: status, fields: fields, body: Array((text + "\n").utf8))
  }

  static func metrics(_ text: String) -> Answer {
    Answer(status: 200, contentType: MetricsText.contentType, body: Array(text.utf8))
  }

  /// - Parameters:
  ///   - code: stable, snake_case: clients go by it.
  ///   - message: a sentence for people.
  static func fault(
    _ status: Int, _ code: String, _ message: String, field: String? = nil, fields: [String: String] = [:]
  ) -> Answer {
    json(
      status,
      JSONText.object([
        "error": JSONText.quoted(code), "message": JSONText.quoted(message), "field": field.map(JSONText.quoted),
      ]), fields: fields)
  }

  static func unavailable(_ message: String) -> Answer {
    fault(503, "unavailable", message, fields: ["Retry-After": "5"])
  }

  static func bodyTooLarge(limit: Int) -> Answer {
    fault(413, "body_too_large", "the body has more than \(limit) bytes")
  }
}
