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
    guard
      let members = object(
        json, at: "$", names: ["$schema", "schema", "categories"], required: ["schema", "categories"])
    else { return [] }
    if let schema = string(members["schema"], at: "schema"), schema != CategoryRegistry.currentSchema {
      findings.append(
        Finding(.wrongValue, at: "schema", "\(inQuotes(schema)) is not “\(CategoryRegistry.currentSchema)”"))
    }
    return array(members["categories"], at: "categories") { (reader, json, place) in reader.category(json, at: place) }
  }

  private mutating func category(_ json: JSONValue, at place: String) -> NotificationCategory? {
    let names = [
      "identifier", "actions", "options", "hiddenPreviewsBodyPlaceholder", "intentIdentifiers", "media",
      "contentExtension",
    ]
    guard let members = object(json, at: place, names: names, required: ["identifier"]) else { return nil }
    return NotificationCategory(
      identifier: string(members["identifier"], at: "\(place).identifier") ?? "",
      actions: array(members["actions"], at: "\(place).actions") { (reader, json, place) in
        reader.action(json, at: place)
      },
      options: choices(members["options"], at: "\(place).options"),
      hiddenPreviewsBodyPlaceholder: string(
        members["hiddenPreviewsBodyPlaceholder"], at: "\(place).hiddenPreviewsBodyPlaceholder"),
      intentIdentifiers: array(members["intentIdentifiers"], at: "\(place).intentIdentifiers") {
        (reader, json, place) in reader.string(json, at: place)
      },
      media: members["media"].map { choices($0, at: "\(place).media") },
      contentExtension: members["contentExtension"].flatMap {
        contentExtension($0, at: "\(place).contentExtension")
      })
  }

  private mutating func action(_ json: JSONValue, at place: String) -> NotificationAction? {
    let names = ["identifier", "title", "options", "textInput"]
    guard let members = object(json, at: place, names: names, required: ["identifier", "title"]) else { return nil }
    return NotificationAction(
      identifier: string(members["identifier"], at: "\(place).identifier") ?? "",
      title: string(members["title"], at: "\(place).title") ?? "",
      options: choices(members["options"], at: "\(place).options"),
      textInput: members["textInput"].flatMap { textInput($0, at: "\(place).textInput") })
  }

  private mutating func textInput(_ json: JSONValue, at place: String) -> NotificationAction.TextInput? {
    guard let members = object(json, at: place, names: ["buttonTitle", "placeholder"], required: ["buttonTitle"])
    else { return nil }
    return NotificationAction.TextInput(
      buttonTitle: string(members["buttonTitle"], at: "\(place).buttonTitle") ?? "",
      placeholder: string(members["placeholder"], at: "\(place).placeholder") ?? "")
  }

  private mutating func contentExtension(
    _ json: JSONValue, at place: String
  ) -> NotificationCategory.ContentExtension? {
    guard let members = object(json, at: place, names: ["hidesDefaultContent", "initialSizeRatio"], required: [])
    else { return nil }
    let ratio = number(members["initialSizeRatio"], at: "\(place).initialSizeRatio")
    if let ratio, ratio <= 0 {
      findings.append(Finding(.wrongValue, at: "\(place).initialSizeRatio", "the ratio is \(ratio), not above 0"))
    }
    return NotificationCategory.ContentExtension(
      hidesDefaultContent: bool(members["hidesDefaultContent"], at: "\(place).hidesDefaultContent") ?? false,
      initialSizeRatio: ratio)
  }
}
