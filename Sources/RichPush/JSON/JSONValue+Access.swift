extension JSONValue {
  /// A member of an object; nil when there is none, and of everything else.
  public subscript(name: String) -> JSONValue? { asObject?[name] }

  /// The members of an object; nil of everything else.
  public var asObject: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

  /// The elements of an array; nil of everything else.
  public var asArray: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  public var asString: String? { if case .string(let text) = self { text } else { nil } }

  public var asBool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// A whole number, also one that is written with a decimal point: `1.0`.
  public var asInteger: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): whole(value)
    default: nil
    }
  }

  public var asNumber: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .numeral(let text): Double(text)
    default: nil
    }
  }

  /// Whether there is a number in it that is kept as text.
  public var holdsNumeral: Bool {
    switch self {
    case .numeral: true
    case .array(let elements): elements.contains(where: \.holdsNumeral)
    case .object(let members): members.values.contains(where: \.holdsNumeral)
    default: false
    }
  }

  /// What it is, for messages: `the number 5`, `an array`.
  var described: String {
    switch self {
    case .bool(let value): "\(value)"
    case .integer, .number, .numeral: "the number \(shown(text()))"
    case .string(let text): inQuotes(text)
    case .null: "null"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The value at a path of names; nil where one of them is missing.
  func at(_ path: [String]) -> JSONValue? {
    path.reduce(Optional(self)) { $0?[$1] }
  }
}

/// The whole number that a floating-point number is. Swift's own conversion wants the C library's mathematics linked.
private func whole(_ value: Double) -> Int64? {
  guard value > -0x1p63, value < 0x1p63 else { return nil }
  let number = Int64(value)
  return Double(number) == value ? number : nil
}
