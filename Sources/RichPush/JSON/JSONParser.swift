/// Why a text is not JSON, and where.
public struct JSONSyntaxError: Error, Sendable, Equatable {
  /// Lines and columns begin with 1; a column is a byte of UTF-8.
  public var line: Int
  public var column: Int
  /// What is wrong, without the place.
  public var message: String
}

extension JSONValue {
  /// Reads one JSON document (RFC 8259) from its UTF-8, strictly: no comments, no commas at the end, nothing behind it.
  ///
  /// An object with the same name twice is refused, though RFC 8259 leaves it open: readers differ in which one counts.
  /// So are two names that differ in Unicode form only, which a Swift dictionary cannot hold apart. A number
  /// that neither `Int64` nor `Double` gives back with the same value is kept as its text.
  public init(parsing utf8: some Sequence<UInt8>) throws(JSONSyntaxError) {
    var parser = JSONParser(Array(utf8))
    self = try parser.document()
  }

  /// Reads one JSON document from a string.
  public init(parsing text: String) throws(JSONSyntaxError) {
    try self.init(parsing: text.utf8)
  }
}

/// Reads JSON by recursive descent, over bytes.
private struct JSONParser {
  /// Arrays and objects within each other. The value of a hostile document must not cost the stack.
  private static let maximumDepth = 100

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func document() throws(JSONSyntaxError) -> JSONValue {
    // A byte order mark, which RFC 8259 lets a reader pass over.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    skipBlanks()
    let value = try value()
    skipBlanks()
    guard position == bytes.count else { throw failure("something follows the document") }
    return value
  }

  private mutating func value() throws(JSONSyntaxError) -> JSONValue {
    switch peek {
    case UInt8(ascii: "{"): return try nested { (parser) throws(JSONSyntaxError) in try parser.object() }
    case UInt8(ascii: "["): return try nested { (parser) throws(JSONSyntaxError) in try parser.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try number()
    case nil: throw failure("the text ends where a value should be")
    default: throw failure("no value begins like this")
    }
  }

  private mutating func nested(
    _ read: (inout JSONParser) throws(JSONSyntaxError) -> JSONValue
  ) throws(JSONSyntaxError) -> JSONValue {
    depth += 1
    guard depth <= Self.maximumDepth else { throw failure("more than \(Self.maximumDepth) values within each other") }
    position += 1
    skipBlanks()
    let value = try read(&self)
    depth -= 1
    return value
  }

  private mutating func object() throws(JSONSyntaxError) -> JSONValue {
    var members: [String: JSONValue] = [:]
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      let start = position
      guard peek == UInt8(ascii: "\"") else { throw failure("a name in quotation marks is expected") }
      let name = try string()
      skipBlanks()
      guard take(UInt8(ascii: ":")) else { throw failure("a colon is expected after a name") }
      skipBlanks()
      let value = try value()
      guard members.updateValue(value, forKey: name) == nil else {
        throw failure("the name \(inQuotes(name)) appears twice in one object", at: start)
      }
      skipBlanks()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw failure("a comma or the object's end is expected") }
      skipBlanks()
    }
  }

  private mutating func array() throws(JSONSyntaxError) -> JSONValue {
    var elements: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    while true {
      elements.append(try value())
      skipBlanks()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else { throw failure("a comma or the array's end is expected") }
      skipBlanks()
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else { throw failure("no value begins like this") }
    position += word.utf8.count
    return value
  }

  private mutating func number() throws(JSONSyntaxError) -> JSONValue {
    let start = position
    var isWhole = true
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) {
      isWhole = false
      try digits()
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isWhole = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { throw failure("the number is too large", at: start) }
    return DecimalForm(text) == DecimalForm(number.description) ? .number(number) : .numeral(text)
  }

  private mutating func digits() throws(JSONSyntaxError) {
    let start = position
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw failure("a digit is expected") }
  }

  private mutating func string() throws(JSONSyntaxError) -> String {
    let start = position
    position += 1
    var content: [UInt8] = []
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        let text = String(decoding: content, as: UTF8.self)
        // What is no UTF-8 would be replaced.
        guard text.utf8.elementsEqual(content) else { throw failure("the string is not UTF-8", at: start) }
        return text
      case UInt8(ascii: "\\"):
        position += 1
        content += String(Character(try escaped())).utf8
      case 0..<0x20: throw failure("a string cannot hold control characters; write them as \\n or \\u000A")
      default:
        content.append(byte)
        position += 1
      }
    }
    throw failure("the string does not end", at: start)
  }

  /// The character behind a backslash.
  private mutating func escaped() throws(JSONSyntaxError) -> Unicode.Scalar {
    guard let byte = peek else { throw failure("the string does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let first = try codeUnit()
      if let scalar = Unicode.Scalar(first) { return scalar }
      if (0xD800..<0xDC00).contains(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
        let second = try codeUnit()
        if (0xDC00..<0xE000).contains(second),
          let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        {
          return scalar
        }
      }
      throw failure("half of a surrogate pair is no character")
    default: throw failure("no such character can follow a backslash", at: position - 1)
    }
  }

  private mutating func codeUnit() throws(JSONSyntaxError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("four hexadecimal digits are expected")
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private func failure(_ message: String, at place: Int? = nil) -> JSONSyntaxError {
    let before = bytes[..<min(place ?? position, bytes.count)]
    let newline = UInt8(ascii: "\n")
    let column = before.count - (before.lastIndex(of: newline).map { $0 + 1 } ?? 0) + 1
    return JSONSyntaxError(line: before.count { $0 == newline } + 1, column: column, message: message)
  }
}

/// What a number in decimal digits is worth, however it is written: its digits from the first to the last that is not
/// zero, and the power of ten of the last one.
private struct DecimalForm: Equatable {
  private var isNegative = false
  private var digits: [UInt8] = []
  private var exponent = 0

  /// - Returns: nil when the exponent is beyond all measure.
  init?(_ text: String) {
    let parts = text.utf8.split { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
    guard let mantissa = parts.first else { return nil }
    if parts.count > 1 {
      guard let power = Int(String(decoding: parts[1], as: UTF8.self)), power.magnitude < 1_000_000 else { return nil }
      exponent = power
    }
    var isFraction = false
    for byte in mantissa {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      default:
        digits.append(byte)
        if isFraction { exponent -= 1 }
      }
    }
    digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { exponent = 0 }
  }
}
