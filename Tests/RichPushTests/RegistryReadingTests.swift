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
      ("[]", ["$: must be an object, not an array"]),
      ("{", ["line 1, column 2: a name in quotation marks is expected"]),
      ("{}", ["schema: is missing; it must be a string", "categories: is missing; it must be an array"]),
      (
        #"{"schema": "enclosure.categories/2", "categories": []}"#,
        ["schema: must be “enclosure.categories/1”, not “enclosure.categories/2”"]
      ),
      (#"{"schema": "enclosure.categories/1", "categories": {}}"#, ["categories: must be an array, not an object"]),
      (
        #"{"schema": "enclosure.categories/1", "categorys": [], "categories": []}"#,
        ["categorys: is not a known field; is “categories” meant?"]
      ),
      (registryText("1"), ["categories[0]: must be an object, not the number 1"]),
      (registryText("{}"), ["categories[0].identifier: is missing; it must be a string"]),
      (registryText(#"{"identifier": null}"#), ["categories[0].identifier: must be a string, not null"]),
      (
        registryText(#"{"identifier": "a", "zzz": 1}"#),
        [
          "categories[0].zzz: is not a known field; there are identifier, actions, options,"
            + " hiddenPreviewsBodyPlaceholder, intentIdentifiers, media, contentExtension"
        ]
      ),
      (
        registryText(#"{"identifier": "a", "options": ["customDismiss"]}"#),
        [
          "categories[0].options[0]: must be “customDismissAction” or “allowInCarPlay” or “hiddenPreviewsShowTitle” or"
            + " “hiddenPreviewsShowSubtitle”, not “customDismiss”; is “customDismissAction” meant?"
        ]
      ),
      (
        registryText(#"{"identifier": "a", "options": ["customDismissaction", 1]}"#),
        [
          "categories[0].options[0]: must be “customDismissAction” or “allowInCarPlay” or “hiddenPreviewsShowTitle” or"
            + " “hiddenPreviewsShowSubtitle”, not “customDismissaction”; is “customDismissAction” meant?",
          "categories[0].options[1]: must be “customDismissAction” or “allowInCarPlay” or “hiddenPreviewsShowTitle” or"
            + " “hiddenPreviewsShowSubtitle”, not the number 1",
        ]
      ),
      (
        registryText(#"{"identifier": "a", "media": ["image", "image"]}"#),
        ["categories[0].media: has “image” twice"]
      ),
      (
        registryText(#"{"identifier": "a", "actions": [{"identifer": "b"}]}"#),
        [
          "categories[0].actions[0].identifer: is not a known field; is “identifier” meant?",
          "categories[0].actions[0].identifier: is missing; it must be a string",
          "categories[0].actions[0].title: is missing; it must be a string",
        ]
      ),
      (
        registryText(#"{"identifier": "a", "actions": [{"identifier": "b", "title": "B", "textInput": {}}]}"#),
        ["categories[0].actions[0].textInput.buttonTitle: is missing; it must be a string"]
      ),
      (
        registryText(#"{"identifier": "a", "contentExtension": {"hidesDefaultContent": 1, "initialSizeRatio": 0}}"#),
        [
          "categories[0].contentExtension.initialSizeRatio: must be above 0, not 0.0",
          "categories[0].contentExtension.hidesDefaultContent: must be true or false, not the number 1",
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
