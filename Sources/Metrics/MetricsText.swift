/// Prometheus' text format, version 0.0.4.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
package struct MetricsText: Sendable {
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  package private(set) var text = ""

  package init() {}

  /// The lines that precede those of a family.
  mutating func begin(_ name: String, kind: String, help: String) {
    text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind)\n"
  }

  /// One line with a value.
  /// - Parameter labels: as `labels` makes them.
  mutating func add(_ name: String, _ labels: String, _ value: Double) {
    text += name
    if !labels.isEmpty { text += "{\(labels)}" }
    text += " \(Self.number(value))\n"
  }

  static func labels(_ names: [String], _ values: [String]) -> String {
    zip(names, values).map { "\($0)=\"\(escaped($1, quotes: true))\"" }.joined(separator: ",")
  }

  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    // Counts are easier to read, and to compare in a test, without their fraction.
    return Int(exactly: value).map(String.init) ?? "\(value)"
  }

  private static func escaped(_ text: String, quotes: Bool = false) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
