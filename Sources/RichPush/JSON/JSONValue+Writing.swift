extension JSONValue {
  /// The value as JSON in UTF-8, in the fewest bytes that say it, or indented for people.
  ///
  /// Names are in the order of their bytes, so the same value is always the same text. Everything that need not be
  /// escaped is written as it is. A number that is not finite, which JSON does not have, is written as null.
  public func utf8(indented: Bool = false) -> [UInt8] {
    var writer = JSONWriter(isIndented: indented)
    writer.write(self)
    return writer.bytes
  }

  /// The same as a string.
  public func text(indented: Bool = false) -> String {
    String(decoding: utf8(indented: indented), as: UTF8.self)
  }
}

private struct JSONWriter {
  let isIndented: Bool
  var bytes: [UInt8] = []
  private var depth = 0

  init(isIndented: Bool) {
    self.isIndented = isIndented
  }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .number(let value): bytes += (value.isFinite ? value.description : "null").utf8
    case .numeral(let text): bytes += text.utf8
    case .string(let value): write(value)
    case .array(let elements):
      list("[", elements, "]") { writer, element in writer.write(element) }
    case .object(let members):
      let inOrder = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      list("{", inOrder, "}") { writer, member in
        writer.write(member.key)
        writer.bytes += (writer.isIndented ? ": " : ":").utf8
        writer.write(member.value)
      }
    }
  }

  private mutating func list<Element>(
    _ opening: String, _ elements: [Element], _ closing: String, _ write: (inout JSONWriter, Element) -> Void
  ) {
    bytes += opening.utf8
    depth += 1
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      breakLine()
      write(&self, element)
    }
    depth -= 1
    if !elements.isEmpty { breakLine() }
    bytes += closing.utf8
  }

  private mutating func breakLine() {
    guard isIndented else { return }
    bytes += ("\n" + String(repeating: "  ", count: depth)).utf8
  }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if JSONEscape.isPlain(byte) { bytes.append(byte) } else { bytes += JSONEscape.of(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

/// How the bytes of a string stand in JSON: RFC 8259 wants quotation marks, backslashes and control characters escaped.
enum JSONEscape {
  /// Whether a byte stands for itself.
  static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  static func of(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "\""): Array("\\\"".utf8)
    case UInt8(ascii: "\\"): Array("\\\\".utf8)
    case 0x0A: Array("\\n".utf8)
    case 0x0D: Array("\\r".utf8)
    case 0x09: Array("\\t".utf8)
    case 0..<0x20: Array("\\u00".utf8) + [hexDigit(byte >> 4), hexDigit(byte & 0xF)]
    default: [byte]
    }
  }

  /// How many bytes a text takes within quotation marks.
  static func size(of text: some StringProtocol) -> Int {
    text.utf8.reduce(0) { $0 + (isPlain($1) ? 1 : of($1).count) }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
