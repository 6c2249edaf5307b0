import FoundationEssentials
package import RichPush

/// As much of JSON Schema 2020-12 as the schemas in this package use; an unknown keyword is an error, so that no rule is
/// silently passed over.
package struct JSONSchema {
  package var root: [String: JSONValue]

  package init(contentsOf path: String) throws {
    root = try JSONDecoder().decode([String: JSONValue].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// What is wrong with a value, as sentences that start with the place; empty when it is valid.
  package func faults(of value: JSONValue) -> [String] {
    faults(of: value, under: root, at: "$")
  }

  /// The schema that a reference leads to.
  package func resolved(_ schema: [String: JSONValue]) -> [String: JSONValue] {
    guard case .string(let reference) = schema["$ref"], reference.hasPrefix("#/$defs/") else { return schema }
    return root["$defs"]?.members[String(reference.dropFirst("#/$defs/".count))]?.members ?? [:]
  }

  private func faults(of value: JSONValue, under unresolved: [String: JSONValue], at place: String) -> [String] {
    let schema = resolved(unresolved)
    return schema.sorted { $0.key < $1.key }.flatMap { keyword, rule in
      faults(of: value, by: keyword, rule, in: schema, at: place)
    }
  }

  private func faults(
    of value: JSONValue, by keyword: String, _ rule: JSONValue, in schema: [String: JSONValue], at place: String
  ) -> [String] {
    switch keyword {
    case "$schema", "$id", "$defs", "title", "description", "format": []
    case "type": names(in: rule).contains { value.isOfType($0) } ? [] : ["\(place) is no \(rule)"]
    case "const": value == rule ? [] : ["\(place) is not \(rule)"]
    case "enum": rule.elements.contains(value) ? [] : ["\(place) is none of \(rule)"]
    case "oneOf":
      rule.elements.count { faults(of: value, under: $0.members, at: place).isEmpty } == 1
        ? [] : ["\(place) fits not exactly one of the forms"]
    case "required": names(in: rule).filter { value.members[$0] == nil }.map { "\(place).\($0) is missing" }
    case "additionalProperties":
      rule == .bool(false)
        ? value.members.keys.filter { schema["properties"]?.members[$0] == nil }.map { "\(place).\($0) is unknown" }
        : ["the schema's additionalProperties is not false"]
    case "properties":
      value.members.flatMap { name, member in
        rule.members[name].map { faults(of: member, under: $0.members, at: "\(place).\(name)") } ?? []
      }
    case "items":
      value.elements.enumerated().flatMap { faults(of: $1, under: rule.members, at: "\(place)[\($0)]") }
    case "maxItems": Double(value.elements.count) <= rule.double ?? 0 ? [] : ["\(place) has too many elements"]
    case "minItems":
      Double(value.elements.count) >= rule.double ?? 0 || !value.isOfType("array") ? [] : ["\(place) is short"]
    case "maxLength":
      value.text.map { Double($0.count) <= rule.double ?? 0 } ?? true ? [] : ["\(place) is long"]
    case "minimum": value.double.map { $0 >= rule.double ?? .infinity } ?? true ? [] : ["\(place) is too small"]
    case "maximum": value.double.map { $0 <= rule.double ?? -.infinity } ?? true ? [] : ["\(place) is too large"]
    case "exclusiveMinimum":
      value.double.map { $0 > rule.double ?? .infinity } ?? true ? [] : ["\(place) is too small"]
    case "uniqueItems":
      value.elements.indices.contains { value.elements[..<$0].contains(value.elements[$0]) }
        ? ["\(place) has an element twice"] : []
    case "minLength":
      value.text.map { Double($0.count) >= rule.double ?? .infinity } ?? true ? [] : ["\(place) is short"]
    case "pattern": value.text.map { matches($0, rule.text ?? "") } ?? true ? [] : ["\(place) is not like \(rule)"]
    default: ["the schema's keyword \(keyword) is not known to this test"]
    }
  }
}

private func names(in rule: JSONValue) -> [String] {
  rule.text.map { [$0] } ?? rule.elements.compactMap(\.text)
}

private func matches(_ text: String, _ pattern: String) -> Bool {
  guard let expression = try? Regex(pattern) else { return false }
  return text.firstMatch(of: expression) != nil
}

extension JSONValue {
  package var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
  package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  package var text: String? { if case .string(let text) = self { text } else { nil } }
  package var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .numeral(let text): Double(text)
    case .number(let value): value
    default: nil
    }
  }

  func isOfType(_ name: String) -> Bool {
    switch self {
    case .null: name == "null"
    case .bool: name == "boolean"
    case .integer: name == "integer" || name == "number"
    case .number, .numeral: name == "number"
    case .string: name == "string"
    case .array: name == "array"
    case .object: name == "object"
    }
  }

  /// Any value that can be encoded, as the JSON it becomes.
  package init(encoding value: some Encodable) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
  }
}
