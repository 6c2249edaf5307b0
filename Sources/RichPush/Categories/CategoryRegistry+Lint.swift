extension CategoryRegistry {
  /// How many buttons a phone shows where there is room; elsewhere it shows two (Apple, UNNotificationCategory).
  static let maximumActions = 10
  /// Our own measure of a list that can be taken in at a glance; Apple names none between two and ten.
  static let comfortableActions = 4

  /// What is wrong or doubtful in the registry, in the order of its categories.
  public func lint() -> [Finding] {
    similarities(
      categories.map(\.identifier), places: { "categories[\($0)].identifier" }, what: "category",
      duplicate: .duplicateCategory, similar: .similarCategories)
      + categories.enumerated().flatMap { index, category in category.lint(at: "categories[\(index)]") }
      + differingActions + similarActions + sharedSwiftNames
  }

  /// An action, and where it is.
  private typealias PlacedAction = (action: NotificationAction, category: NotificationCategory, place: String)

  private var placedActions: [PlacedAction] {
    categories.enumerated().flatMap { index, category in
      category.actions.enumerated().map { ($1, category, "categories[\(index)].actions[\($0)].identifier") }
    }
  }

  /// Actions of the same name in several categories that are not the same button. The app is told the action's name, and
  /// code that looks at nothing else takes one for the other.
  private var differingActions: [Finding] {
    var first: [[UInt8]: PlacedAction] = [:]
    return placedActions.compactMap { placed in
      let name = Array(placed.action.identifier.utf8)
      guard let other = first[name] else {
        first[name] = placed
        return nil
      }
      guard other.action != placed.action, !isSame(other.category.identifier, placed.category.identifier) else {
        return nil
      }
      return Finding(
        .differingActions, at: placed.place,
        "the action \(inQuotes(placed.action.identifier)) is another button in category"
          + " \(inQuotes(other.category.identifier))")
    }
  }

  /// Actions of different categories whose names look the same and are not.
  private var similarActions: [Finding] {
    var first: [String: PlacedAction] = [:]
    var known: Set<[UInt8]> = []
    return placedActions.compactMap { placed in
      let name = placed.action.identifier
      guard known.insert(Array(name.utf8)).inserted, !folded(name).isEmpty else { return nil }
      guard let other = first[folded(name)] else {
        first[folded(name)] = placed
        return nil
      }
      // Within one category that is found there.
      guard !placed.category.actions.contains(where: { isSame($0.identifier, other.action.identifier) }) else {
        return nil
      }
      return similarity(
        .similarActions, at: placed.place, "action \(inQuotes(name))", name, other.action.identifier,
        of: " of category \(inQuotes(other.category.identifier))")
    }
  }

  /// Names that are alike in Swift, so that the source for the app has to mark them.
  private var sharedSwiftNames: [Finding] {
    sharedSwiftNames(
      categories.enumerated().map { ($1.identifier, "categories[\($0)].identifier") }, categoryNames, what: "category")
      + sharedSwiftNames(placedActions.map { ($0.action.identifier, $0.place) }, actionNames, what: "action")
  }

  private func sharedSwiftNames(
    _ named: [(identifier: String, place: String)], _ names: SwiftNames, what: String
  ) -> [Finding] {
    var first: [String: String] = [:]
    var known: Set<[UInt8]> = []
    return named.compactMap { identifier, place in
      guard known.insert(Array(identifier.utf8)).inserted else { return nil }
      guard let other = first[swiftName(of: identifier)] else {
        first[swiftName(of: identifier)] = identifier
        return nil
      }
      // That they are alike has been said.
      guard folded(other) != folded(identifier) else { return nil }
      return Finding(
        .similarSwiftNames, at: place,
        "\(what) \(inQuotes(identifier)) and \(inQuotes(other)) have one name in Swift; the source for the app calls them"
          + " “\(names[identifier])” and “\(names[other])”")
    }
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
    return similarity(similar, at: places(index), "\(what) \(inQuotes(name))", name, other)
  }
}

/// Two names that are told apart only by what people do not see. Case and blanks count for iOS and for Swift; two
/// Unicode forms of one text are the same for Swift, so code for an app could not tell them apart.
private func similarity(
  _ code: Finding.Code, at place: String, _ subject: String, _ name: String, _ other: String, of owner: String = ""
) -> Finding {
  Finding(
    code, at: place, "\(subject) differs from \(inQuotes(other))\(owner) only \(difference(other, name))",
    severity: name == other ? .error : .warning)
}
