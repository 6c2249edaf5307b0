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
    let odd = try file(
      "odd.json",
      #"{"id":"a","sources":["https://e.com/a.mp4"],"payload":{"aps":{"alert":"hi","category":"photo"}},"extra":1}"#)
    let faulty = #"{"id":"","sources":[],"payload":{"aps":{"category":"Photo"}}}"#
    let lines = try file("jobs.jsonl", "\n\(faulty)\n{\"aps\":{\"sound\":1}}\n{\n")
    let run = try await enclosure("categories", "check", example, payload, job, odd, lines)
    #expect(run.status == 1)
    let found = run.text.split(separator: "\n").map(String.init).filter { !$0.contains(": note: ") }
    let expected: [String] = [
      "\(payload): mutable-content: error: “mutable-content” is not read here; “mutable-content” belongs directly into"
        + " “aps” [misplaced_key]",
      "\(payload): aps.category: error: the registry has no category “Message”, so there would be no buttons; “message”"
        + " differs in case [unknown_category]",
      "\(job): payload.aps.category: warning: the category “photo” expects image, and gets video [unexpected_media]",
      "\(odd): extra: error: is not a known field; there are id, sources, payload, options, expiresAt, callback"
        + " [unknown_field]",
      "\(odd): payload.aps.category: warning: the category “photo” expects image, and gets video [unexpected_media]",
      "\(lines): line 2: id: error: must have 1 to 464 bytes, not 0 [wrong_value]",
      "\(lines): line 2: sources: error: must have 1 to 4 elements, not 0 [wrong_value]",
      "\(lines): line 2: payload.aps.category: error: the registry has no category “Photo”, so there would be no buttons;"
        + " “photo” differs in case [unknown_category]",
      "\(lines): line 3: aps.sound: error: must be a string or an object, not the number 1 [wrong_value]",
      "\(lines): line 4: line 1, column 2: error: a name in quotation marks is expected [not_json]",
    ]
    #expect(found == expected)
    #expect(try await enclosure("categories", "check", "--strict", example, job).status == 1)
    #expect(try await enclosure("categories", "check", example, job).status == 0)
  }

  @Test("takes for a payload what has “aps”, whatever else it has")
  func ownKeys() async throws {
    let payload = try file(
      "payload.json",
      #"{"aps":{"alert":"hi","category":"Photo"},"sources":["a"],"schema":"enclosure.manifest/1","id":1}"#)
    let run = try await enclosure("categories", "check", example, payload)
    #expect(run.text.contains("aps.category: error: the registry has no category “Photo”"), "\(run.text)")
    #expect(run.text.split(separator: "\n").count { $0.contains(": error: ") } == 1)
  }

  @Test("counts as much for VoIP pushes as APNs takes of them", arguments: [(4541, 1, 0), (5120, 1, 0), (5121, 1, 1)])
  func voip(bytes: Int, status: Int32, voipStatus: Int32) async throws {
    let text = #"{"aps":{},"media-url":"https://a/b.jpg","x":""}"#
    let padding = String(repeating: "x", count: bytes - text.utf8.count)
    let payload = try file("payload.json", text.dropLast(2) + padding + "\"}")
    #expect(try await enclosure("categories", "check", example, payload).status == status)
    let run = try await enclosure("categories", "check", "--voip", example, payload)
    #expect(run.status == voipStatus && run.text.contains("5120") == (voipStatus == 1), "\(run.text)")
  }

  @Test("prints JSON lines where asked")
  func json() async throws {
    let registry = try file(
      "r.json", #"{"schema":"enclosure.categories/1","categories":[{"identifier":"a"},{"identifier":"A"}]}"#)
    let run = try await enclosure("categories", "check", registry, "--json")
    #expect(run.status == 0)
    let finding = try JSONValue(parsing: run.output)
    let fields: [String: String] = [
      "file": registry, "severity": "warning", "code": "similar_categories", "place": "categories[1].identifier",
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
      (["generate", "a", "--voip"], "generate has no option --voip"),
    ] as [([String], String)])
  func usage(words: [String], expected: String) async throws {
    let run = try await enclosure((["categories"] + words).map { Array($0.utf8) })
    #expect(run.status == EX_USAGE && run.output == [] && run.errors.contains(expected), "\(run.errors)")
  }
}

@Suite("enclosure categories generate")
struct CategoriesGenerateTests {
  /// Texts and names that would be something else in Swift if they were written as they are.
  private static let hostile: [String] = {
    let texts = [
      #"say \"hi\""#, #"\\(fatalError())"#, #"\\"#, "*/ /* //", ##"#\"#"##, #"\"\"\""#, #"\u202Eevil\u202C"#,
      #"a\u0000b"#, #"a\r\nb"#, #"a\u2028b"#, "👨‍👩‍👧", "مرحبا", #"e\u0301"#, "%@ %u",
    ]
    let names = [
      "class", "default", "self", "Self", "init", "Type", "Protocol", "true", "nil", "rawValue", "allCases", "category",
      "all", "register", "identifier", "1", "_", "a b", "new_message", "new-message", "Update", "UPDATE", "🙂", "u1F642",
      #"c\u0000"#, #"\\(x)"#, #"\"q\""#, #"caf\u00E9"#,
    ]
    return names.enumerated().map { index, name in
      let text = texts[index % texts.count]
      return #"""
        {"identifier": "\#(name)", "hiddenPreviewsBodyPlaceholder": "\#(text)", "intentIdentifiers": ["\#(text)"],
         "actions": [{"identifier": "\#(name)", "title": "\#(text)",
                      "textInput": {"buttonTitle": "\#(text)", "placeholder": "\#(text)"}}]}
        """#
    }
  }()

  @Test(
    "writes source that the compiler takes: for ten categories, and for whatever texts and names there are",
    arguments: [[], ["--localized", "--public"]], [false, true])
  func compiles(options: [String], isHostile: Bool) async throws {
    let folder = try TemporaryFolder()
    var registry = example
    if isHostile {
      registry = "\(folder.path)/hostile.json"
      let text = #"{"schema":"enclosure.categories/1","categories":[\#(Self.hostile.joined(separator: ","))]}"#
      try folder.write(Array(text.utf8), to: "hostile.json")
    }
    let run = try await enclosure((["categories", "generate", registry] + options).map { Array($0.utf8) })
    #expect(run.status == 0, "\(run.errors)")
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
      run.errors == "\(folder.path)/r.json: categories[0].identifier: error: is missing; it must be a string"
        + " [missing_field]\n")
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

        With the next app:
          category “A”: the source for the app calls it “a”, which was the name of “a”; look at the code that uses it [swift_name_changed]

        On the server, from now on:
          category “b”: it takes no media now [media_changed]

        """)
    let same = try await enclosure("categories", "diff", files[0], files[0])
    #expect(same.status == 0 && same.text == "Nothing differs.\n")
    let json = try await enclosure("categories", "diff", "--json", files[0], files[1])
    #expect(json.status == 1)
    #expect(json.text.split(separator: "\n").count == 4)
  }
}
