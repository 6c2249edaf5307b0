import FoundationEssentials
import Glibc
import RichPush
import SchemaSupport
import TestSupport
import Testing

private let package = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
private let example = "\(package)/Examples/categories.json"

@Suite("enclosure categories check")
struct CategoriesCheckTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func file(_ name: String, _ text: String) throws -> String {
    try folder.write(Array(text.utf8), to: name)
    return "\(folder.path)/\(name)"
  }

  @Test("is content with the example, and counts what it has looked at")
  func accepts() async throws {
    let payload = try file(
      "payload.json", #"{"aps":{"alert":"hi","category":"photo","mutable-content":1},"media-url":"https://a/b.jpg"}"#)
    let run = try await enclosure("categories", "check", example, payload)
    #expect(run.status == 0)
    #expect(run.text.split(separator: "\n").allSatisfy { $0.contains(": note: ") }, "\(run.text)")
    #expect(run.errors == "10 categories, 1 document: 0 errors, 0 warnings, 1 note\n")
  }

  @Test("holds payloads, jobs, manifests and JSON lines against the registry, and exits with 1 for an error")
  func finds() async throws {
    let payload = try file("payload.json", #"{"aps":{"alert":"hi","category":"Message"},"mutable-content":1}"#)
    let job = try file(
      "job.json",
      #"{"id":"a","sources":["https://example.com/clip.mp4"],"payload":{"aps":{"alert":"hi","category":"photo"}}}"#)
    let lines = try file("jobs.jsonl", "\n{\"id\":\"a\",\"sources\":[]}\n{\"aps\":{\"sound\":1}}\n{\n")
    let run = try await enclosure("categories", "check", example, payload, job, lines)
    #expect(run.status == 1)
    let found = run.text.split(separator: "\n").map(String.init).filter { !$0.contains(": note: ") }
    let expected: [String] = [
      "\(payload): mutable-content: error: “mutable-content” is not read here; “mutable-content” belongs directly into"
        + " “aps” [misplaced_key]",
      "\(payload): aps.category: error: the registry has no category “Message”, so there would be no buttons; “message”"
        + " differs in case [unknown_category]",
      "\(job): payload.aps.category: warning: the category “photo” expects image, and gets video [unexpected_media]",
      "\(lines): line 2: sources: error: sources must have one to 4 elements, not 0 [wrong_value]",
      "\(lines): line 3: aps.sound: error: a string or an object is expected, not 1 [wrong_value]",
      "\(lines): line 4: line 1, column 2: error: a name in quotation marks is expected [not_json]",
    ]
    #expect(found == expected)
    #expect(try await enclosure("categories", "check", "--strict", example, job).status == 1)
    #expect(try await enclosure("categories", "check", example, job).status == 0)
  }

  @Test("prints JSON lines where asked")
  func json() async throws {
    let registry = try file(
      "r.json", #"{"schema":"enclosure.categories/1","categories":[{"identifier":"a"},{"identifier":"A"}]}"#)
    let run = try await enclosure("categories", "check", registry, "--json")
    #expect(run.status == 1)
    let finding = try JSONValue(parsing: run.output)
    let fields: [String: String] = [
      "file": registry, "severity": "error", "code": "similar_categories", "place": "categories[1].identifier",
      "message": "category “A” differs from “a” only in case",
    ]
    #expect(finding.members.compactMapValues(\.text) == fields)
  }

  @Test(
    "says what is wrong with its use",
    arguments: [
      ([], "check, generate or diff"), (["frobnicate"], "“frobnicate”"), (["check"], "which registry"),
      (["check", "nowhere.json"], "nowhere.json cannot be read: No such file"), (["generate"], "one registry"),
      (["generate", "a", "b"], "one registry"), (["diff", "a"], "two registries"),
      (["generate", "a", "--json"], "generate has no option --json"),
      (["check", "a", "--localized"], "check has no option --localized"),
    ] as [([String], String)])
  func usage(words: [String], expected: String) async throws {
    let run = try await enclosure((["categories"] + words).map { Array($0.utf8) })
    #expect(run.status == EX_USAGE && run.output == [] && run.errors.contains(expected), "\(run.errors)")
  }
}

@Suite("enclosure categories generate")
struct CategoriesGenerateTests {
  @Test("writes source for ten categories that the compiler takes", arguments: [[], ["--localized", "--public"]])
  func compiles(options: [String]) async throws {
    let folder = try TemporaryFolder()
    let run = try await enclosure((["categories", "generate", example] + options).map { Array($0.utf8) })
    #expect(run.status == 0)
    try folder.write(run.output, to: "NotificationCategories.swift")
    let compiler = try #require(programInPath("swiftc"))
    let stub = "\(package)/Tests/UserNotificationsStub/UserNotifications.swift"
    let module = "\(folder.path)/UserNotifications.swiftmodule"
    let made = try await tool(
      compiler, ["-emit-module", "-parse-as-library", "-module-name", "UserNotifications", stub, "-o", module])
    #expect(made.status == 0, "\(made.errors)")
    let checked = try await tool(
      compiler,
      [
        "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors", "-I", folder.path,
        "\(folder.path)/NotificationCategories.swift",
      ])
    #expect(checked.status == 0 && checked.errors == "", "\(checked.errors)")
  }

  @Test("refuses a registry with errors, and says which")
  func refuses() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(#"{"schema":"enclosure.categories/1","categories":[{}]}"#.utf8), to: "r.json")
    let run = try await enclosure("categories", "generate", "\(folder.path)/r.json")
    #expect(run.status == 1 && run.output == [])
    #expect(
      run.errors == "\(folder.path)/r.json: categories[0]: error: the field “identifier” is missing [missing_field]\n")
  }

  private func programInPath(_ name: String) -> String? {
    let folders = getenv("PATH").map { String(cString: $0) }?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}

@Suite("enclosure categories diff")
struct CategoriesDiffTests {
  @Test("says what has to ship first, and exits with 1 when something does")
  func differs() async throws {
    let folder = try TemporaryFolder()
    let start = #"{"schema":"enclosure.categories/1","categories":["#
    try folder.write(Array("\(start){\"identifier\":\"a\"},{\"identifier\":\"b\"}]}".utf8), to: "old.json")
    try folder.write(Array("\(start){\"identifier\":\"A\"},{\"identifier\":\"b\",\"media\":[]}]}".utf8), to: "new.json")
    let files = ["\(folder.path)/old.json", "\(folder.path)/new.json"]
    let run = try await enclosure("categories", "diff", files[0], files[1])
    #expect(run.status == 1 && run.errors == "")
    #expect(
      run.text == """
        First the app, then the server:
          category “A”: ship an app that registers it before the server sends it; apps without it show no buttons; it may be a new name of “a” [category_added]

        First the server, then the app:
          category “a”: stop sending it before an app without it ships; it may have become “A” [category_removed]

        On the server, from now on:
          category “b”: it takes no media now [media_changed]

        """)
    let same = try await enclosure("categories", "diff", files[0], files[0])
    #expect(same.status == 0 && same.text == "Nothing differs.\n")
    let json = try await enclosure("categories", "diff", "--json", files[0], files[1])
    #expect(json.status == 1)
    #expect(json.text.split(separator: "\n").count == 3)
  }
}
