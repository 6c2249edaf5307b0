/// What the value of one of Apple's keys may be.
private enum ExpectedValue {
  case text, alert, sound
  /// 1, or the key is left out.
  case one
  case wholeNumber
  case fraction
  case level
  case anything
}

/// The keys of `aps` (Apple, “Generating a remote notification”), those of Live Activities, widgets and websites included.
private let apsKeys: [String: ExpectedValue] = [
  "alert": .alert, "badge": .wholeNumber, "sound": .sound, "category": .text, "thread-id": .text,
  "mutable-content": .one, "content-available": .one, "interruption-level": .level, "relevance-score": .fraction,
  "target-content-id": .text, "filter-criteria": .text, "timestamp": .anything, "event": .anything,
  "content-state": .anything, "stale-date": .anything, "dismissal-date": .anything, "attributes-type": .anything,
  "attributes": .anything, "input-push-token": .anything, "input-push-channel": .anything,
  "content-changed": .anything, "url-args": .anything,
]

/// The keys of `alert`; the last ones are old, and still read.
private let alertKeys = [
  "title", "subtitle", "body", "launch-image", "title-loc-key", "title-loc-args", "subtitle-loc-key",
  "subtitle-loc-args", "loc-key", "loc-args", "action-loc-key", "action", "summary-arg", "summary-arg-count",
]

private let soundKeys = ["critical", "name", "volume"]

private let interruptionLevels = ["passive", "active", "time-sensitive", "critical"]

/// Keys of `aps` that mean nothing else anywhere, so that they are meant where they stand.
private let telltaleKeys = [
  "mutable-content", "content-available", "thread-id", "interruption-level", "relevance-score", "target-content-id",
]

private let plainTelltaleKeys = telltaleKeys.map { (key: $0, plain: plain($0)) }

/// A key without what people write in different ways: `mutable_content`, `mutableContent`.
private func plain(_ key: String) -> String {
  folded(key).filter { $0 != "-" && $0 != "_" }
}

extension PayloadCheck {
  /// Keys at the top that belong somewhere else.
  func strayKeys(_ members: [String: JSONValue], besides aps: [String: JSONValue]) -> [Finding] {
    members.keys.sorted().flatMap { name -> [Finding] in
      let plainName = plain(name)
      if let key = plainTelltaleKeys.first(where: { $0.plain == plainName })?.key {
        return [misplaced(name, at: name, belongs: key, isThere: aps[key] != nil)]
      }
      if apsKeys[name] != nil, ["alert", "badge", "sound", "category"].contains(name), aps[name] == nil {
        return [
          Finding(
            .misplacedKey, at: name, "“\(name)” stands outside “aps”, where only the app may read it",
            severity: .warning)
        ]
      }
      if name.lowercased().hasPrefix("apns-") {
        return [
          Finding(.misplacedKey, at: name, "“\(name)” is a header of the request to APNs, not part of the payload")
        ]
      }
      if let key = telltaleKeys.first(where: { isWithin(2, editsOf: folded($0), folded(name)) }) {
        return [
          Finding(
            .misspeltKey, at: name, "iOS does not read \(inQuotes(name)) here; is “\(key)” in “aps” meant?",
            severity: .warning)
        ]
      }
      if name == simulatorBundleKey {
        return [Finding(.unknownKey, at: name, "“\(name)” is for the simulator only", severity: .note)]
      }
      return []
    }
  }

  func apsFindings(_ aps: [String: JSONValue]) -> [Finding] {
    aps.keys.sorted().flatMap { name -> [Finding] in
      guard let value = aps[name] else { return [] }
      guard let expected = apsKeys[name] else {
        return [unknown(name, at: "aps.\(name)", among: apsKeys.keys.sorted())]
      }
      return findings(of: value, expected, at: "aps.\(name)", aps: aps)
    }
  }

  private func findings(
    of value: JSONValue, _ expected: ExpectedValue, at place: String, aps: [String: JSONValue]
  ) -> [Finding] {
    switch expected {
    case .anything: return []
    case .text: return value.asString == nil ? [wrong(value, at: place, "a string")] : []
    case .one: return oneFindings(of: value, at: place)
    case .wholeNumber:
      guard let number = value.asInteger, number >= 0 else {
        return [wrong(value, at: place, "a whole number from 0 on")]
      }
      return []
    case .fraction:
      // A Live Activity's score only has to be greater than those of others.
      guard let number = value.asNumber, (0...1).contains(number) || isLiveActivity(aps) else {
        return [wrong(value, at: place, "a number from 0 to 1")]
      }
      return []
    case .level:
      guard let level = value.asString, interruptionLevels.contains(level) else {
        let hint = value.asString.flatMap { nearest(to: $0, among: interruptionLevels) }.map { "; is “\($0)” meant?" }
        return [wrong(value, at: place, "one of \(interruptionLevels.joined(separator: ", "))", hint: hint ?? "")]
      }
      return []
    case .sound: return soundFindings(value, at: place)
    case .alert: return alertFindings(value, at: place, aps: aps)
    }
  }

