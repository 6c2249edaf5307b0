/// The URL of a file in a payload, under a key from which an extension attaches it.
struct MediaLink: Equatable {
  let url: String
  let place: String

  /// The part of the URL behind its last dot, as far as that is one in its path's last component.
  var fileExtension: String? {
    let withoutQuery = url.prefix { $0 != "?" && $0 != "#" }
    let parts = withoutQuery.split(separator: "/", omittingEmptySubsequences: false)
    // `https:`, nothing, and the host.
    guard parts.count > 3, let name = parts.last, let dot = name.lastIndex(of: ".") else { return nil }
    let text = name[name.index(after: dot)...].lowercased()
    return text.isEmpty || text.count > 5 ? nil : text
  }

  /// What the name promises.
  var type: AttachmentType? {
    fileExtension.flatMap { name in
      AttachmentType.allCases.first { $0.fileExtension == name } ?? otherExtensions[name]
    }
  }

  var findings: [Finding] {
    guard isSecure(url) else {
      return [
        Finding(
          .insecureURL, at: place,
          "\(inQuotes(url)) is not https; App Transport Security keeps the phone from fetching it")
      ]
    }
    guard let fileExtension else {
      return [
        Finding(
          .untypedURL, at: place,
          "the URL has no file name extension, and many extensions guess the type from nothing else")
      ]
    }
    guard type == nil else { return [] }
    return [
      Finding(
        .unsupportedMedia, at: place,
        "“.\(fileExtension)” is no type of attachment that iOS is known to take; let Enclosure prepare the file")
    ]
  }
}

extension MediaLink {
  /// Whether one of the keys that lead to it is named like what holds a file: `image_url`, `richMedia`.
  fileprivate var isUnderMediaKey: Bool {
    words(of: place).contains { word in mediaWords.contains(word) || mediaBeginnings.contains { word.hasPrefix($0) } }
  }
}

/// The words of a key, in lower case: what is between capitals and characters that are no letters.
private func words(of key: String) -> [String] {
  var words = [""]
  for character in key {
    if !character.isLetter || character.isUppercase && words.last?.last?.isLowercase == true { words.append("") }
    if character.isLetter { words[words.count - 1].append(character) }
  }
  return words.map { $0.lowercased() }
}

private let mediaWords = ["img", "pic", "gif"]
private let mediaBeginnings = [
  "media", "image", "photo", "picture", "thumb", "poster", "video", "movie", "audio", "attachment",
]

/// Extensions that iOS takes too, beside those that Enclosure gives.
private let otherExtensions: [String: AttachmentType] = [
  "jpeg": .jpeg, "jpe": .jpeg, "aif": .aiff, "aifc": .aiff, "wave": .wav, "mpg": .mpeg4, "mpeg": .mpeg4, "avi": .mpeg4,
]

extension JSONValue {
  /// The URLs under the keys from which extensions are known to attach files.
  var mediaLinks: [MediaLink] {
    let own = [PayloadContent.key, "media"]
    return ([own] + PayloadPreset.allCases.flatMap(\.urlPaths)).flatMap { path in
      at(path).map { links(in: $0, at: path.joined(separator: "."), isTable: path.last == "att") } ?? []
    }
  }

  /// - Parameter isTable: whether an object holds URLs by name, instead of describing one.
  private func links(in value: JSONValue, at place: String, isTable: Bool) -> [MediaLink] {
    switch value {
    case .string(let url): [MediaLink(url: url, place: place)]
    case .array(let elements):
      elements.enumerated().flatMap { links(in: $1, at: "\(place)[\($0)]", isTable: isTable) }
    case .object(let members):
      members.keys.sorted().filter { isTable || $0 == "url" }.flatMap { name in
        members[name].map { links(in: $0, at: "\(place).\(name)", isTable: false) } ?? []
      }
    default: []
    }
  }

  /// Addresses of Enclosure's own key that are no media, and that the app fetches all the same.
  var insecureContent: [Finding] {
    let content = self[PayloadContent.key]
    let posters = (content?["media"]?.asArray ?? []).enumerated().map { ("media[\($0)].poster", $1["poster"]) }
    return ([("manifest", content?["manifest"])] + posters).flatMap { place, value -> [Finding] in
      guard let url = value?.asString, !isSecure(url) else { return [] }
      return MediaLink(url: url, place: "\(PayloadContent.key).\(place)").findings
    }
  }

  /// URLs elsewhere outside `aps` that look as if something was to be downloaded from them without https: by their own
  /// names, or by the names of the keys that they stand under.
  func insecureLinks(besides known: [MediaLink]) -> [Finding] {
    var findings: [Finding] = []
    for (name, value) in (asObject ?? [:]).sorted(by: { $0.key < $1.key })
    where name != "aps" && name != PayloadContent.key {
      for link in strings(in: value, at: name)
      where link.url.prefix(7).lowercased() == "http://" && (link.type != nil || link.isUnderMediaKey)
        && !known.contains(link)
      {
        let message = "\(inQuotes(link.url)) is not https; App Transport Security keeps an app from fetching it"
        findings.append(Finding(.insecureURL, at: link.place, message, severity: .warning))
      }
    }
    return findings
  }

  private func strings(in value: JSONValue, at place: String) -> [MediaLink] {
    switch value {
    case .string(let text): [MediaLink(url: text, place: place)]
    case .array(let elements): elements.enumerated().flatMap { strings(in: $1, at: "\(place)[\($0)]") }
    case .object(let members):
      members.keys.sorted().flatMap { name in members[name].map { strings(in: $0, at: "\(place).\(name)") } ?? [] }
    default: []
    }
  }
}
