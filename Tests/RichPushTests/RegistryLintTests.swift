import RichPush
import Testing

private func action(_ identifier: String, _ rest: String = "") -> String {
  #"{"identifier": "\#(identifier)", "title": "T"\#(rest.isEmpty ? "" : ", " + rest)}"#
}

private func category(_ identifier: String, _ actions: [String] = [], _ rest: String = "") -> String {
  #"{"identifier": "\#(identifier)", "actions": [\#(actions.joined(separator: ","))]"#
    + (rest.isEmpty ? "" : ", " + rest) + "}"
}

@Suite("the check of a registry")
struct RegistryLintTests {
  @Test(
    "finds what a phone would do silently wrong",
    arguments: [
      ([category("a"), category("a")], ["error duplicate_category at categories[1].identifier"]),
      ([category("Update"), category("UPDATE")], ["warning similar_categories at categories[1].identifier"]),
      ([category("caf\u{E9}"), category("cafe\u{301}")], ["error similar_categories at categories[1].identifier"]),
      ([category("a b"), category("ab")], ["warning similar_categories at categories[1].identifier"]),
      (
        [category("a"), category("a ")],
        ["warning similar_categories at categories[1].identifier", "warning odd_name at categories[1].identifier"]
      ),
      ([category("Caf\u{E9}"), category("cafe\u{301}")], ["warning similar_categories at categories[1].identifier"]),
      (
        [category("a"), category("b"), category("a"), category("a")],
        [
          "error duplicate_category at categories[2].identifier",
          "error duplicate_category at categories[3].identifier",
        ]
      ),
      (
        [category("a", [action("x y"), action("xy")])],
        ["warning similar_actions at categories[0].actions[1].identifier"]
      ),
      (
        [category("a", [action("caf\u{E9}"), action("cafe\u{301}")])],
        ["error similar_actions at categories[0].actions[1].identifier"]
      ),
      (
        [category(""), category("")],
        [
          "error duplicate_category at categories[1].identifier", "error empty_name at categories[0].identifier",
          "error empty_name at categories[1].identifier",
        ]
      ),
      ([category(" a")], ["warning odd_name at categories[0].identifier"]),
      ([category("a\u{200B}b")], ["warning odd_name at categories[0].identifier"]),
      ([category("a\u{A0}b")], ["warning odd_name at categories[0].identifier"]),
      ([category("a b")], []),
      ([category("a", [action("x"), action("x")])], ["error duplicate_action at categories[0].actions[1].identifier"]),
      (
        [category("a", [action("x"), action("X")])], ["warning similar_actions at categories[0].actions[1].identifier"]
      ),
      (
        [category("a", [action("x")]), category("b", [action("X")])],
        ["warning similar_actions at categories[1].actions[0].identifier"]
      ),
      (
        [category("a", [action("x")]), category("b", [action("x"), action("X")]), category("c", [action("X")])],
        ["warning similar_actions at categories[1].actions[1].identifier"]
      ),
      (
        [category("a", [action("caf\u{E9}")]), category("b", [action("cafe\u{301}")])],
        ["error similar_actions at categories[1].actions[0].identifier"]
      ),
      (
        [category("a", [action("caf\u{E9}")]), category("b", [action("caf\u{E9}", #""options": ["foreground"]"#)])],
        ["warning differing_actions at categories[1].actions[0].identifier"]
      ),
      (
        [category("new_message"), category("new-message"), category("NEW_MESSAGE")],
        [
          "warning similar_categories at categories[2].identifier",
          "warning similar_swift_names at categories[1].identifier",
        ]
      ),
      (
        [category("a", [action("mark-read")]), category("b", [action("markRead"), action("mark-read")])],
        ["warning similar_swift_names at categories[1].actions[0].identifier"]
      ),
      ([category("a", [action("x")]), category("b", [action("x")])], []),
      (
        [category("a", [action("x")]), category("b", [action("x", #""options": ["foreground"]"#)])],
        ["warning differing_actions at categories[1].actions[0].identifier"]
      ),
      ([category("a", (1...4).map { action("x\($0)") })], []),
      ([category("a", (1...5).map { action("x\($0)") })], ["warning too_many_actions at categories[0].actions"]),
      ([category("a", (1...11).map { action("x\($0)") })], ["error too_many_actions at categories[0].actions"]),
      (
        [category("a", [action("x", #""options": ["destructive"]"#)])],
        ["warning destructive_without_authentication at categories[0].actions[0].options"]
      ),
      ([category("a", [action("x", #""options": ["authenticationRequired", "destructive"]"#)])], []),
      (
        [category("a", [action("x", #""textInput": {"buttonTitle": "Send"}"#)])],
        ["note text_input_on_watch at categories[0].actions[0].textInput"]
      ),
      (
        [category("a", [action("x", #""textInput": {"buttonTitle": " "}"#)], #""options": ["allowInCarPlay"]"#)],
        [
          "error empty_name at categories[0].actions[0].textInput.buttonTitle",
          "note text_input_in_carplay at categories[0].actions[0].textInput",
          "note text_input_on_watch at categories[0].actions[0].textInput",
        ]
      ),
      (
        [#"{"identifier": "a", "actions": [{"identifier": "x", "title": ""}]}"#],
        ["error empty_name at categories[0].actions[0].title"]
      ),
      ([category("a", [action("")])], ["error empty_name at categories[0].actions[0].identifier"]),
      (
        [category("a", [action("com.apple.UNNotificationDismissActionIdentifier")])],
        ["error reserved_name at categories[0].actions[0].identifier"]
      ),
      ([category("a", [], #""hiddenPreviewsBodyPlaceholder": "%u messages, 100 %%""#)], []),
      (
        [category("a", [], #""hiddenPreviewsBodyPlaceholder": "%d messages""#)],
        ["warning placeholder_format at categories[0].hiddenPreviewsBodyPlaceholder"]
      ),
      (
        [category("a", [], #""hiddenPreviewsBodyPlaceholder": "100 %""#)],
        ["warning placeholder_format at categories[0].hiddenPreviewsBodyPlaceholder"]
      ),
    ] as [([String], [String])])
  func finds(categories: [String], findings: [String]) throws {
    #expect(try registry(categories.joined(separator: ",")).lint().map(summary) == findings)
  }

  @Test(
    "says in what two names differ, and shows what does not show",
    arguments: [
      ("Update", "UPDATE", "category “UPDATE” differs from “Update” only in case"),
      ("a", "a ", "category “a\\u{20}” differs from “a” only in blanks"),
      ("a", "A\u{A0}", "category “A\\u{A0}” differs from “a” only in case and blanks"),
      ("\u{E9}", "e\u{301}", "category “e\u{301}” differs from “\u{E9}” only in Unicode form"),
      ("a", "a\u{200B}", "category “a\\u{200B}” differs from “a” only in blanks"),
    ])
  func explains(first: String, second: String, message: String) throws {
    let findings = try registry("\(category(first)),\(category(second))").lint()
    #expect(findings.first { $0.code == .similarCategories }?.message.utf8.elementsEqual(message.utf8) == true)
  }

  @Test("names the category of an action that looks like another, and what Swift calls those that share a name")
  func explainsAcrossCategories() throws {
    let similar = try registry(
      "\(category("a", [action("Reply")])),\(category("b", [action("reply")])),\(category("c", [action("re-ply")]))"
    ).lint()
    #expect(
      similar.map(\.message) == [
        "action “reply” differs from “Reply” of category “a” only in case"
      ])
    let shared = try registry("\(category("new_message")),\(category("new-message"))").lint()
    #expect(
      shared.map(\.message) == [
        "category “new-message” and “new_message” have one name in Swift; the source for the app calls them"
          + " “newMessage_\(nameMark("new-message"))” and “newMessage_\(nameMark("new_message"))”"
      ])
  }

  @Test("is content with a good registry but for its notes")
  func accepts() throws {
    let findings = try CategoryRegistry(parsing: maximalRegistry.utf8).lint()
    #expect(findings.map(\.code) == [.textInputInCarPlay, .textInputOnWatch])
    #expect(!findings.hasErrors)
  }

  @Test("every message is a sentence without a full stop, and a code's name never changes")
  func writesMessages() throws {
    let all = try registry(
      #"{"identifier":"A "},{"identifier":"a","actions":[\#(action("x", #""options":["destructive"]"#))]}"#
    )
    .lint()
    #expect(all.count == 3)
    for finding in all {
      #expect(finding.message.first?.isUppercase != true && finding.message.last != ".")
    }
    #expect(Finding.Code.allCases.map(\.rawValue) == codes)
  }
}

private let codes = [
  "not_json", "unknown_field", "missing_field", "wrong_value", "duplicate_category", "similar_categories",
  "duplicate_action", "similar_actions", "differing_actions", "similar_swift_names", "too_many_actions",
  "destructive_without_authentication", "text_input_in_carplay", "text_input_on_watch", "empty_name", "odd_name",
  "reserved_name", "placeholder_format",
  "missing_aps", "misplaced_key", "misspelt_key", "unknown_key", "missing_mutable_content", "missing_alert",
  "insecure_url", "untyped_url", "unsupported_media", "unknown_category", "unexpected_media", "still_animation",
  "payload_too_large",
]
