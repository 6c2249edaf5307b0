/// The members of an object in a job, with their names for what is wrong with them. `null` counts as absent.
struct Members {
  typealias Fault = JobDocument.Fault

  private let members: [String: JSONValue]
  private let place: String?

  /// - Parameters:
  ///   - place: the object's own name; nil for the document.
  ///   - known: the names that there may be.
  init(_ json: JSONValue, at place: String?, known: [String]) throws(Fault) {
    guard case .object(let members) = json else {
      throw Fault(place, "must be an object, not \(json.described)")
    }
    self.members = members
    self.place = place
    if let unknown = members.keys.filter({ !known.contains($0) }).min() {
      let meant = nearest(to: unknown, among: known).map { "did you mean \($0)?" }
      throw Fault(
        field(printed(unknown)), "is not a known field; \(meant ?? "there are \(known.joined(separator: ", "))")")
    }
  }

  func member(_ name: String) -> JSONValue? {
    members[name].flatMap { $0 == .null ? nil : $0 }
  }

  func optional<Value>(
    _ name: String, _ expected: String, _ value: (JSONValue) -> Value?
  ) throws(Fault) -> Value? {
    guard let member = member(name) else { return nil }
    guard let value = value(member) else { throw Fault(field(name), "must be \(expected), not \(member.described)") }
    return value
  }

  func required<Value>(_ name: String, _ expected: String, _ value: (JSONValue) -> Value?) throws(Fault) -> Value {
    guard let value = try optional(name, expected, value) else {
      throw Fault(field(name), "is missing; it must be \(expected)")
    }
    return value
  }

  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of type: Choice.Type
  ) throws(Fault) -> Choice? where Choice.RawValue == String {
    let words = Choice.allCases.map { quoted($0.rawValue) }.joined(separator: " or ")
    return try optional(name, words) { json in json.asString.flatMap(Choice.init(rawValue:)) }
  }

  private func field(_ name: String) -> String {
    place.map { "\($0).\(name)" } ?? name
  }
}

extension JSONValue {
  /// For messages: `the number 5`.
  var described: String {
    switch self {
    case .bool(let value): "\(value)"
    case .integer(let value): "the number \(value)"
    case .number(let value): "the number \(value)"
    case .numeral(let text): "the number \(printed(text))"
    case .string(let text): quoted(text)
    case .null, .array, .object: kindName
    }
  }
}

/// A text in quotation marks, cut where it is long.
func quoted(_ text: String) -> String {
  "“\(printed(text))”"
}

private func printed(_ text: String) -> String {
  let start = String(text.prefix(60).unicodeScalars.map { isControl($0) ? " " : Character($0) })
  return start + (text.count > 60 ? "…" : "")
}
