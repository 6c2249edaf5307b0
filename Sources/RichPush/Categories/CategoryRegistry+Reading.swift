/// A document that is no category registry; says everything that is wrong with its form.
public struct InvalidRegistry: Error, Sendable, Equatable {
  public var findings: [Finding]
}

extension CategoryRegistry {
  /// Reads a registry from the UTF-8 of its JSON. Whatever is missing, wrong or unknown is an error: a field that is
  /// silently passed over is what this exists to prevent.
  public init(parsing utf8: some Sequence<UInt8>) throws(InvalidRegistry) {
    let json: JSONValue
    do throws(JSONSyntaxError) {
      json = try JSONValue(parsing: utf8)
    } catch {
      throw InvalidRegistry(findings: [Finding(error)])
    }
    try self.init(json)
  }

  /// Reads a registry from its JSON value.
  public init(_ json: JSONValue) throws(InvalidRegistry) {
    var reader = DocumentReader()
    categories = reader.registry(json)
    guard reader.findings.isEmpty else { throw InvalidRegistry(findings: reader.findings) }
  }
}

extension Finding {
  /// A text that is not JSON.
  public init(_ error: JSONSyntaxError) {
    self.init(.notJSON, at: "line \(error.line), column \(error.column)", error.message)
  }
}

extension DocumentReader {
  fileprivate mutating func registry(_ json: JSONValue) -> [NotificationCategory] {
    guard let registry = members(of: json, at: "$", known: ["$schema", "schema", "categories"]) else { return [] }
    if let schema = requiredString("schema", of: registry), schema != CategoryRegistry.currentSchema {
      note("must be “\(CategoryRegistry.currentSchema)”, not \(inQuotes(schema))", at: "schema")
    }
    let categories = required("categories", of: registry, "an array", \.asArray) ?? []
    return elements(categories, at: "categories") { $0.category($1, at: $2) }
  }

  private mutating func category(_ json: JSONValue, at place: String) -> NotificationCategory? {
    let known = [
      "identifier", "actions", "options", "hiddenPreviewsBodyPlaceholder", "intentIdentifiers", "media",
      "contentExtension",
    ]
    guard let category = members(of: json, at: place, known: known) else { return nil }
    return NotificationCategory(
      identifier: requiredString("identifier", of: category) ?? "",
      actions: elements("actions", of: category) { $0.action($1, at: $2) },
      options: choices("options", of: category),
      hiddenPreviewsBodyPlaceholder: string("hiddenPreviewsBodyPlaceholder", of: category),
      intentIdentifiers: strings("intentIdentifiers", of: category),
      media: member("media", of: category) == nil ? nil : choices("media", of: category),
      contentExtension: member("contentExtension", of: category).flatMap {
        contentExtension($0, at: category.place(of: "contentExtension"))
      })
  }

  private mutating func action(_ json: JSONValue, at place: String) -> NotificationAction? {
    let known = ["identifier", "title", "options", "textInput"]
    guard let action = members(of: json, at: place, known: known) else { return nil }
    return NotificationAction(
      identifier: requiredString("identifier", of: action) ?? "", title: requiredString("title", of: action) ?? "",
      options: choices("options", of: action),
      textInput: member("textInput", of: action).flatMap { textInput($0, at: action.place(of: "textInput")) })
  }

  private mutating func textInput(_ json: JSONValue, at place: String) -> NotificationAction.TextInput? {
    guard let input = members(of: json, at: place, known: ["buttonTitle", "placeholder"]) else { return nil }
    return NotificationAction.TextInput(
      buttonTitle: requiredString("buttonTitle", of: input) ?? "", placeholder: string("placeholder", of: input) ?? "")
  }

  private mutating func contentExtension(
    _ json: JSONValue, at place: String
  ) -> NotificationCategory.ContentExtension? {
    guard let settings = members(of: json, at: place, known: ["hidesDefaultContent", "initialSizeRatio"])
    else { return nil }
    let ratio = number("initialSizeRatio", of: settings)
    if let ratio, ratio <= 0 { note("must be above 0, not \(ratio)", at: settings.place(of: "initialSizeRatio")) }
    return NotificationCategory.ContentExtension(
      hidesDefaultContent: bool("hidesDefaultContent", of: settings) ?? false, initialSizeRatio: ratio)
  }
}
