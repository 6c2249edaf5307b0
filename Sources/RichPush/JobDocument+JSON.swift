extension JobDocument: Codable {
  /// - Throws: a `Fault` for what is JSON but no job.
  public init(from decoder: any Decoder) throws {
    try self.init(try JSONValue(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    try json.encode(to: encoder)
  }

  /// Reads a job.
  /// - Throws: the first thing that is wrong with it.
  public init(_ json: JSONValue) throws(Fault) {
    let (job, faults) = Self.read(json)
    if let fault = faults.first { throw Fault(fault.place == "$" ? nil : fault.place, fault.message) }
    guard let job else { throw Fault(nil, "cannot be read") }
    self = job
  }

  /// Everything that is wrong with a document as a job.
  public static func findings(in json: JSONValue) -> [Finding] { read(json).findings }

  private static func read(_ json: JSONValue) -> (job: JobDocument?, findings: [Finding]) {
    var reader = DocumentReader(takesNullAsAbsent: true)
    let job = reader.job(json)
    return (job, reader.findings)
  }

  /// Checks an id by itself, where there is nothing else yet.
  public static func checkedID(_ id: String, field: String? = "id") throws(Fault) -> String {
    if let problem = problem(ofID: id) { throw Fault(field, problem) }
    return id
  }

  fileprivate static func problem(ofID id: String) -> String? {
    let bytes = id.utf8.count
    if !(1...maximumIDBytes).contains(bytes) { return "must have 1 to \(maximumIDBytes) bytes, not \(bytes)" }
    if id.unicodeScalars.contains(where: isControl) { return "must not have control characters" }
    return id.hasPrefix(reservedIDPrefix)
      ? "must not begin with “\(reservedIDPrefix)”; such ids are reserved" : nil
  }

  /// - Parameter schemes: those that there may be; nil for any, which is judged when it is fetched.
  fileprivate static func problem(ofURL url: String, schemes: [String]? = nil) -> String? {
    let bytes = url.utf8.count
    if !(1...maximumURLBytes).contains(bytes) { return "must have 1 to \(maximumURLBytes) bytes, not \(bytes)" }
    if url.unicodeScalars.contains(where: { isControl($0) || $0 == " " }) {
      return "must not have spaces or control characters; a space is written %20"
    }
    guard let schemes, !schemes.contains(where: { url.lowercased().hasPrefix("\($0)://") }) else { return nil }
    return "must begin with \(schemes.map { "\($0)://" }.joined(separator: " or "))"
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
      chosen["thumbnailClippingRect"] = options.thumbnailClippingRect?.json
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
  fileprivate var json: JSONValue {
    guard let identifier else { return .string(url) }
    return .object(["url": .string(url), "identifier": .string(identifier)])
  }
}

extension DocumentReader {
  /// - Returns: nil only where something has been noted.
  fileprivate mutating func job(_ json: JSONValue) -> JobDocument? {
    let known = ["id", "sources", "payload", "options", "expiresAt", "callback"]
    guard let job = members(of: json, at: "$", known: known) else { return nil }
    let id = requiredString("id", of: job)
    note(id.flatMap { JobDocument.problem(ofID: $0) }, at: "id")
    let sources = sources(of: job)
    let payload = optional("payload", of: job, "an object, the APNs payload", \.asObject).map { JSONValue.object($0) }
    if payload?.isNested(deeperThan: JobDocument.maximumPayloadDepth) == true {
      note("has values that are nested deeper than \(JobDocument.maximumPayloadDepth) levels", at: "payload")
    }
    let callback = string("callback", of: job)
    note(callback.flatMap { JobDocument.problem(ofURL: $0, schemes: ["https", "http"]) }, at: "callback")
    let expiresAt = string("expiresAt", of: job).flatMap { text in
      let timestamp = Timestamp(text)
      if timestamp == nil {
        note("must be a time like 2026-11-30T03:00:00Z (RFC 3339), not \(inQuotes(text))", at: "expiresAt")
      }
      return timestamp
    }
    return JobDocument(
      id: id ?? "", sources: sources, payload: payload,
      options: member("options", of: job).map { options($0) } ?? .init(), expiresAt: expiresAt, callback: callback)
  }

  private mutating func sources(of job: Members) -> [JobDocument.Source] {
    guard let array = required("sources", of: job, "an array of one to four sources", \.asArray) else { return [] }
    guard 1...maximumAttachmentsPerNotification ~= array.count else {
      note("must have 1 to \(maximumAttachmentsPerNotification) elements, not \(array.count)", at: "sources")
      return []
    }
    let sources = elements(array, at: "sources") { $0.source($1, at: $2) }
    // Which number a source has is known where all could be read.
    guard sources.count == array.count else { return sources }
    var seen: Set<String> = []
    for (index, source) in sources.enumerated() {
      let identifier = source.identifier ?? defaultIdentifier(ofSource: index + 1)
      guard !seen.insert(identifier).inserted else { continue }
      note("is \(inQuotes(identifier)), like that of another source", at: "sources[\(index)].identifier")
    }
    return sources
  }

  private mutating func source(_ json: JSONValue, at place: String) -> JobDocument.Source? {
    switch json {
    case .string(let url):
      note(JobDocument.problem(ofURL: url), at: place)
      return JobDocument.Source(url: url)
    case .object:
      guard let source = members(of: json, at: place, known: ["url", "identifier"]) else { return nil }
      let url = requiredString("url", of: source)
      note(url.flatMap { JobDocument.problem(ofURL: $0) }, at: source.place(of: "url"))
      let identifier = string("identifier", of: source)
      let bytes = identifier?.utf8.count ?? 1
      if !(1...JobDocument.maximumIdentifierBytes).contains(bytes)
        || identifier?.unicodeScalars.contains(where: isControl) == true
      {
        note(
          "must have 1 to \(JobDocument.maximumIdentifierBytes) bytes and no control characters",
          at: source.place(of: "identifier"))
      }
      return JobDocument.Source(url: url ?? "", identifier: identifier)
    default:
      note("must be a URL or an object with one, not \(json.described)", at: place)
      return nil
    }
  }

  private mutating func options(_ json: JSONValue) -> JobDocument.Options {
    let known = ["fit", "overlong", "thumbnailHidden", "thumbnailClippingRect"]
    guard let options = members(of: json, at: "options", known: known) else { return JobDocument.Options() }
    return JobDocument.Options(
      fit: choice("fit", of: options), overlong: choice("overlong", of: options),
      thumbnailHidden: bool("thumbnailHidden", of: options),
      thumbnailClippingRect: member("thumbnailClippingRect", of: options).flatMap {
        clippingRect($0, at: options.place(of: "thumbnailClippingRect"))
      })
  }

  private mutating func clippingRect(_ json: JSONValue, at place: String) -> ClippingRect? {
    let known = ["X", "Y", "Width", "Height"]
    guard let rect = members(of: json, at: place, known: known) else { return nil }
    let numbers = known.compactMap { required($0, of: rect, "a number from 0 to 1", \.asNumber) }
    guard numbers.count == known.count else { return nil }
    let clip = ClippingRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    if clip == nil { note("must be a part of the picture, in fractions of its width and height", at: place) }
    return clip
  }

  private mutating func note(_ problem: String?, at place: String) {
    if let problem { note(problem, at: place, .wrongValue) }
  }
}

func isControl(_ scalar: Unicode.Scalar) -> Bool {
  scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
}
