import RichPush
import Testing

@Suite("the source for the app")
struct RegistrySourceTests {
  @Test("registers the categories as they are")
  func writes() throws {
    let categories = #"""
      {"identifier": "plain"},
      {"identifier": "NEW_MESSAGE", "media": ["image"], "options": ["allowInCarPlay", "customDismissAction"],
       "hiddenPreviewsBodyPlaceholder": "%u \"new\"", "intentIdentifiers": ["INSendMessageIntent"],
       "actions": [{"identifier": "reply", "title": "Reply", "options": ["authenticationRequired"],
                    "textInput": {"buttonTitle": "Send"}},
                   {"identifier": "delete", "title": "Delete"}]}
      """#
    let source = try registry(categories).swiftSource()
    #expect(
      source == """
        // Made by `enclosure categories generate`. Do not change it: change the registry, and make it anew.

        import UserNotifications

        /// The notification categories that the server may name, as this version of the app registers them.
        enum NotificationCategories {
          /// Registers all categories, in place of those that were registered before. To be called at every launch.
          static func register(with center: UNUserNotificationCenter = .current()) {
            center.setNotificationCategories(all)
          }

          static var all: Set<UNNotificationCategory> {
            Set(CategoryIdentifier.allCases.map(category))
          }

          /// The `category` of a payload, and the `categoryIdentifier` of a notification.
          enum CategoryIdentifier: String, CaseIterable, Sendable {
            /// Comes with image.
            case newMessage = "NEW_MESSAGE"
            case plain = "plain"
          }

          /// The `actionIdentifier` of a response, besides the two of the system.
          enum ActionIdentifier: String, CaseIterable, Sendable {
            case delete = "delete"
            case reply = "reply"
          }

          static func category(_ identifier: CategoryIdentifier) -> UNNotificationCategory {
            switch identifier {
            case .newMessage:
              return UNNotificationCategory(
                identifier: identifier.rawValue,
                actions: [
                  UNTextInputNotificationAction(
                    identifier: ActionIdentifier.reply.rawValue,
                    title: "Reply",
                    options: [.authenticationRequired],
                    textInputButtonTitle: "Send",
                    textInputPlaceholder: ""
                  ),
                  UNNotificationAction(
                    identifier: ActionIdentifier.delete.rawValue,
                    title: "Delete",
                    options: []
                  )
                ],
                intentIdentifiers: ["INSendMessageIntent"],
                hiddenPreviewsBodyPlaceholder: "%u \\"new\\"",
                options: [.customDismissAction, .allowInCarPlay]
              )
            case .plain:
              return UNNotificationCategory(
                identifier: identifier.rawValue,
                actions: [],
                intentIdentifiers: [],
                options: []
              )
            }
          }
        }

        """)
  }

  @Test("does not depend on the order of the categories")
  func isStable() throws {
    let registry = try CategoryRegistry(parsing: maximalRegistry.utf8)
    let reversed = CategoryRegistry(categories: registry.categories.reversed())
    #expect(registry.swiftSource() == reversed.swiftSource())
  }

  @Test("has titles as keys, and public names, where asked")
  func styles() throws {
    let registry = try CategoryRegistry(parsing: maximalRegistry.utf8)
    let source = registry.swiftSource(CategoryRegistry.SourceStyle(isLocalized: true, isPublic: true))
    #expect(source.contains("import Foundation\nimport UserNotifications\n"))
    #expect(source.contains("title: NSLocalizedString(\"Reply\", comment: \"Title of the action reply\"),\n"))
    #expect(source.contains("  public static func register("))
    #expect(source.contains("/// Comes with image, video or audio. Is drawn by a content extension.\n"))
  }

  @Test(
    "names things in Swift whatever they are called",
    arguments: [
      ("message", "message"), ("NEW_MESSAGE", "newMessage"), ("newMessage", "newMessage"),
      ("new-message", "newMessage"),
      ("com.example.message", "comExampleMessage"), ("HTTPError", "hTTPError"), ("class", "`class`"), ("1st", "_1st"),
      ("allCases", "_allCases"), ("self", "_self"), ("caf\u{E9}", "caf"), ("消息", "u6D88_606F"), ("a b", "aB"),
      ("🙂", "u1F642"),
    ])
  func names(identifier: String, name: String) throws {
    let source = CategoryRegistry(categories: [NotificationCategory(identifier: identifier)]).swiftSource()
    #expect(source.contains("    case \(name) = "), "\(source)")
    #expect(source.contains("    case .\(name):\n"))
  }

  @Test(
    "gives all that would have the same name a mark of their own, whatever else there is",
    arguments: [
      ["a-b", "a_b", "aB"], ["aB", "a-b"], ["Update", "UPDATE"], ["🙂", "u1F642"], ["caf\u{E9}", "caf"],
      ["class", "CLASS"],
    ])
  func marks(identifiers: [String]) throws {
    for identifiers in [identifiers, identifiers.reversed(), identifiers + ["other"]] {
      let source = CategoryRegistry(categories: identifiers.map { NotificationCategory(identifier: $0) }).swiftSource()
      for identifier in identifiers where identifier != "other" {
        #expect(source.contains("_\(nameMark(identifier)) = \"\(identifier)\"\n"), "\(source)")
      }
      #expect(source.contains("    case other = ") == identifiers.contains("other"))
    }
  }

  @Test("takes FNV-1a for a mark", arguments: [("", "811c9dc5"), ("a", "e40c292c"), ("foobar", "bf9cf968")])
  func hashes(identifier: String, hash: String) {
    #expect(nameMark(identifier) == hash)
  }

  @Test("holds actions apart whose names differ in Unicode form only")
  func unicodeForms() throws {
    let actions = ["caf\u{E9}", "cafe\u{301}"].map { NotificationAction(identifier: $0, title: "T") }
    let categories = actions.enumerated().map { NotificationCategory(identifier: "c\($0)", actions: [$1]) }
    let source = CategoryRegistry(categories: categories).swiftSource()
    #expect(!source.contains("ActionIdentifier..") && source.contains("= \"cafe\\u{301}\"\n"))
  }

  @Test("has no action names where there are no actions")
  func withoutActions() throws {
    #expect(try !registry(#"{"identifier": "a"}"#).swiftSource().contains("ActionIdentifier"))
  }
}

@Suite("the changes of a registry")
struct RegistryChangeTests {
  private static let reply = #"{"identifier": "reply", "title": "Reply"}"#
  private static let open = #"{"identifier": "open", "title": "Open"}"#

  @Test(
    "say what has to be out first",
    arguments: [
      (#"{"identifier": "a"}"#, #"{"identifier": "a"}"#, []),
      ("", #"{"identifier": "a"}"#, ["category_added app_before_server"]),
      (#"{"identifier": "a"}"#, "", ["category_removed server_before_app"]),
      (
        #"{"identifier": "a"}"#, #"{"identifier": "A"}"#,
        [
          "category_added app_before_server", "category_removed server_before_app", "swift_name_changed app",
        ]
      ),
      (
        #"{"identifier": "a"}"#, #"{"identifier": "a", "actions": [\#(reply)]}"#, ["action_added app reply"]
      ),
      (#"{"identifier": "a", "actions": [\#(reply)]}"#, #"{"identifier": "a"}"#, ["action_removed app reply"]),
      (
        #"{"identifier": "a", "actions": [\#(reply), \#(open)]}"#,
        #"{"identifier": "a", "actions": [\#(open), \#(reply)]}"#,
        ["actions_reordered app"]
      ),
      (
        #"{"identifier": "a", "actions": [\#(reply)]}"#,
        #"{"identifier": "a", "actions": [{"identifier": "reply", "title": "Answer", "options": ["foreground"]}]}"#,
        ["action_changed app reply"]
      ),
      (#"{"identifier": "a"}"#, #"{"identifier": "a", "options": ["allowInCarPlay"]}"#, ["options_changed app"]),
      (
        #"{"identifier": "a"}"#, #"{"identifier": "a", "hiddenPreviewsBodyPlaceholder": "x"}"#,
        ["hidden_previews_changed app"]
      ),
      (#"{"identifier": "a"}"#, #"{"identifier": "a", "intentIdentifiers": ["x"]}"#, ["intents_changed app"]),
      (#"{"identifier": "a"}"#, #"{"identifier": "a", "media": ["image"]}"#, ["media_changed server"]),
      (
        #"{"identifier": "a", "contentExtension": {}}"#,
        #"{"identifier": "a", "media": ["image"], "contentExtension": {"initialSizeRatio": 1}}"#,
        ["content_extension_changed app", "media_changed app_before_server"]
      ),
      (
        #"{"identifier": "a", "actions": [{"identifier": "caf\u00e9", "title": "T"}]}"#,
        #"{"identifier": "a", "actions": [{"identifier": "cafe\u0301", "title": "T"}]}"#,
        ["action_added app cafe\u{301}", "action_removed app caf\u{E9}"]
      ),
      (
        #"{"identifier": "new_message"}"#, #"{"identifier": "new_message"}, {"identifier": "new-message"}"#,
        ["category_added app_before_server", "swift_name_changed app"]
      ),
      (
        #"{"identifier": "new_message"}, {"identifier": "new-message"}"#, #"{"identifier": "new-message"}"#,
        ["category_removed server_before_app", "swift_name_changed app"]
      ),
      (
        #"{"identifier": "new_message"}"#, #"{"identifier": "new-message"}"#,
        ["category_added app_before_server", "category_removed server_before_app", "swift_name_changed app"]
      ),
      (
        #"{"identifier": "a", "actions": [{"identifier": "mark-read", "title": "T"}]}, {"identifier": "b"}"#,
        #"{"identifier": "a", "actions": [{"identifier": "mark-read", "title": "T"}]}, "#
          + #"{"identifier": "b", "actions": [{"identifier": "markRead", "title": "T"}]}"#,
        ["action_added app markRead", "swift_name_changed app mark-read"]
      ),
    ])
  func compares(old: String, new: String, changes: [String]) throws {
    let found = try registry(old).changes(to: registry(new))
    #expect(
      found.map { [$0.code.rawValue, $0.timing.rawValue, $0.action].compactMap { $0 }.joined(separator: " ") }
        == changes)
  }

  @Test("recognise a new name")
  func renames() throws {
    let changes = try registry(#"{"identifier": "message"}"#).changes(to: registry(#"{"identifier": "Message"}"#))
    #expect(changes[0].message.hasSuffix("; it may be a new name of “message”"))
    #expect(changes[1].message.hasSuffix("; it may have become “Message”"))
    #expect(changes[2].message.hasPrefix("the source for the app calls it “message”, which was the name of “message”"))
    #expect(changes.map(\.category) == ["Message", "message", "Message"])
  }
}
