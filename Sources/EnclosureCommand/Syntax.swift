/// The words of one command: what it takes, and what its help says.
struct Syntax {
  /// An option of a command. Each has an environment variable of the same name, which the option beats.
  struct Option {
    enum Value {
      case none
      case one(String)
      case many(String)
    }

    let name: String
    let short: Character?
    /// The placeholder for the value in the help.
    let value: Value
    let help: String

    init(_ name: String, short: Character? = nil, _ value: Value = .none, _ help: String) {
      self.name = name
      self.short = short
      self.value = value
      self.help = help
    }

    var variable: String { Self.variable(of: name) }

    /// `ENCLOSURE_` and the name in capitals.
    static func variable(of name: String) -> String {
      "ENCLOSURE_" + name.uppercased().split(separator: "-").joined(separator: "_")
    }
  }

  let command: String
  /// What follows the options, as the usage line shows it.
  let operands: String
  let summary: String
  let options: [Option]
  let details: String
}

/// What was given to a command, on the command line or in the environment. Values are bytes: file names need not be
/// UTF-8.
struct Arguments {
  var values: [String: [[UInt8]]] = [:]
  var operands: [[UInt8]] = []
  /// The options whose value came from a variable.
  var fromVariables: Set<String> = []

  func has(_ name: String) -> Bool {
    values[name] != nil
  }

  /// What to call an option in messages, as it was given: `--jobs`, or `ENCLOSURE_JOBS`.
  func given(_ name: String) -> String {
    fromVariables.contains(name) ? Syntax.Option.variable(of: name) : "--\(name)"
  }

  func bytes(_ name: String) -> [UInt8]? {
    values[name]?.last
  }

  func text(_ name: String) -> String? {
    bytes(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The values of an option that may come several times.
  func texts(_ name: String) -> [String] {
    (values[name] ?? []).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A whole number within bounds.
  func number(_ name: String, in bounds: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = text(name) else { return nil }
    return try number(name, text, in: bounds)
  }

  /// The same of an option that may come several times.
  func numbers(_ name: String, in bounds: ClosedRange<Int>) throws(UsageError) -> [Int] {
    var numbers: [Int] = []
    for text in texts(name) { numbers.append(try number(name, text, in: bounds)) }
    return numbers
  }

  private func number(_ name: String, _ text: String, in bounds: ClosedRange<Int>) throws(UsageError) -> Int {
    guard let number = Int(text), bounds.contains(number) else {
      throw UsageError(
        "\(given(name)) takes a whole number from \(bounds.lowerBound) to \(bounds.upperBound), not “\(text)”")
    }
    return number
  }

  /// One of the words of an enumeration.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of type: Choice.Type
  ) throws(UsageError) -> Choice? where Choice.RawValue == String {
    guard let text = text(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw UsageError("\(given(name)) takes \(alternatives(Choice.allCases.map(\.rawValue))), not “\(text)”")
    }
    return choice
  }
}

/// What there is to choose from: `reject, trim or poster`.
func alternatives(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " or " + last
}

/// The command line makes no sense; says why and what would.
struct UsageError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
