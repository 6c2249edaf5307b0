import FoundationEssentials
import RichPush
import SchemaSupport
import Testing

@Suite("JSON without Foundation")
struct JSONTests {
  @Test(
    "what is valid is read",
    arguments: [
      ("null", .null), (" true ", .bool(true)), ("false", .bool(false)), ("0", .integer(0)), ("-0", .integer(0)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .numeral("9223372036854775808")), ("1.50", .number(1.5)), ("1e2", .number(100)),
      ("1E-2", .number(0.01)), ("\"\"", .string("")),
      ("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", .string("a\"\\/\u{8}\u{c}\n\r\t")),
      ("\"\\u00e9\\uD83D\\uDE42\"", .string("é🙂")), ("\"🙂é\u{2028}\"", .string("🙂é\u{2028}")),
      ("[]", .array([])), ("[ 1 , [ ] ]", .array([.integer(1), .array([])])), ("{}", .object([:])),
      ("{ \"a\" : { \"b\" : [ null ] } }", .object(["a": .object(["b": .array([.null])])])),
      ("\u{FEFF}1", .integer(1)),
    ] as [(String, JSONValue)])
  func reads(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
  }

  @Test(
    "what is not valid is refused with its line and column",
    arguments: [
      ("", 1, 1, "ends where a value"), ("  ", 1, 3, "ends where a value"), ("nul", 1, 1, "no value begins"),
      ("True", 1, 1, "no value begins"), ("'a'", 1, 1, "no value begins"), ("01", 1, 2, "something follows"),
      ("1 2", 1, 3, "something follows"), ("+1", 1, 1, "no value begins"), (".5", 1, 1, "no value begins"),
      ("1.", 1, 3, "a digit"), ("1e", 1, 3, "a digit"), ("-", 1, 2, "a digit"), ("1e999", 1, 1, "too large"),
      ("[1,]", 1, 4, "no value begins"), ("[1 2]", 1, 4, "a comma"), ("[1", 1, 3, "a comma"), ("{", 1, 2, "a name"),
      ("{\"a\"}", 1, 5, "a colon"), ("{\"a\":1,}", 1, 8, "a name"), ("{a:1}", 1, 2, "a name"),
      ("{\n  \"a\": 1,\n  \"a\": 2 }", 3, 3, "“a” appears twice"),
      ("{\"\u{E9}\":1,\"e\u{301}\":2}", 1, 9, "appears twice"), ("\"a", 1, 1, "does not end"),
      ("\"\n\"", 1, 2, "control characters"), ("\"\\x\"", 1, 3, "follow a backslash"),
      ("\"\\u12\"", 1, 6, "hexadecimal"),
      ("\"\\uD83D\"", 1, 8, "surrogate"), ("\"\\uDE42\"", 1, 8, "surrogate"),
      ("\"\\uD83D\\u0041\"", 1, 14, "surrogate"),
      ("// a\n1", 1, 1, "no value begins"),
    ])
  func refuses(text: String, line: Int, column: Int, message: String) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
    #expect(error?.line == line && error?.column == column, "\(String(describing: error))")
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test(
    "a number keeps its value, whatever it is, and its text where nothing else can hold it",
    arguments: [
      ("18446744073709551615", true), ("18446744073709551616", true), ("-9223372036854775809", true),
      ("0.1234567890123456789", true), ("1.0000000000000000000001", true), ("123456789012345678901234567890", true),
      ("3.14159265358979323846264338327950288", true), ("1e-400", true), ("1e-9223372036854775808", true),
      ("0.30000000000000004", false),
      ("0.1", false), ("1.5", false), ("1e300", false), ("1.50", false), ("1E+2", false), ("100.0", false),
      ("0.000", false), ("-0.0", false), ("5e-324", false), ("1.7976931348623157e308", false), ("4.9e-324", true),
      ("10000000000000000000000", false), ("0e999999999999999999999", true), ("-12.5e-1", false),
    ])
  func numbers(text: String, isKept: Bool) throws {
    let value = try JSONValue(parsing: "{\"a\":[\(text)]}")
    #expect(value.holdsNumeral == isKept)
    #expect((value.text() == "{\"a\":[\(text)]}") || !isKept)
    #expect(try JSONValue(parsing: value.utf8()) == value)
    #expect(value["a"]?.asArray?[0].asNumber == Double(text))
  }

  @Test("what coders can hold goes through them unchanged", arguments: ["18446744073709551615", "9223372036854775808"])
  func coders(text: String) throws {
    let value = try JSONValue(parsing: text)
    #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == value)
    #expect(try String(decoding: JSONEncoder().encode(value), as: UTF8.self) == text)
  }

  @Test("bytes that are no UTF-8 are refused, not mended")
  func refusesOtherEncodings() {
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0xED, 0xA0, 0x80, 0x22]) }
  }

  @Test("a document that is nested without end costs no stack")
  func boundsDepth() throws {
    let fits = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(throws: Never.self) { try JSONValue(parsing: fits) }
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: String(repeating: "[", count: 1_000_000)) }
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: String(repeating: "{\"a\":", count: 101)) }
  }

  @Test("it is written in the fewest bytes, names in the order of their bytes")
  func writes() {
    let value = JSONValue.object([
      "b": .array([.null, .bool(true), .integer(-1), .number(0.1), .number(1e-5), .number(1e300)]),
      "a": .string("\"\\/é🙂\n\u{1}\u{1F}\u{7F}"), "é": .object([:]), "Z": .array([]), "n": .number(.nan),
    ])
    #expect(
      value.text()
        == "{\"Z\":[],\"a\":\"\\\"\\\\/é🙂\\n\\u0001\\u001F\u{7F}\",\"b\":[null,true,-1,0.1,1e-05,1e+300],\"n\":null,\"é\":{}}"
    )
    #expect(
      JSONValue.object(["a": .array([.integer(1), .object([:])])]).text(indented: true) == """
        {
          "a": [
            1,
            {}
          ]
        }
        """)
  }

  @Test("what is written is read again, by this reader and by Foundation's", arguments: 0..<200)
  func roundTrips(seed: Int) throws {
    var random = SeededGenerator(seed)
    let value = randomValue(depth: 4, using: &random)
    #expect(try JSONValue(parsing: value.utf8()) == value)
    #expect(try JSONValue(parsing: value.utf8(indented: true)) == value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: Data(value.utf8())) == value)
  }

  private func randomValue(depth: Int, using random: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .integer(.random(in: .min ... .max, using: &random))
    // Foundation reads 2.0 as a whole number.
    case 3: return .number(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) + 0.5)
    case 4: return .string(randomText(upTo: 20, using: &random))
    case 5, 6:
      return .array(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in randomValue(depth: depth - 1, using: &random) })
    default:
      let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        (randomText(upTo: 5, using: &random), randomValue(depth: depth - 1, using: &random))
      }
      return .object(Dictionary(members) { first, _ in first })
    }
  }
}
