/// Looks for what makes a phone ignore a payload, or a part of it, without a word.
public struct PayloadCheck: Sendable {
  /// The app's categories; nil when they are not known, so that no category is.
  public var registry: CategoryRegistry?
  public var limit: PayloadLimit
  /// The media that will be attached, when that is known from elsewhere than the payload.
  public var media: [Medium]
  /// Whether media are still to be added, together with what they need in `aps`.
  public var isBeforePreparation: Bool

  /// A medium, as far as a check has to know it.
  public struct Medium: Sendable, Equatable {
    public var kind: MediaKind
    /// Whether it has more than one picture; only of images.
    public var isAnimated: Bool

    public init(kind: MediaKind, isAnimated: Bool = false) {
      self.kind = kind
      self.isAnimated = isAnimated
    }

    /// What the name of a file promises; nil when it promises nothing that can be attached.
    public init?(named url: String) {
      guard let type = MediaLink(url: url, place: "").type else { return nil }
      self.init(kind: type.kind)
    }

    public init(_ asset: Asset) {
      self.init(kind: asset.type.kind, isAnimated: asset.frames.map { $0 > 1 } ?? false)
    }
  }

  public init(
    registry: CategoryRegistry? = nil, limit: PayloadLimit = .notification, media: [Medium] = [],
    isBeforePreparation: Bool = false
  ) {
    self.registry = registry
    self.limit = limit
    self.media = media
    self.isBeforePreparation = isBeforePreparation
  }

  /// What is wrong or doubtful in a payload.
  /// - Parameter root: the place of the payload in the document that it is part of.
  public func findings(in payload: JSONValue, at root: String = "") -> [Finding] {
    guard case .object(let members) = payload else {
      return [Finding(.wrongValue, at: root.isEmpty ? "$" : root, "must be an object, not \(payload.described)")]
    }
    var findings = strayKeys(members, besides: payload["aps"]?.asObject ?? [:])
    if let aps = payload["aps"] {
      if let aps = aps.asObject {
        findings += apsFindings(aps)
      } else {
        findings.append(Finding(.wrongValue, at: "aps", "must be an object, not \(aps.described)"))
      }
    } else {
      let hint = nearest(to: "aps", among: members.keys.sorted()).map { "; \(inQuotes($0)) is not read" } ?? ""
      findings.append(Finding(.missingAPS, at: "$", "there is no “aps”, without which APNs sends nothing\(hint)"))
    }
    let links = payload.mediaLinks
    findings += links.flatMap(\.findings) + payload.insecureContent + payload.insecureLinks(besides: links)
    findings += mediaFindings(payload, links: links) + categoryFindings(payload, links: links)
    let bytes = payload.utf8().count
    if bytes > limit.bytes {
      findings.append(
        Finding(.payloadTooLarge, at: "$", "the payload takes \(bytes) bytes; at most \(limit.bytes) can be sent"))
    }
    return findings.map { finding in
      var finding = finding
      finding.place = [root, finding.place == "$" ? "" : finding.place].filter { !$0.isEmpty }.joined(separator: ".")
      if finding.place.isEmpty { finding.place = "$" }
      return finding
    }
  }

  /// Without `mutable-content`, and without something to show, iOS does not start the extension that attaches media.
  private func mediaFindings(_ payload: JSONValue, links: [MediaLink]) -> [Finding] {
    guard limit != .voip, let aps = payload["aps"]?.asObject, !media.isEmpty || !links.isEmpty else { return [] }
    var findings: [Finding] = []
    if !isBeforePreparation, aps["mutable-content"]?.asInteger != 1, aps["mutable-content"] != .bool(true) {
      findings.append(
        Finding(
          .missingMutableContent, at: "aps",
          "there are media, but no “mutable-content” of 1, so nothing will attach them"))
    }
    if !hasText(aps["alert"]) {
      findings.append(
        Finding(
          .missingAlert, at: "aps", "there are media, but no alert with a text, so iOS shows neither"))
    }
    return findings
  }

  private func hasText(_ alert: JSONValue?) -> Bool {
    switch alert {
    case .string(let text): !text.isEmpty
    case .object(let members):
      ["title", "subtitle", "body", "loc-key", "title-loc-key", "subtitle-loc-key"].contains {
        members[$0]?.asString?.isEmpty == false
      }
    default: false
    }
  }

  private func categoryFindings(_ payload: JSONValue, links: [MediaLink]) -> [Finding] {
    guard let registry, let name = payload["aps"]?["category"]?.asString else { return [] }
    guard let category = registry.category(name) else {
      let hint =
        registry.nearestCategory(to: name).map { near in
          folded(near) == folded(name)
            ? "; \(inQuotes(near)) differs \(difference(near, name))" : "; is \(inQuotes(near)) meant?"
        } ?? ""
      return [
        Finding(
          .unknownCategory, at: "aps.category",
          "the registry has no category \(inQuotes(name)), so there would be no buttons\(hint)")
      ]
    }
    let kinds = Set(media.map(\.kind)).union(links.compactMap { $0.type?.kind })
    var findings: [Finding] = []
    if let expected = category.media {
      for kind in MediaKind.allCases where kinds.contains(kind) && !expected.contains(kind) {
        let wanted = expected.isEmpty ? "no media" : expected.map(\.rawValue).joined(separator: " or ")
        findings.append(
          Finding(
            .unexpectedMedia, at: "aps.category",
            "the category \(inQuotes(name)) expects \(wanted), and gets \(kind.rawValue)"))
      }
    }
    if category.contentExtension != nil, media.contains(where: \.isAnimated) {
      findings.append(
        Finding(
          .stillAnimation, at: "aps.category",
          "the category \(inQuotes(name)) is drawn by a content extension, where an animation stands still unless the"
            + " extension plays it"))
    }
    return findings
  }
}
