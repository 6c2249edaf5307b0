extension JobDocument: Codable {
  /// - Throws: a `Fault` for what is JSON but no job.
  public init(from decoder: any Decoder) throws {
    try self.init(try JSONValue(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    try json.encode(to: encoder)
  }

  /// Reads a job.
  public init(_ json: JSONValue) throws(Fault) {
    let job = try Members(json, at: nil, known: ["id", "sources", "payload", "options", "expiresAt", "callback"])
    id = try Self.checkedID(try job.required("id", "a string", \.asString), field: "id")
    let elements = try job.required("sources", "an array of one to four sources", \.asArray)
    guard 1...maximumAttachmentsPerNotification ~= elements.count else {
      throw Fault(
        "sources", "must have 1 to \(maximumAttachmentsPerNotification) elements, not \(elements.count)")
    }
    sources = []
    for (index, element) in elements.enumerated() {
      sources.append(try Source(element, at: "sources[\(index)]"))
    }
    try Self.requireDistinctIdentifiers(of: sources)
    payload = try job.optional("payload", "an object, the APNs payload", \.asObject).map { .object($0) }
    guard payload?.isNested(deeperThan: Self.maximumPayloadDepth) != true else {
      throw Fault("payload", "has values that are nested deeper than \(Self.maximumPayloadDepth) levels")
    }
    options = try job.member("options").map { (json) throws(Fault) in try Options(json, at: "options") } ?? Options()
    callback = try job.optional("callback", "a string", \.asString)
    if let callback { try Self.requireURL(callback, field: "callback", schemes: ["https", "http"]) }
    expiresAt = nil
    if let text = try job.optional("expiresAt", "a string", \.asString) {
      guard let timestamp = Timestamp(text) else {
        throw Fault("expiresAt", "must be a time like 2026-11-30T03:00:00Z (RFC 3339), not \(quoted(text))")
      }
      expiresAt = timestamp
    }
  }

  /// Checks an id by itself, where there is nothing else yet.
  public static func checkedID(_ id: String, field: String? = "id") throws(Fault) -> String {
    let bytes = id.utf8.count
    guard 1...maximumIDBytes ~= bytes else {
      throw Fault(field, "must have 1 to \(maximumIDBytes) bytes, not \(bytes)")
    }
    guard !id.unicodeScalars.contains(where: isControl) else {
      throw Fault(field, "must not have control characters")
    }
    guard !id.hasPrefix(reservedIDPrefix) else {
      throw Fault(field, "must not begin with \(quoted(reservedIDPrefix)); such ids are reserved")
    }
    return id
  }

  private static func requireDistinctIdentifiers(of sources: [Source]) throws(Fault) {
    var seen: Set<String> = []
    for (index, source) in sources.enumerated() {
      let identifier = source.identifier ?? defaultIdentifier(ofSource: index + 1)
      guard seen.insert(identifier).inserted else {
        throw Fault("sources[\(index)].identifier", "is \(quoted(identifier)), like that of another source")
      }
    }
  }

  fileprivate static func requireURL(_ url: String, field: String, schemes: [String]?) throws(Fault) {
    let bytes = url.utf8.count
    guard 1...maximumURLBytes ~= bytes else {
      throw Fault(field, "must have 1 to \(maximumURLBytes) bytes, not \(bytes)")
    }
    guard !url.unicodeScalars.contains(where: { isControl($0) || $0 == " " }) else {
      throw Fault(field, "must not have spaces or control characters; a space is written %20")
    }
    guard let schemes else { return }
    guard schemes.contains(where: { url.lowercased().hasPrefix("\($0)://") }) else {
      throw Fault(field, "must begin with \(schemes.map { "\($0)://" }.joined(separator: " or "))")
    }
  }

  private var json: JSONValue {
    var members: [String: JSONValue] = ["id": .string(id), "sources": .array(sources.map(\.json))]
    members["payload"] = payload
    members["expiresAt"] = expiresAt.map { .string($0.text) }
    members["callback"] = callback.map { .string($0) }
    if !options.isEmpty {
      var chosen: [String: JSONValue] = [:]
      chosen["fit"] = options.fit.map { .string($0.rawValue) }
      chosen["overlong"] = options.overlong.map { .string($0.rawValue) }
      chosen["thumbnailHidden"] = options.thumbnailHidden.map { .bool($0) }
      members["options"] = .object(chosen)
    }
    return .object(members)
  }
}

/// The identifier of an attachment whose source has none, by the source's number from 1 on.
package func defaultIdentifier(ofSource number: Int) -> String {
  "media-\(number)"
}

extension JSONValue {
  /// Whether there are more than so many arrays and objects within each other.
  fileprivate func isNested(deeperThan levels: Int) -> Bool {
    switch self {
    case .array(let values): levels == 0 || values.contains { $0.isNested(deeperThan: levels - 1) }
    case .object(let members): levels == 0 || members.values.contains { $0.isNested(deeperThan: levels - 1) }
    default: false
    }
  }
}

extension JobDocument.Source {
  init(_ json: JSONValue, at place: String) throws(JobDocument.Fault) {
    if case .string(let url) = json {
      try JobDocument.requireURL(url, field: place, schemes: nil)
      self.init(url: url)
      return
    }
    guard case .object = json else {
      throw JobDocument.Fault(place, "must be a URL or an object with one, not \(json.described)")
    }
    let source = try Members(json, at: place, known: ["url", "identifier"])
    self.init(
      url: try source.required("url", "a string", \.asString),
      identifier: try source.optional("identifier", "a string", \.asString))
    try JobDocument.requireURL(url, field: "\(place).url", schemes: nil)
    guard let identifier else { return }
    let bytes = identifier.utf8.count
    guard 1...JobDocument.maximumIdentifierBytes ~= bytes, !identifier.unicodeScalars.contains(where: isControl) else {
      throw JobDocument.Fault(
        "\(place).identifier",
        "must have 1 to \(JobDocument.maximumIdentifierBytes) bytes and no control characters")
    }
  }

  fileprivate var json: JSONValue {
    guard let identifier else { return .string(url) }
    return .object(["url": .string(url), "identifier": .string(identifier)])
  }
}

extension JobDocument.Options {
  init(_ json: JSONValue, at place: String) throws(JobDocument.Fault) {
    let options = try Members(json, at: place, known: ["fit", "overlong", "thumbnailHidden"])
    self.init(
      fit: try options.choice("fit", of: Fit.self), overlong: try options.choice("overlong", of: Overlong.self),
      thumbnailHidden: try options.optional("thumbnailHidden", "true or false", \.asBool))
  }
}

func isControl(_ scalar: Unicode.Scalar) -> Bool {
  scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
}
