/// Prometheus' text format 0.0.4, read strictly: what `promtool check metrics` refuses, this refuses.
package struct PrometheusText: Sendable {
  package struct Sample: Sendable, Equatable {
    package var name: String
    package var labels: [String: String]
    package var value: Double
  }

  package struct Fault: Error, Equatable, CustomStringConvertible {
    package var line: Int
    package var description: String
  }

  package private(set) var samples: [Sample] = []
  /// By the family's name.
  package private(set) var types: [String: String] = [:]
  private var helps: Set<String> = []

  /// - Throws: `Fault`, with the first thing that is wrong.
  package init(_ text: String) throws {
    guard text.isEmpty || text.hasSuffix("\n") else { throw Fault(line: 0, description: "no line end at the end") }
    var current = ""
    var finished: Set<String> = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().enumerated() {
      func fault(_ what: String) -> Fault { Fault(line: index + 1, description: "\(what): \(line)") }
      if line.hasPrefix("#") {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 4, ["HELP", "TYPE"].contains(words[1]) else { throw fault("no HELP or TYPE") }
        let name = words[2]
        guard isName(name) else { throw fault("no name") }
        if name != current {
          guard finished.insert(name).inserted else { throw fault("the family is in two pieces") }
          current = name
        }
        if words[1] == "TYPE" {
          guard ["counter", "gauge", "histogram"].contains(words[3]) else { throw fault("no type") }
          guard types.updateValue(words[3], forKey: name) == nil else { throw fault("a second TYPE") }
        } else {
          guard !words[3].isEmpty, helps.insert(name).inserted else { throw fault("no HELP, or a second one") }
        }
        continue
      }
      var parser = LineParser(line)
      guard let sample = parser.sample() else { throw fault("no sample") }
      guard types[current] != nil, helps.contains(current), belongs(sample.name, to: current) else {
        throw fault("a sample outside its family")
      }
      guard !samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels }) else {
        throw fault("a series twice")
      }
      samples.append(sample)
    }
    for (name, type) in types { try check(name, type) }
  }

  /// The value of a series; nil when there is none with exactly these labels.
  package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    samples.first { $0.name == name && $0.labels == labels }?.value
  }

  private func belongs(_ name: String, to family: String) -> Bool {
    guard types[family] == "histogram" else { return name == family }
    return ["_bucket", "_sum", "_count"].contains { name == family + $0 }
  }

  private func check(_ family: String, _ type: String) throws {
    let own = samples.filter { belongs($0.name, to: family) }
    switch type {
    case "counter":
      guard family.hasSuffix("_total") else { throw Fault(line: 0, description: "\(family) does not end with _total") }
      guard own.allSatisfy({ $0.value >= 0 }) else { throw Fault(line: 0, description: "\(family) is negative") }
    case "histogram":
      let bySeries = Dictionary(grouping: own) { sample in sample.labels.filter { $0.key != "le" } }
      for (labels, series) in bySeries {
        let buckets = series.filter { $0.name == family + "_bucket" }
        let bounds = buckets.map { $0.labels["le"].flatMap(number) ?? .nan }
        let rises = zip(buckets, buckets.dropFirst()).allSatisfy { $0.value <= $1.value }
        guard bounds == bounds.sorted(), bounds.last == .infinity, rises else {
          throw Fault(line: 0, description: "the buckets of \(family) are out of order")
        }
        guard let count = value(family + "_count", labels), count == buckets.last?.value,
          value(family + "_sum", labels) != nil
        else { throw Fault(line: 0, description: "\(family) has no sum, or another count than its buckets") }
      }
    default: break
    }
  }
}

private func isName(_ text: String) -> Bool {
  guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
  return text.utf8.allSatisfy { byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a: true
    default: false
    }
  }
}

private func number(_ text: some StringProtocol) -> Double? {
  switch text {
  case "+Inf": .infinity
  case "-Inf": -.infinity
  case "NaN": .nan
  default: Double(text)
  }
}

private struct LineParser {
  var rest: Substring

  init(_ line: Substring) {
    rest = line
  }

  mutating func sample() -> PrometheusText.Sample? {
    let name = String(rest.prefix { $0 != "{" && $0 != " " })
    rest = rest.dropFirst(name.count)
    guard isName(name) else { return nil }
    var labels: [String: String] = [:]
    if skip("{") {
      repeat {
        let label = String(rest.prefix { $0 != "=" })
        rest = rest.dropFirst(label.count)
        guard isName(label), skip("="), let value = quoted(), labels.updateValue(value, forKey: label) == nil else {
          return nil
        }
      } while skip(",")
      guard skip("}") else { return nil }
    }
    guard skip(" "), let value = number(rest) else { return nil }
    return PrometheusText.Sample(name: name, labels: labels, value: value)
  }

  private mutating func skip(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func quoted() -> String? {
    guard skip("\"") else { return nil }
    var value = ""
    while let character = rest.popFirst() {
      switch character {
      case "\"": return value
      case "\\":
        switch rest.popFirst() {
        case "n": value.append("\n")
        case "\\": value.append("\\")
        case "\"": value.append("\"")
        default: return nil
        }
      default: value.append(character)
      }
    }
    return nil
  }
}
