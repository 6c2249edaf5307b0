/// One difference between two registries, and what has to happen first because of it.
public struct RegistryChange: Codable, Sendable, Equatable {
  /// What has to come before what.
  public enum Timing: String, Codable, Sendable, CaseIterable {
    /// An app with it has to be out before the server may use it.
    case appBeforeServer = "app_before_server"
    /// The server has to stop using it before an app without it is out.
    case serverBeforeApp = "server_before_app"
    /// It shows with the next app; the server need not know.
    case app
    /// It concerns the server only, from now on.
    case server
  }

  public enum Code: String, Codable, Sendable, CaseIterable {
    case categoryAdded = "category_added"
    case categoryRemoved = "category_removed"
    case actionAdded = "action_added"
    case actionRemoved = "action_removed"
    case actionChanged = "action_changed"
    case actionsReordered = "actions_reordered"
    case optionsChanged = "options_changed"
    case hiddenPreviewsChanged = "hidden_previews_changed"
    case intentsChanged = "intents_changed"
    case mediaChanged = "media_changed"
    case contentExtensionChanged = "content_extension_changed"
    case swiftNameChanged = "swift_name_changed"
  }

  public var code: Code
  public var timing: Timing
  /// The category's identifier.
  public var category: String
  /// The action's identifier, where the change is one of an action.
  public var action: String?
  /// A sentence for people.
  public var message: String
}

extension CategoryRegistry {
  /// What is different in `newer`, and what follows from it for releases, by category.
  public func changes(to newer: CategoryRegistry) -> [RegistryChange] {
    let added = newer.categories.filter { category($0.identifier) == nil }
    let removed = categories.filter { newer.category($0.identifier) == nil }
    return added.map { change in
      RegistryChange(
        code: .categoryAdded, timing: .appBeforeServer, category: change.identifier,
        message: "ship an app that registers it before the server sends it; apps without it show no buttons"
          + renaming(of: change, in: removed, "it may be a new name of"))
    }
      + removed.map { change in
        RegistryChange(
          code: .categoryRemoved, timing: .serverBeforeApp, category: change.identifier,
          message: "stop sending it before an app without it ships"
            + renaming(of: change, in: added, "it may have become"))
      }
      + categories.flatMap { old in newer.category(old.identifier).map(old.changes(to:)) ?? [] }
      + nameChanges(to: newer)
  }

  /// Where the source for the app calls something else than before by a name, or the same thing by another one.
  private func nameChanges(to newer: CategoryRegistry) -> [RegistryChange] {
    func change(_ category: String, _ action: String?, _ message: String?) -> RegistryChange? {
      message.map {
        RegistryChange(code: .swiftNameChanged, timing: .app, category: category, action: action, message: $0)
      }
    }
    let (oldNames, newNames) = (categoryNames, newer.categoryNames)
    let categories = distinct(newer.categories.map(\.identifier)).compactMap { identifier in
      change(identifier, nil, newNames.change(of: identifier, since: oldNames))
    }
    let (oldActions, newActions) = (actionNames, newer.actionNames)
    var known: Set<[UInt8]> = []
    let actions = newer.categories.flatMap { category in
      category.actions.map(\.identifier).filter { known.insert(Array($0.utf8)).inserted }.compactMap { identifier in
        change(category.identifier, identifier, newActions.change(of: identifier, since: oldActions))
      }
    }
    return categories + actions
  }

  private func renaming(
    of category: NotificationCategory, in others: [NotificationCategory], _ words: String
  ) -> String {
    let other =
      others.first { folded($0.identifier) == folded(category.identifier) }
      ?? others.first { $0.actions == category.actions && !$0.actions.isEmpty }
    return other.map { "; \(words) \(inQuotes($0.identifier))" } ?? ""
  }
}

extension SwiftNames {
  /// What is different about an identifier's name; nil for nothing.
  fileprivate func change(of identifier: String, since older: SwiftNames) -> String? {
    let name = self[identifier]
    if older.identifiers.contains(where: { isSame($0, identifier) }) {
      let former = older[identifier]
      return former == name
        ? nil : "the source for the app calls it “\(name)”, no longer “\(former)”; change the code that uses that name"
    }
    return older.identifiers.first { older[$0] == name }.map { other in
      "the source for the app calls it “\(name)”, which was the name of \(inQuotes(other)); look at the code that uses it"
    }
  }
}

