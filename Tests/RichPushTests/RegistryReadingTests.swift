import FoundationEssentials
import RichPush
import SchemaSupport
import Testing

@Suite("a category registry")
struct RegistryReadingTests {
  let schema: JSONSchema

  init() throws {
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    schema = try JSONSchema(contentsOf: package.path + "/Sources/RichPush/categories.schema.json")
  }

  @Test("is read as it is written")
  func reads() throws {
    #expect(try CategoryRegistry(parsing: maximalRegistry.utf8).categories == maximalCategories)
    #expect(schema.faults(of: try JSONValue(parsing: maximalRegistry)) == [])
    #expect(try registry("").categories == [])
  }

  @Test("has a schema whose choices and fields are those of the types")
  func describes() {
    func property(_ definition: String, _ name: String) -> [String: JSONValue] {
      schema.root["$defs"]?.members[definition]?.members["properties"]?.members[name]?.members ?? [:]
    }
    func choices(_ definition: String, _ name: String) -> [String] {
      let items = property(definition, name)["items"]?.members ?? [:]
      return (items["enum"] ?? items["oneOf"])?.elements.compactMap { $0.text ?? $0.members["const"]?.text } ?? []
    }
    #expect(choices("category", "options") == NotificationCategory.Option.allCases.map(\.rawValue))
    #expect(choices("category", "media") == MediaKind.allCases.map(\.rawValue))
    #expect(choices("action", "options") == NotificationAction.Option.allCases.map(\.rawValue))
    #expect(schema.root["properties"]?.members["schema"]?.members["const"]?.text == CategoryRegistry.currentSchema)
    // The maximal registry has every field, so none is described that is not read.
    let described = ["category", "action", "textInput", "contentExtension"].flatMap { name in
      schema.root["$defs"]?.members[name]?.members["properties"]?.members.keys.map { "\"\($0)\"" } ?? []
    }
    #expect(described.count == 15)
    for field in described { #expect(maximalRegistry.contains(field), "\(field)") }
  }

  @Test("finds a category by exactly its name, and the one that was meant by another")
  func finds() throws {
    let registry = try registry(#"{"identifier": "message"}, {"identifier": "caf\u00e9"}, {"identifier": "order"}"#)
    #expect(registry.category("message")?.identifier == "message")
    for name in ["Message", "message ", "mesage", "cafe\u{301}", ""] { #expect(registry.category(name) == nil) }
    #expect(registry.nearestCategory(to: "Message") == "message")
    #expect(registry.nearestCategory(to: "message ") == "message")
    #expect(registry.nearestCategory(to: "mesasge") == "message")
    #expect(registry.nearestCategory(to: "cafe\u{301}")?.unicodeScalars.count == 4)
    #expect(registry.nearestCategory(to: "odrer") == "order")
    #expect(registry.nearestCategory(to: "payment") == nil)
  }

  @Test(
    "says what is wrong with its form, with the place and what was probably meant",
    arguments: [
      ("[]", ["$: an object is expected, not an array"]),
      ("{", ["line 1, column 2: a name in quotation marks is expected"]),
      ("{}", ["$: the field “schema” is missing", "$: the field “categories” is missing"]),
      (
        #"{"schema": "enclosure.categories/2", "categories": []}"#,
        ["schema: “enclosure.categories/2” is not “enclosure.categories/1”"]
      ),
      (#"{"schema": "enclosure.categories/1", "categories": {}}"#, ["categories: an array is expected, not an object"]),
      (
        #"{"schema": "enclosure.categories/1", "categorys": [], "categories": []}"#,
        ["categorys: there is no field “categorys” here; is “categories” meant?"]
      ),
      (registryText("1"), ["categories[0]: an object is expected, not a number"]),
      (registryText("{}"), ["categories[0]: the field “identifier” is missing"]),
      (registryText(#"{"identifier": null}"#), ["categories[0].identifier: a string is expected, not null"]),
      (
        registryText(#"{"identifier": "a", "zzz": 1}"#), ["categories[0].zzz: there is no field “zzz” here"]
      ),
      (
        registryText(#"{"identifier": "a", "options": ["customDismiss"]}"#),
        [
          "categories[0].options[0]: “customDismiss” is none of customDismissAction, allowInCarPlay,"
            + " hiddenPreviewsShowTitle, hiddenPreviewsShowSubtitle; is “customDismissAction” meant?"
        ]
      ),
      (
        registryText(#"{"identifier": "a", "options": ["customDismissaction", 1]}"#),
        [
          "categories[0].options[0]: “customDismissaction” is none of customDismissAction, allowInCarPlay,"
            + " hiddenPreviewsShowTitle, hiddenPreviewsShowSubtitle; is “customDismissAction” meant?",
          "categories[0].options[1]: a string is expected, not a number",
        ]
      ),
      (
        registryText(#"{"identifier": "a", "media": ["image", "image"]}"#),
        ["categories[0].media: “image” is there twice"]
      ),
      (
        registryText(#"{"identifier": "a", "actions": [{"identifer": "b"}]}"#),
        [
          "categories[0].actions[0].identifer: there is no field “identifer” here; is “identifier” meant?",
          "categories[0].actions[0]: the field “identifier” is missing",
          "categories[0].actions[0]: the field “title” is missing",
        ]
      ),
      (
        registryText(#"{"identifier": "a", "actions": [{"identifier": "b", "title": "B", "textInput": {}}]}"#),
        ["categories[0].actions[0].textInput: the field “buttonTitle” is missing"]
      ),
      (
        registryText(#"{"identifier": "a", "contentExtension": {"hidesDefaultContent": 1, "initialSizeRatio": 0}}"#),
        [
          "categories[0].contentExtension.initialSizeRatio: the ratio is 0.0, not above 0",
          "categories[0].contentExtension.hidesDefaultContent: true or false is expected, not a number",
        ]
      ),
    ])
  func refuses(text: String, messages: [String]) throws {
    let error = #expect(throws: InvalidRegistry.self) { try CategoryRegistry(parsing: text.utf8) }
    #expect(error?.findings.map { "\($0.place): \($0.message)" } == messages)
    #expect(error?.findings.allSatisfy { $0.severity == .error } == true)
    if let json = try? JSONValue(parsing: text) { #expect(!schema.faults(of: json).isEmpty) }
  }
}
