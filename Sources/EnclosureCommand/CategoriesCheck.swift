import FoundationEssentials
import Pipeline
import RichPush

/// A finding with the file that it was made in.
struct FileFinding: Encodable {
  let file: String
  let finding: Finding

  /// As compilers write it.
  var line: String {
    "\(file): \(finding.place): \(finding.severity.rawValue): \(finding.message) [\(finding.code.rawValue)]"
  }

  private enum CodingKeys: CodingKey {
    case file
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(file, forKey: .file)
    try finding.encode(to: encoder)
  }
}

/// A value as one line of JSON.
func jsonLine(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
}

/// `enclosure categories check`.
struct CategoriesCheck {
  private let registry: FilePath
  private let files: [FilePath]
  private let isJSON: Bool
  private let isStrict: Bool
  private let limit: PayloadLimit

  init(_ registry: FilePath, _ files: [FilePath], _ arguments: Arguments) {
    self.registry = registry
    self.files = files
    isJSON = arguments.has("json")
    isStrict = arguments.has("strict")
    limit = arguments.has("voip") ? .voip : .notification
  }

  func run() throws -> Int32 {
    let report = try RegistryReport(registry)
    var findings = report.findings.map { FileFinding(file: registry.description, finding: $0) }
    var documents = 0
    for file in files {
      let bytes = try document(at: file)
      for (place, text) in parts(of: bytes, named: file) {
        documents += 1
        findings += documentFindings(text, at: place, report.registry)
          .map { FileFinding(file: file.description, finding: $0) }
      }
    }
    for finding in findings {
      try Console.output(isJSON ? jsonLine(finding) : "\(printable(finding.line))\n")
    }
    let counts = Finding.Severity.allCases.reversed().map { severity in
      (severity, findings.count { $0.finding.severity == severity })
    }
    let categories = report.registry.map { counted($0.categories.count, "category", "categories") } ?? "no categories"
    let summary = counts.map { counted($1, $0.rawValue, "\($0.rawValue)s") }.joined(separator: ", ")
    Console.error("\(categories), \(counted(documents, "document", "documents")): \(summary)\n")
    return counts.contains { $1 > 0 && ($0 == .error || isStrict && $0 == .warning) } ? 1 : 0
  }

  private func counted(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }

  /// The documents of a file: its lines where it is one of JSON lines.
  private func parts(of bytes: [UInt8], named file: FilePath) -> [(place: String, text: [UInt8])] {
    guard file.namesLines else { return [("", bytes)] }
    return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
      .filter { !$1.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") } }
      .map { ("line \($0 + 1)", Array($1)) }
  }

  private func documentFindings(_ text: [UInt8], at place: String, _ registry: CategoryRegistry?) -> [Finding] {
    let json: JSONValue
    do throws(JSONSyntaxError) {
      json = try JSONValue(parsing: text)
    } catch {
      return located([Finding(error)], at: place)
    }
    var check = PayloadCheck(registry: registry, limit: limit)
    // A payload may have any keys of the sender's, also those by which the others are known.
    if json["aps"] != nil { return located(check.findings(in: json), at: place) }
    // A manifest and a job have their payload inside, and say more about their media than a payload does.
    if json["schema"] == .string(Manifest.currentSchema) {
      guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(text)) else {
        return located([Finding(.wrongValue, at: "$", "this is no valid manifest")], at: place)
      }
      check.media = manifest.attachments.map { .init($0.asset) }
      return located(manifest.payload.map { check.findings(in: $0, at: "payload") } ?? [], at: place)
    }
    if json["sources"] != nil {
      // Whatever else is wrong with the job.
      let urls = (json["sources"]?.asArray ?? []).compactMap { $0.asString ?? $0["url"]?.asString }
      check.media = urls.compactMap { .init(named: $0) }
      check.isBeforePreparation = true
      let faults = JobDocument.findings(in: json)
      let payload = json["payload"].flatMap { $0.asObject == nil ? nil : check.findings(in: $0, at: "payload") }
      return located(faults + (payload ?? []), at: place)
    }
    return located(check.findings(in: json), at: place)
  }

  private func located(_ findings: [Finding], at place: String) -> [Finding] {
    findings.map { finding in
      var finding = finding
      if !place.isEmpty { finding.place = "\(place): \(finding.place)" }
      return finding
    }
  }
}
