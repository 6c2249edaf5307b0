/// Reads a document of known form, and notes everything that is wrong with it instead of stopping at the first fault.
struct DocumentReader {
  var findings: [Finding] = []

  /// The members of an object, when it is one.
  /// - Parameter names: all that it may have.
  mutating func object(
    _ json: JSONValue, at place: String, names: [String], required: [String]
  ) -> [String: JSONValue]? {
    guard case .object(let members) = json else {
      return wrong(json, at: place, expected: "an object")
    }
    let prefix = place == "$" ? "" : "\(place)."
    for name in members.keys.sorted() where !names.contains(name) {
      let hint = nearest(to: name, among: names).map { "; is “\($0)” meant?" } ?? ""
      findings.append(Finding(.unknownField, at: prefix + name, "there is no field \(inQuotes(name)) here\(hint)"))
    }
    for name in required where members[name] == nil {
      findings.append(Finding(.missingField, at: place, "the field “\(name)” is missing"))
    }
    return members
  }

  /// The elements that could be read; none when there is no array.
  mutating func array<Element>(
    _ json: JSONValue?, at place: String, _ read: (inout DocumentReader, JSONValue, String) -> Element?
  ) -> [Element] {
    guard let json else { return [] }
    guard case .array(let elements) = json else {
      return wrong(json, at: place, expected: "an array") ?? []
    }
    return elements.enumerated().compactMap { read(&self, $1, "\(place)[\($0)]") }
  }

  /// The cases of an enumeration that an array names, each at most once.
  mutating func choices<Choice: RawRepresentable & CaseIterable & Equatable>(
    _ json: JSONValue?, at place: String
  ) -> [Choice] where Choice.RawValue == String {
    let all = array(json, at: place) { (reader, json, place) in reader.choice(json, at: place) as Choice? }
    for (index, choice) in all.enumerated() where all[..<index].contains(choice) {
      findings.append(Finding(.wrongValue, at: place, "“\(choice.rawValue)” is there twice"))
    }
    return all
  }

  private mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ json: JSONValue, at place: String
  ) -> Choice? where Choice.RawValue == String {
    guard let text = string(json, at: place) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let names = Choice.allCases.map(\.rawValue)
    let hint = nearest(to: text, among: names).map { "; is “\($0)” meant?" } ?? ""
    findings.append(
      Finding(.wrongValue, at: place, "\(inQuotes(text)) is none of \(names.joined(separator: ", "))\(hint)"))
    return nil
  }

  mutating func string(_ json: JSONValue?, at place: String) -> String? {
    guard let json else { return nil }
    return json.asString ?? wrong(json, at: place, expected: "a string")
  }

  mutating func bool(_ json: JSONValue?, at place: String) -> Bool? {
    guard let json else { return nil }
    return json.asBool ?? wrong(json, at: place, expected: "true or false")
  }

  mutating func number(_ json: JSONValue?, at place: String) -> Double? {
    guard let json else { return nil }
    return json.asNumber ?? wrong(json, at: place, expected: "a number")
  }

  private mutating func wrong<Value>(_ json: JSONValue, at place: String, expected: String) -> Value? {
    findings.append(Finding(.wrongValue, at: place, "\(expected) is expected, not \(json.kindName)"))
    return nil
  }
}
