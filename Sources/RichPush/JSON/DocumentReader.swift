/// Reads a document of known form, and notes everything that is wrong with it instead of stopping at the first fault.
///
/// Of what is wrong, nothing is made: the notes say whether what was read counts.
struct DocumentReader {
  private(set) var findings: [Finding] = []
  /// Whether a member that is null is as good as none.
  let takesNullAsAbsent: Bool

  init(takesNullAsAbsent: Bool = false) {
    self.takesNullAsAbsent = takesNullAsAbsent
  }

  /// The members of an object, and where that stands in the document.
  struct Members {
    fileprivate let values: [String: JSONValue]
    fileprivate let place: String

    /// The place of a member, such as `categories[2].title`; `$` is the document itself.
    func place(of name: String) -> String { place == "$" ? name : "\(place).\(name)" }
  }

  /// Notes that what stands at a place is not as it must be.
  /// - Parameter problem: a sentence whose subject is the place: `must be a string, not the number 5`.
  mutating func note(_ problem: String, at place: String, _ code: Finding.Code = .wrongValue) {
    findings.append(Finding(code, at: place, problem))
  }

  /// Reads an object.
  /// - Parameter known: the names that there may be.
  mutating func members(of json: JSONValue, at place: String, known: [String]) -> Members? {
    guard case .object(let values) = json else {
      note("must be an object, not \(json.described)", at: place)
      return nil
    }
    let members = Members(values: values, place: place)
    for name in values.keys.sorted() where !known.contains(name) {
      let meant = nearest(to: name, among: known).map { "is “\($0)” meant?" }
      note(
        "is not a known field; \(meant ?? "there are \(known.joined(separator: ", "))")",
        at: members.place(of: shown(name)), .unknownField)
    }
    return members
  }

  /// A member; nil when there is none.
  func member(_ name: String, of members: Members) -> JSONValue? {
    members.values[name].flatMap { takesNullAsAbsent && $0 == .null ? nil : $0 }
  }

  /// A member that may be left out.
  /// - Parameter expected: what it has to be, with its article: `a string`.
  mutating func optional<Value>(
    _ name: String, of members: Members, _ expected: String, _ value: (JSONValue) -> Value?
  ) -> Value? {
    guard let json = member(name, of: members) else { return nil }
    return self.value(of: json, at: members.place(of: name), expected, value)
  }

  mutating func required<Value>(
    _ name: String, of members: Members, _ expected: String, _ value: (JSONValue) -> Value?
  ) -> Value? {
    if member(name, of: members) == nil {
      note("is missing; it must be \(expected)", at: members.place(of: name), .missingField)
    }
    return optional(name, of: members, expected, value)
  }

  mutating func string(_ name: String, of members: Members) -> String? {
    optional(name, of: members, "a string", \.asString)
  }

  mutating func requiredString(_ name: String, of members: Members) -> String? {
    required(name, of: members, "a string", \.asString)
  }

  mutating func bool(_ name: String, of members: Members) -> Bool? {
    optional(name, of: members, "true or false", \.asBool)
  }

  mutating func number(_ name: String, of members: Members) -> Double? {
    optional(name, of: members, "a number", \.asNumber)
  }

  /// A case of an enumeration by its name.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of members: Members
  ) -> Choice? where Choice.RawValue == String {
    member(name, of: members).flatMap { choice($0, at: members.place(of: name)) }
  }

  /// The cases of an enumeration that an array names, each at most once.
  mutating func choices<Choice: RawRepresentable & CaseIterable & Equatable>(
    _ name: String, of members: Members
  ) -> [Choice] where Choice.RawValue == String {
    var all: [Choice] = []
    for choice in elements(name, of: members, { $0.choice($1, at: $2) as Choice? }) {
      if all.contains(choice) { note("has “\(choice.rawValue)” twice", at: members.place(of: name)) }
      all.append(choice)
    }
    return all
  }

  private mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ json: JSONValue, at place: String
  ) -> Choice? where Choice.RawValue == String {
    let names = Choice.allCases.map(\.rawValue)
    let expected = names.map { "“\($0)”" }.joined(separator: " or ")
    let meant = json.asString.flatMap { nearest(to: $0, among: names) }.map { "; is “\($0)” meant?" }
    return value(of: json, at: place, expected, hint: meant ?? "") { $0.asString.flatMap(Choice.init(rawValue:)) }
  }

  mutating func strings(_ name: String, of members: Members) -> [String] {
    elements(name, of: members) { $0.value(of: $1, at: $2, "a string", \.asString) }
  }

  /// The elements of an array that could be read; none when there is no array.
  mutating func elements<Element>(
    _ name: String, of members: Members, _ read: (inout DocumentReader, JSONValue, String) -> Element?
  ) -> [Element] {
    elements(optional(name, of: members, "an array", \.asArray) ?? [], at: members.place(of: name), read)
  }

  mutating func elements<Element>(
    _ array: [JSONValue], at place: String, _ read: (inout DocumentReader, JSONValue, String) -> Element?
  ) -> [Element] {
    array.enumerated().compactMap { read(&self, $1, "\(place)[\($0)]") }
  }

  private mutating func value<Value>(
    of json: JSONValue, at place: String, _ expected: String, hint: String = "", _ value: (JSONValue) -> Value?
  ) -> Value? {
    if let value = value(json) { return value }
    note("must be \(expected), not \(json.described)\(hint)", at: place)
    return nil
  }
}