  private func isLiveActivity(_ aps: [String: JSONValue]) -> Bool {
    aps["event"] != nil || aps["content-state"] != nil
  }

  private func oneFindings(of value: JSONValue, at place: String) -> [Finding] {
    switch value {
    case .bool(true):
      [Finding(.wrongValue, at: place, "Apple's documentation wants the number 1, not true", severity: .warning)]
    case .integer(0), .bool(false):
      [Finding(.wrongValue, at: place, "whatever is not 1 is as good as nothing; leave it out", severity: .note)]
    default: value.asInteger == 1 ? [] : [wrong(value, at: place, "the number 1")]
    }
  }

  private func soundFindings(_ value: JSONValue, at place: String) -> [Finding] {
    guard let members = value.asObject else {
      return value.asString == nil ? [wrong(value, at: place, "a string or an object")] : []
    }
    var findings = members.keys.sorted().filter { !soundKeys.contains($0) }
      .map { unknown($0, at: "\(place).\($0)", among: soundKeys) }
    if let volume = members["volume"], volume.asNumber.map({ !(0...1).contains($0) }) ?? true {
      findings.append(wrong(volume, at: "\(place).volume", "a number from 0 to 1"))
    }
    switch members["critical"] {
    case nil, .integer(0...1): break
    case .bool?:
      let message = "Apple's documentation wants the number 1 or 0, not true or false"
      findings.append(Finding(.wrongValue, at: "\(place).critical", message, severity: .warning))
    case let other?:
      if ![0, 1].contains(other.asInteger) {
        findings.append(wrong(other, at: "\(place).critical", "the number 1 or 0"))
      }
    }
    if let name = members["name"], name.asString == nil {
      findings.append(wrong(name, at: "\(place).name", "a string"))
    }
    if members["name"] == nil {
      findings.append(Finding(.missingField, at: place, "the sound has no “name”"))
    }
    return findings
  }

  private func alertFindings(_ value: JSONValue, at place: String, aps: [String: JSONValue]) -> [Finding] {
    guard let members = value.asObject else {
      return value.asString == nil ? [wrong(value, at: place, "a string or an object")] : []
    }
    return members.keys.sorted().flatMap { name -> [Finding] in
      let inner = "\(place).\(name)"
      guard let value = members[name] else { return [] }
      if alertKeys.contains(name) { return textFindings(name, value, at: inner, aps: aps) }
      // A Live Activity's alert has its own sound (Apple, “Starting and updating Live Activities with ActivityKit push
      // notifications”).
      if name == "sound", isLiveActivity(aps) { return soundFindings(value, at: inner) }
      if let key = apsKeys.keys.first(where: { plain($0) == plain(name) }) {
        return [misplaced(name, at: inner, belongs: key, isThere: aps[key] != nil)]
      }
      return [unknown(name, at: inner, among: alertKeys)]
    }
  }

  /// What is wrong with one of the texts of an alert.
  private func textFindings(
    _ name: String, _ value: JSONValue, at place: String, aps: [String: JSONValue]
  ) -> [Finding] {
    if name.hasSuffix("-args") {
      let isFit = value.asArray?.allSatisfy { $0.asString != nil } ?? false
      return isFit ? [] : [wrong(value, at: place, "an array of strings")]
    }
    if name == "summary-arg-count" {
      return value.asInteger == nil ? [wrong(value, at: place, "a whole number")] : []
    }
    guard ["title", "body"].contains(name), isLiveActivity(aps), let members = value.asObject else {
      return value.asString == nil ? [wrong(value, at: place, "a string")] : []
    }
    // The texts of a Live Activity are localized in place.
    return members.keys.sorted().flatMap { name -> [Finding] in
      guard let value = members[name] else { return [] }
      guard ["loc-key", "loc-args"].contains(name) else {
        return [unknown(name, at: "\(place).\(name)", among: ["loc-key", "loc-args"])]
      }
      return textFindings(name, value, at: "\(place).\(name)", aps: [:])
    }
  }

  /// - Parameter isThere: whether `aps` has the key besides.
  private func misplaced(_ name: String, at place: String, belongs key: String, isThere: Bool) -> Finding {
    let isRight = isSame(name, key)
    return Finding(
      isRight ? .misplacedKey : .misspeltKey, at: place,
      "\(inQuotes(name)) is not read here; “\(key)” belongs directly into “aps”" + (isThere ? ", where it is" : ""),
      severity: isThere ? .warning : .error)
  }

  private func unknown(_ name: String, at place: String, among names: [String]) -> Finding {
    if let key = names.first(where: { plain($0) == plain(name) }) {
      return Finding(.misspeltKey, at: place, "\(inQuotes(name)) is not read; the key is “\(key)”")
    }
    let hint = nearest(to: name, among: names).map { "; is “\($0)” meant?" } ?? ""
    return Finding(.unknownKey, at: place, "iOS does not know \(inQuotes(name)) here\(hint)")
  }

  private func wrong(_ value: JSONValue, at place: String, _ expected: String, hint: String = "") -> Finding {
    Finding(.wrongValue, at: place, "must be \(expected), not \(value.described)\(hint)")
  }
}
