extension CategoryRegistry {
  /// How the source for the app is to be written.
  package struct SourceStyle: Sendable {
    /// Whether titles and placeholders are keys of a strings table, looked up by `NSLocalizedString`.
    package var isLocalized: Bool
    /// Whether the declarations are public, for an app that keeps them in a module of their own.
    package var isPublic: Bool

    package init(isLocalized: Bool = false, isPublic: Bool = false) {
      self.isLocalized = isLocalized
      self.isPublic = isPublic
    }
  }

  /// What the source calls the categories.
  var categoryNames: SwiftNames { SwiftNames(categories.map(\.identifier)) }

  /// What the source calls the actions.
  var actionNames: SwiftNames { SwiftNames(categories.flatMap(\.actions).map(\.identifier)) }

  /// Swift source that registers exactly these categories, and names them and their actions.
  ///
  /// The same categories give the same text, in whatever order they are. The registry has to be without errors and to
  /// have a category.
  package func swiftSource(_ style: SourceStyle = SourceStyle()) -> String {
    let categories = categories.sorted { $0.identifier.utf8.lexicographicallyPrecedes($1.identifier.utf8) }
    let writer = SourceWriter(style: style, categoryNames: categoryNames, actionNames: actionNames)
    return writer.file(categories)
  }
}

private struct SourceWriter {
  let style: CategoryRegistry.SourceStyle
  let categoryNames: SwiftNames
  let actionNames: SwiftNames

  private var access: String { style.isPublic ? "public " : "" }

  func file(_ categories: [NotificationCategory]) -> String {
    """
    // Made by `enclosure categories generate`. Do not change it: change the registry, and make it anew.

    \(style.isLocalized ? "import Foundation\n" : "")import UserNotifications

    /// The notification categories that the server may name, as this version of the app registers them.
    \(access)enum NotificationCategories {
      /// Registers all categories, in place of those that were registered before. To be called at every launch.
      \(access)static func register(with center: UNUserNotificationCenter = .current()) {
        center.setNotificationCategories(all)
      }

      \(access)static var all: Set<UNNotificationCategory> {
        Set(CategoryIdentifier.allCases.map(category))
      }

      /// The `category` of a payload, and the `categoryIdentifier` of a notification.
      \(access)enum CategoryIdentifier: String, CaseIterable, Sendable {
    \(categories.map(categoryCase).joined(separator: "\n"))
      }
    \(actionCases)
      \(access)static func category(_ identifier: CategoryIdentifier) -> UNNotificationCategory {
        switch identifier {
    \(categories.map(category).joined(separator: "\n"))
        }
      }
    }

    """
  }

  private func categoryCase(_ category: NotificationCategory) -> String {
    var remarks: [String] = []
    if let media = category.media {
      remarks.append(media.isEmpty ? "Comes without media." : "Comes with \(list(media.map(\.rawValue))).")
    }
    if category.contentExtension != nil { remarks.append("Is drawn by a content extension.") }
    let comment = remarks.isEmpty ? "" : "    /// \(remarks.joined(separator: " "))\n"
    return "\(comment)    case \(categoryNames[category.identifier]) = \(literal(category.identifier))"
  }

  private func list(_ words: [String]) -> String {
    words.count > 1 ? words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "") : words.joined()
  }

  /// Swift has no enumeration of strings without a case.
  private var actionCases: String {
    guard !actionNames.identifiers.isEmpty else { return "" }
    let cases = actionNames.identifiers.map { "    case \(actionNames[$0]) = \(literal($0))" }
    return """

        /// The `actionIdentifier` of a response, besides the two of the system.
        \(access)enum ActionIdentifier: String, CaseIterable, Sendable {
      \(cases.joined(separator: "\n"))
        }

      """
  }

  private func category(_ category: NotificationCategory) -> String {
    var arguments = ["identifier: identifier.rawValue"]
    let actions = category.actions.map(action).joined(separator: ",\n")
    arguments.append(category.actions.isEmpty ? "actions: []" : "actions: [\n\(actions)\n        ]")
    arguments.append("intentIdentifiers: [\(category.intentIdentifiers.map(literal).joined(separator: ", "))]")
    if let placeholder = category.hiddenPreviewsBodyPlaceholder {
      let comment = "In place of the text where previews are hidden, \(category.identifier)"
      arguments.append("hiddenPreviewsBodyPlaceholder: \(text(placeholder, comment))")
    }
    arguments.append("options: \(set(category.options.map(\.rawValue)))")
    return """
          case .\(categoryNames[category.identifier]):
            return UNNotificationCategory(
              \(arguments.joined(separator: ",\n        "))
            )
      """
  }

  private func action(_ action: NotificationAction) -> String {
    var arguments = [
      "identifier: ActionIdentifier.\(actionNames[action.identifier]).rawValue",
      "title: \(text(action.title, "Title of the action \(action.identifier)"))",
      "options: \(set(action.options.map(\.rawValue)))",
    ]
    if let input = action.textInput {
      let title = text(input.buttonTitle, "Title of the button that sends the text of \(action.identifier)")
      arguments.append("textInputButtonTitle: \(title)")
      let placeholder = text(input.placeholder, "Placeholder of the text field of \(action.identifier)")
      arguments.append("textInputPlaceholder: \(placeholder)")
    }
    return """
                \(action.textInput == nil ? "UNNotificationAction" : "UNTextInputNotificationAction")(
                  \(arguments.joined(separator: ",\n            "))
                )
      """
  }

  /// Options are written in the order in which the SDK declares them, whatever the registry's is.
  private func set(_ options: [String]) -> String {
    let declared =
      NotificationAction.Option.allCases.map(\.rawValue)
      + NotificationCategory.Option.allCases.map(\.rawValue)
    return "[\(declared.filter(options.contains).map { ".\($0)" }.joined(separator: ", "))]"
  }

  private func text(_ text: String, _ comment: String) -> String {
    guard style.isLocalized, !text.isEmpty else { return literal(text) }
    return "NSLocalizedString(\(literal(text)), comment: \(literal(comment)))"
  }
}

/// A string literal; what does not show is written as its number.
private func literal(_ text: String) -> String {
  let inner = text.unicodeScalars.map { scalar in
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case " "..."~": String(Character(scalar))
    default:
      scalar.properties.isAlphabetic || scalar.properties.isEmojiPresentation
        ? String(Character(scalar)) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }
  return "\"\(inner.joined())\""
}