extension NotificationCategory {
  fileprivate func changes(to newer: NotificationCategory) -> [RegistryChange] {
    var changes = actionChanges(to: newer)
    func add(_ code: RegistryChange.Code, _ timing: RegistryChange.Timing, _ message: String) {
      changes.append(RegistryChange(code: code, timing: timing, category: identifier, message: message))
    }
    if Set(options) != Set(newer.options) {
      add(.optionsChanged, .app, "the options become \(listed(newer.options.map(\.rawValue))) with the next app")
    }
    if hiddenPreviewsBodyPlaceholder != newer.hiddenPreviewsBodyPlaceholder {
      add(.hiddenPreviewsChanged, .app, "another text for hidden previews shows with the next app")
    }
    if !areSame(intentIdentifiers, newer.intentIdentifiers) {
      add(.intentsChanged, .app, "the intents become \(listed(newer.intentIdentifiers)) with the next app")
    }
    if contentExtension != newer.contentExtension {
      let message =
        switch (contentExtension, newer.contentExtension) {
        case (nil, _): "ship a content extension for it; until then iOS draws it"
        case (_, nil): "take it out of the content extension's Info.plist with the next app"
        default: "change the content extension's Info.plist with the next app"
        }
      add(.contentExtensionChanged, .app, message)
    }
    if media.map(Set.init) != newer.media.map(Set.init) {
      let kinds = newer.media.map { $0.isEmpty ? "no media" : listed($0.map(\.rawValue)) } ?? "any media"
      // An extension may have been written for the kinds that there were.
      let isDrawn = newer.contentExtension != nil
      add(
        .mediaChanged, isDrawn ? .appBeforeServer : .server,
        "it takes \(kinds) now" + (isDrawn ? ", which the content extension has to know first" : ""))
    }
    return changes
  }

  private func actionChanges(to newer: NotificationCategory) -> [RegistryChange] {
    func change(
      _ code: RegistryChange.Code, _ timing: RegistryChange.Timing, _ action: String?, _ message: String
    ) -> RegistryChange {
      RegistryChange(code: code, timing: timing, category: identifier, action: action, message: message)
    }
    var changes: [RegistryChange] = []
    for action in newer.actions {
      guard let old = actions.first(where: { isSame($0.identifier, action.identifier) }) else {
        changes.append(
          change(
            .actionAdded, .app, action.identifier, "the button shows, and has to be handled, with the next app"))
        continue
      }
      let parts = old.differences(from: action)
      if !parts.isEmpty {
        let message = "another \(parts.joined(separator: ", ")) with the next app"
        changes.append(change(.actionChanged, .app, action.identifier, message))
      }
    }
    let names = newer.actions.map(\.identifier)
    for action in actions where !names.contains(where: { isSame($0, action.identifier) }) {
      changes.append(
        change(
          .actionRemoved, .app, action.identifier,
          "the button is gone with the next app; what older apps report of it still has to be understood"))
    }
    let (common, newCommon) = (
      actions.map(\.identifier).filter { name in names.contains { isSame($0, name) } },
      names.filter { name in
        actions.contains { isSame($0.identifier, name) }
      }
    )
    if !areSame(common, newCommon) {
      changes.append(change(.actionsReordered, .app, nil, "the buttons are in another order with the next app"))
    }
    return changes
  }

  private func listed(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}

private func areSame(_ first: [String], _ second: [String]) -> Bool {
  first.count == second.count && zip(first, second).allSatisfy(isSame)
}

extension NotificationAction {
  fileprivate func differences(from newer: NotificationAction) -> [String] {
    var parts: [String] = []
    if title != newer.title { parts.append("title") }
    if Set(options) != Set(newer.options) { parts.append("set of options") }
    if textInput != newer.textInput { parts.append("text field") }
    return parts
  }
}
