/// Something that a check has found in a category registry or a payload.
public struct Finding: Codable, Sendable, Equatable {
  public enum Severity: String, Codable, Sendable, CaseIterable {
    /// Good to know; nothing has to be done.
    case note
    /// It works, though probably not as it was meant.
    case warning
    /// A phone will not do what is asked of it, usually without a word.
    case error
  }

  public var severity: Severity
  public var code: Code
  /// Where it is, as a path into the document, such as `categories[2].actions[0].title`; `$` is the document itself.
  public var place: String
  /// A sentence for people: lower-case start, no full stop.
  public var message: String

  /// - Parameter severity: by default what is usual for `code`.
  public init(_ code: Code, at place: String, _ message: String, severity: Severity? = nil) {
    self.severity = severity ?? code.usualSeverity
    self.code = code
    self.place = place
    self.message = message
  }

  /// The stable name of a finding.
  public enum Code: String, Codable, Sendable, CaseIterable {
    // Of documents.
    case notJSON = "not_json"
    case unknownField = "unknown_field"
    case missingField = "missing_field"
    case wrongValue = "wrong_value"
    // Of registries.
    case duplicateCategory = "duplicate_category"
    case similarCategories = "similar_categories"
    case duplicateAction = "duplicate_action"
    case similarActions = "similar_actions"
    case differingActions = "differing_actions"
    case similarSwiftNames = "similar_swift_names"
    case tooManyActions = "too_many_actions"
    case destructiveWithoutAuthentication = "destructive_without_authentication"
    case textInputInCarPlay = "text_input_in_carplay"
    case textInputOnWatch = "text_input_on_watch"
    case emptyName = "empty_name"
    case oddName = "odd_name"
    case reservedName = "reserved_name"
    case placeholderFormat = "placeholder_format"
    // Of payloads.
    case missingAPS = "missing_aps"
    case misplacedKey = "misplaced_key"
    case misspeltKey = "misspelt_key"
    case unknownKey = "unknown_key"
    case missingMutableContent = "missing_mutable_content"
    case missingAlert = "missing_alert"
    case insecureURL = "insecure_url"
    case untypedURL = "untyped_url"
    case unsupportedMedia = "unsupported_media"
    case unknownCategory = "unknown_category"
    case unexpectedMedia = "unexpected_media"
    case stillAnimation = "still_animation"
    case payloadTooLarge = "payload_too_large"
  }
}

extension Finding.Code {
  /// How bad this usually is.
  public var usualSeverity: Finding.Severity {
    switch self {
    case .notJSON, .unknownField, .missingField, .wrongValue, .duplicateCategory, .duplicateAction, .emptyName,
      .reservedName, .missingAPS, .misplacedKey, .misspeltKey, .missingMutableContent, .missingAlert, .insecureURL,
      .unknownCategory, .payloadTooLarge:
      .error
    case .similarCategories, .similarActions, .similarSwiftNames, .differingActions, .tooManyActions,
      .destructiveWithoutAuthentication, .oddName, .placeholderFormat, .unknownKey, .untypedURL, .unsupportedMedia,
      .unexpectedMedia, .stillAnimation:
      .warning
    case .textInputInCarPlay, .textInputOnWatch: .note
    }
  }
}

extension Sequence<Finding> {
  public var hasErrors: Bool { contains { $0.severity == .error } }
}
