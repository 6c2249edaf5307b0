extension CategoryRegistry {
  /// How many buttons a phone shows: Apple says ten where there is room (UNNotificationCategory), and lists and banners
  /// show fewer.
  static let maximumActions = 10
  /// What phones and watches show without scrolling.
  static let comfortableActions = 4

  /// What is wrong or doubtful in the registry, in the order of its categories.
  public func lint() -> [Finding] {
    similarities(
      categories.map(\.identifier), places: { "categories[\($0)].identifier" }, what: "category",
      duplicate: .duplicateCategory, similar: .similarCategories)
      + categories.enumerated().flatMap { index, category in category.lint(at: "categories[\(index)]") }
      + differingActions
  }

  /// Actions of the same name in several categories that are not the same button. The app is told the action's name, and
  /// code that looks at nothing else takes one for the other.
  private var differingActions: [Finding] {
    var first: [String: (action: NotificationAction, category: String)] = [:]
    var findings: [Finding] = []
    for (index, category) in categories.enumerated() {
      for (number, action) in category.actions.enumerated() {
        guard let other = first[action.identifier] else {
          first[action.identifier] = (action, category.identifier)
          continue
        }
        guard other.action != action, other.category != category.identifier else { continue }
        findings.append(
          Finding(
            .differingActions, at: "categories[\(index)].actions[\(number)].identifier",
            "the action \(inQuotes(action.identifier)) is another button in category \(inQuotes(other.category))"))
      }
    }
    return findings
  }
}

extension NotificationCategory {
  fileprivate func lint(at place: String) -> [Finding] {
    var findings = oddities(of: identifier, at: "\(place).identifier", what: "category")
    findings += similarities(
      actions.map(\.identifier), places: { "\(place).actions[\($0)].identifier" },
      what: "action of category \(inQuotes(identifier))", duplicate: .duplicateAction, similar: .similarActions)
    if actions.count > CategoryRegistry.comfortableActions {
      let isRefused = actions.count > CategoryRegistry.maximumActions
      findings.append(
        Finding(
          .tooManyActions, at: "\(place).actions",
          "the category \(inQuotes(identifier)) has \(actions.count) actions; "
            + (isRefused
              ? "a phone shows at most \(CategoryRegistry.maximumActions)"
              : "beyond \(CategoryRegistry.comfortableActions) they are only shown where there is room"),
          severity: isRefused ? .error : .warning))
    }
    if let text = hiddenPreviewsBodyPlaceholder {
      findings += text.placeholderFaults(at: "\(place).hiddenPreviewsBodyPlaceholder")
    }
    let isInCarPlay = options.contains(.allowInCarPlay)
    for (index, action) in actions.enumerated() {
      findings += action.lint(at: "\(place).actions[\(index)]", isInCarPlay: isInCarPlay)
    }
    return findings
  }
}

extension NotificationAction {
  /// The names by which iOS reports that a notification itself was tapped or dismissed.
  private static let reserved = [
    "com.apple.UNNotificationDefaultActionIdentifier", "com.apple.UNNotificationDismissActionIdentifier",
  ]

  fileprivate func lint(at place: String, isInCarPlay: Bool) -> [Finding] {
    var findings = oddities(of: identifier, at: "\(place).identifier", what: "action")
    if Self.reserved.contains(identifier) {
      findings.append(
        Finding(
          .reservedName, at: "\(place).identifier",
          "“\(identifier)” is what iOS reports when the notification itself is tapped or dismissed"))
    }
    if folded(title).isEmpty {
      findings.append(Finding(.emptyName, at: "\(place).title", "the button would have no text"))
    }
    if options.contains(.destructive), !options.contains(.authenticationRequired) {
      findings.append(
        Finding(
          .destructiveWithoutAuthentication, at: "\(place).options",
          "the action \(inQuotes(identifier)) destroys something, and works on a locked phone in anybody's hand; add"
            + " authenticationRequired"))
    }
    guard let textInput else { return findings }
    if folded(textInput.buttonTitle).isEmpty {
      findings.append(Finding(.emptyName, at: "\(place).textInput.buttonTitle", "the button would have no text"))
    }
    if isInCarPlay {
      findings.append(
        Finding(.textInputInCarPlay, at: "\(place).textInput", "CarPlay does not offer an action that takes text"))
    }
    findings.append(
      Finding(
        .textInputOnWatch, at: "\(place).textInput",
        "on Apple Watch people dictate or scribble the text; ask for little"))
    return findings
  }
}

extension String {
  /// The text is a format whose only argument is the number of messages.
  fileprivate func placeholderFaults(at place: String) -> [Finding] {
    var isInFormat = false
    for character in self {
      if isInFormat, character != "u", character != "%" {
        return [
          Finding(
            .placeholderFormat, at: place, "“%\(character)” is no number of messages; write %u, or %% for a per cent")
        ]
      }
      isInFormat = !isInFormat && character == "%"
    }
    return isInFormat ? [Finding(.placeholderFormat, at: place, "the text ends in a single %; write %%")] : []
  }
}

/// What makes a name hard to get right.
private func oddities(of name: String, at place: String, what: String) -> [Finding] {
  if folded(name).isEmpty {
    return [Finding(.emptyName, at: place, "the \(what) has no name")]
  }
  let hasHidden = name.unicodeScalars.contains {
    $0.properties.isDefaultIgnorableCodePoint || $0.properties.generalCategory == .control
      || $0.properties.isWhitespace && $0 != " "
  }
  if hasHidden || name.first == " " || name.last == " " {
    return [Finding(.oddName, at: place, "the name \(inQuotes(name)) has characters that do not show")]
  }
  return []
}

/// Names that are the same, or are told apart only by what people do not see.
private func similarities(
  _ names: [String], places: (Int) -> String, what: String, duplicate: Finding.Code, similar: Finding.Code
) -> [Finding] {
  names.enumerated().compactMap { index, name in
    if names[..<index].contains(where: { isSame($0, name) }) {
      return Finding(duplicate, at: places(index), "there is another \(what) \(inQuotes(name))")
    }
    guard let other = names[..<index].first(where: { folded($0) == folded(name) && !folded(name).isEmpty })
    else { return nil }
    return Finding(
      similar, at: places(index),
      "\(what) \(inQuotes(name)) differs from \(inQuotes(other)) only \(difference(other, name))")
  }
}
