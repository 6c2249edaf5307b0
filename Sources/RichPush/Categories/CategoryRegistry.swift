/// The notification categories of an app: one list that the app registers and the server goes by.
///
/// A category that the app does not know, even by one letter, shows no buttons and logs nothing. Its document is
/// described by categories.schema.json.
public struct CategoryRegistry: Sendable, Equatable {
  /// The version of the document's shape.
  public static let currentSchema = "enclosure.categories/1"

  public var categories: [NotificationCategory]

  public init(categories: [NotificationCategory]) {
    self.categories = categories
  }

  /// The category of exactly this name, byte by byte, as iOS looks it up.
  public func category(_ identifier: String) -> NotificationCategory? {
    categories.first { isSame($0.identifier, identifier) }
  }

  /// The name of the category that was probably meant by one that does not exist.
  public func nearestCategory(to identifier: String) -> String? {
    nearest(to: identifier, among: categories.lazy.map(\.identifier))
  }
}

/// A type of notification, as `UNNotificationCategory` has it, and what the server has to know about it besides.
public struct NotificationCategory: Sendable, Equatable {
  /// As in the `category` of a payload's `aps`.
  public var identifier: String
  /// The buttons, in order.
  public var actions: [NotificationAction]
  public var options: [Option]
  /// What stands in place of the body where previews are hidden; `%u` becomes the number of messages.
  public var hiddenPreviewsBodyPlaceholder: String?
  /// Identifiers of SiriKit intents.
  public var intentIdentifiers: [String]
  /// The kinds of media that this category is made for: none when it is empty, any when it is nil.
  public var media: [MediaKind]?
  /// The content extension that draws these notifications; nil when iOS does.
  public var contentExtension: ContentExtension?

  /// The raw values are the names of `UNNotificationCategoryOptions`.
  public enum Option: String, Sendable, CaseIterable {
    case customDismissAction, allowInCarPlay, hiddenPreviewsShowTitle, hiddenPreviewsShowSubtitle
  }

  /// What the Info.plist of a content extension says.
  public struct ContentExtension: Sendable, Equatable {
    /// For `UNNotificationExtensionDefaultContentHidden`.
    public var hidesDefaultContent: Bool
    /// For `UNNotificationExtensionInitialContentSizeRatio`: height by width.
    public var initialSizeRatio: Double?

    public init(hidesDefaultContent: Bool = false, initialSizeRatio: Double? = nil) {
      self.hidesDefaultContent = hidesDefaultContent
      self.initialSizeRatio = initialSizeRatio
    }
  }

  public init(
    identifier: String, actions: [NotificationAction] = [], options: [Option] = [],
    hiddenPreviewsBodyPlaceholder: String? = nil, intentIdentifiers: [String] = [], media: [MediaKind]? = nil,
    contentExtension: ContentExtension? = nil
  ) {
    self.identifier = identifier
    self.actions = actions
    self.options = options
    self.hiddenPreviewsBodyPlaceholder = hiddenPreviewsBodyPlaceholder
    self.intentIdentifiers = intentIdentifiers
    self.media = media
    self.contentExtension = contentExtension
  }
}

/// A button, as `UNNotificationAction` has it, or `UNTextInputNotificationAction` where it takes text.
public struct NotificationAction: Sendable, Equatable {
  public var identifier: String
  public var title: String
  public var options: [Option]
  /// nil for a plain button.
  public var textInput: TextInput?

  /// The raw values are the names of `UNNotificationActionOptions`.
  public enum Option: String, Sendable, CaseIterable {
    case foreground, destructive, authenticationRequired
  }

  public struct TextInput: Sendable, Equatable {
    public var buttonTitle: String
    public var placeholder: String

    public init(buttonTitle: String, placeholder: String = "") {
      self.buttonTitle = buttonTitle
      self.placeholder = placeholder
    }
  }

  public init(identifier: String, title: String, options: [Option] = [], textInput: TextInput? = nil) {
    self.identifier = identifier
    self.title = title
    self.options = options
    self.textInput = textInput
  }
}
