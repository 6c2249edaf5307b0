import Pipeline
import RichPush

enum CategoriesCommand: Command {
  static let syntax = Syntax(
    command: "categories", operands: "check|generate|diff REGISTRY …",
    summary: "Check the app's notification categories, and what names them",
    options: [
      .init("json", .none, "check and diff: one JSON object on a line for each finding or change"),
      .init("strict", .none, "check: exit with 1 when there is a warning too"),
      .init("voip", .none, "check: the notifications are VoIP pushes, of up to 5,120 bytes"),
      .init("localized", .none, "generate: titles are keys of the app's strings table"),
      .init("public", .none, "generate: public declarations, for a module of its own"),
    ],
    details: """
      A registry (categories.schema.json) lists the categories that the app registers, with their buttons. A payload
      whose category is not among them, by one letter, in case, shows no buttons and logs nothing.

      enclosure categories check REGISTRY [FILE…]
        Finds what is wrong or doubtful in the registry, and in payloads, jobs or manifests held against it: files of
        JSON, - for standard input, JSON lines where the name ends in .jsonl or .ndjson. Exit status: 0, 1 an error was
        found.
      enclosure categories generate REGISTRY
        Prints Swift source for the app that registers exactly these categories. Exit status: 0, 1 the registry has
        errors.
      enclosure categories diff OLD NEW
        Says what an app release has to ship before the server may send it. Exit status: 0 nothing differs, 1 something.
      Of all: 64 wrong use, 70 failed.

      Examples:
        enclosure categories check categories.json payloads/*.json
        enclosure categories generate categories.json > NotificationCategories.swift
        enclosure categories diff released/categories.json categories.json
      """)

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let verb = arguments.operands.first.map { String(decoding: $0, as: UTF8.self) }
    let files = arguments.operands.dropFirst().map(FilePath.init(bytes:))
    switch verb {
    case "check":
      try requireOptions(["json", "strict", "voip"], of: "check", arguments)
      guard let registry = files.first else { throw UsageError("check which registry? as in: \(example("check"))") }
      return try CategoriesCheck(registry, Array(files.dropFirst()), arguments).run()
    case "generate":
      try requireOptions(["localized", "public"], of: "generate", arguments)
      guard files.count == 1, let registry = files.first else {
        throw UsageError("generate takes one registry, as in: \(example("generate"))")
      }
      return try generate(registry, arguments)
    case "diff":
      try requireOptions(["json"], of: "diff", arguments)
      guard files.count == 2 else { throw UsageError("diff takes two registries, the old and the new one") }
      return try CategoriesDiff(files[0], files[1], arguments).run()
    case nil: throw UsageError("say what to do: check, generate or diff, as in: \(example("check"))")
    case let other?: throw UsageError("categories takes check, generate or diff, not “\(other)”")
    }
  }

  private static func example(_ verb: String) -> String {
    "enclosure categories \(verb) categories.json"
  }

  /// An option that a part of the command does not have would be passed over silently. Variables are for all parts.
  private static func requireOptions(
    _ names: [String], of verb: String, _ arguments: Arguments
  ) throws(UsageError) {
    for option in syntax.options
    where arguments.has(option.name) && !names.contains(option.name) && !arguments.fromVariables.contains(option.name) {
      throw UsageError("categories \(verb) has no option --\(option.name)")
    }
  }

  private static func generate(_ path: FilePath, _ arguments: Arguments) throws -> Int32 {
    let report = try RegistryReport(path)
    for finding in report.findings where finding.severity != .note {
      Console.error("\(printable(FileFinding(file: path.description, finding: finding).line))\n")
    }
    guard let registry = report.registry, !report.findings.hasErrors else { return 1 }
    guard !registry.categories.isEmpty else {
      Console.error("enclosure categories: \(printable(path.description)) has no category\n")
      return 1
    }
    let style = CategoryRegistry.SourceStyle(
      isLocalized: arguments.has("localized"), isPublic: arguments.has("public"))
    try Console.output(registry.swiftSource(style))
    return 0
  }
}

/// A registry, as far as it can be read, and what was found in it.
struct RegistryReport {
  let registry: CategoryRegistry?
  let findings: [Finding]

  init(_ path: FilePath) throws(UsageError) {
    let bytes = try document(at: path)
    do throws(InvalidRegistry) {
      let registry = try CategoryRegistry(parsing: bytes)
      self.registry = registry
      findings = registry.lint()
    } catch {
      registry = nil
      findings = error.findings
    }
  }
}
