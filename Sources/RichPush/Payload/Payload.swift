/// A payload that is ready to be sent to APNs: the sender's notification, with what its media need.
public struct Payload: Sendable, Equatable {
  public let json: JSONValue
  /// What to send. Its size is what APNs counts.
  public let utf8: [UInt8]
  /// What was left out to make it fit, in the order in which it was.
  public let omissions: [PayloadOmission]

  /// Takes a payload that is complete, such as that of a manifest.
  public init(complete json: JSONValue) {
    (self.json, utf8, omissions) = (json, json.utf8(), [])
  }

  /// Puts a notification and its media together.
  ///
  /// With media, `aps.mutable-content` becomes 1, the key `enclosure` gets their addresses, and so do the keys of the
  /// presets. What the sender has under other keys stays as it is. Where the result is too large, it loses, one after the
  /// other and only as far as needed: the placeholders, the manifest's address, the posters, sizes and thumbnail options,
  /// the media but for the first one, and, only where the options allow it, the end of the body. Of several media the
  /// last one loses first. For Expo, which shows a video's poster, sizes and thumbnail options go before posters.
  /// - Parameters:
  ///   - notification: the payload as the sender would send it without media.
  ///   - content: the media; none for a notification that goes as it is.
  public init(
    notification: JSONValue, content: PayloadContent, options: PayloadOptions = PayloadOptions()
  ) throws(PayloadFailure) {
    guard notification["aps"]?.asObject != nil else { throw .noNotification }
    for url in content.media.flatMap({ [$0.url, $0.poster].compactMap { $0 } }) + [content.manifest].compactMap({ $0 })
    where !isSecure(url) {
      throw .notSecure(url: url)
    }
    var content = content
    var omissions: [PayloadOmission] = []
    var json = try assembled(notification, content, options)
    var utf8 = json.utf8()
    for omission in content.possibleOmissions(for: options.presets) where utf8.count > options.limit.bytes {
      content.leaveOut(omission)
      json = try assembled(notification, content, options)
      let shorter = json.utf8()
      // What the keys that were asked for do not have cannot be left out.
      if shorter.count < utf8.count { omissions.append(omission) }
      utf8 = shorter
    }
    if utf8.count > options.limit.bytes {
      let excess = utf8.count - options.limit.bytes
      guard options.mayShortenBody, let shorter = json.withShorterBody(by: excess) else {
        throw .tooLarge(bytes: utf8.count, limit: options.limit.bytes)
      }
      json = shorter
      omissions.append(.text(bytes: utf8.count - shorter.utf8().count))
      utf8 = shorter.utf8()
    }
    (self.json, self.utf8, self.omissions) = (json, utf8, omissions)
  }
}

/// Whether iOS fetches a URL without being told to (App Transport Security).
func isSecure(_ url: String) -> Bool {
  url.prefix(8).lowercased() == "https://"
}

private func assembled(
  _ notification: JSONValue, _ content: PayloadContent, _ options: PayloadOptions
) throws(PayloadFailure) -> JSONValue {
  guard !content.media.isEmpty else { return notification }
  var payload = notification
  // A VoIP push goes to the app itself; there is no extension between.
  if options.limit != .voip { try payload.set(["aps", "mutable-content"], to: .integer(1)) }
  if options.includesContent { try payload.set([PayloadContent.key], to: content.json) }
  for preset in options.presets {
    for (path, value) in preset.entries(for: content.media, in: notification) { try payload.set(path, to: value) }
  }
  return payload
}

extension PayloadContent {
  /// What may be left out, what is missed least first.
  fileprivate func possibleOmissions(for presets: [PayloadPreset]) -> [PayloadOmission] {
    let backwards = media.reversed()
    var all: [PayloadOmission] = backwards.filter { $0.thumbHash != nil }.map { .thumbHash(identifier: $0.identifier) }
    if manifest != nil { all.append(.manifest) }
    let posters = backwards.filter { $0.poster != nil }.map { PayloadOmission.poster(identifier: $0.identifier) }
    let details = backwards.filter { $0.bytes != nil || $0.hasThumbnailOptions }
      .map { PayloadOmission.details(identifier: $0.identifier) }
    // To Expo the poster is the medium.
    all += presets.contains(.expo) ? details + posters : posters + details
    all += backwards.dropLast().map { .medium(identifier: $0.identifier) }
    return all
  }

  fileprivate mutating func leaveOut(_ omission: PayloadOmission) {
    switch omission {
    case .manifest: manifest = nil
    case .text: break
    case .thumbHash(let identifier), .poster(let identifier), .details(let identifier), .medium(let identifier):
      guard let index = media.lastIndex(where: { isSame($0.identifier, identifier) }) else { return }
      switch omission {
      case .thumbHash: media[index].thumbHash = nil
      case .poster: media[index].poster = nil
      case .details:
        (media[index].bytes, media[index].thumbnailTime, media[index].thumbnailHidden) = (nil, nil, false)
        media[index].thumbnailClippingRect = nil
      default: media.remove(at: index)
      }
    }
  }
}

extension JSONValue {
  /// Puts a value at a path of names, making the objects on the way.
  fileprivate mutating func set(_ path: [String], to value: JSONValue) throws(PayloadFailure) {
    try set(path[...], to: value, whole: path)
  }

  private mutating func set(
    _ path: ArraySlice<String>, to value: JSONValue, whole: [String]
  ) throws(PayloadFailure) {
    guard let name = path.first else {
      self = value
      return
    }
    guard case .object(var members) = self else {
      throw .occupied(place: whole[..<path.startIndex].joined(separator: "."))
    }
    var member = members[name] ?? .object([:])
    try member.set(path.dropFirst(), to: value, whole: whole)
    members[name] = member
    self = .object(members)
  }

  /// The payload with a body that takes at least `excess` bytes less: cut between characters, with an ellipsis.
  /// - Returns: nil when the body is too short for that.
  fileprivate func withShorterBody(by excess: Int) -> JSONValue? {
    let isString = self["aps"]?["alert"]?.asString != nil
    let path = isString ? ["aps", "alert"] : ["aps", "alert", "body"]
    guard let body = at(path)?.asString else { return nil }
    let ellipsis = "…"
    var rest = body[...]
    var saved = -ellipsis.utf8.count
    while saved < excess, let last = rest.popLast() { saved += JSONEscape.size(of: String(last)) }
    guard saved >= excess, !rest.isEmpty else { return nil }
    var payload = self
    try? payload.set(path, to: .string(String(rest) + ellipsis))
    return payload
  }
}
