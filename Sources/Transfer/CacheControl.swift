/// The directives of a Cache-Control field that matter to a private cache (RFC 9111 section 5.2.2).
///
/// `private`, `public`, `s-maxage` and `proxy-revalidate` address shared caches; `must-revalidate` forbids what is never
/// done here, to serve something stale; extensions that would allow more than the standard are not used. Those that name
/// fields (`no-cache="Set-Cookie"`) are taken for the whole response, as the standard allows.
struct CacheControl: Equatable {
  /// Nothing of the response may be kept.
  var noStore = false
  /// What is kept must be confirmed by the server before each use.
  var noCache = false
  /// For how many seconds the response is fresh; nil when the field does not say.
  var maxAge: Double?

  init(_ value: String?) {
    guard let value else { return }
    guard let directives = Self.directives(value) else {
      // With a quotation mark too few, what follows it cannot be told from what is quoted: it may say no-store.
      noStore = true
      return
    }
    for (name, argument) in directives {
      switch name {
      case "no-store": noStore = true
      case "no-cache": noCache = true
      case "max-age":
        // Of several, the shortest; what is no number makes the response stale (section 4.2.1).
        maxAge = min(maxAge ?? .infinity, argument.flatMap(deltaSeconds) ?? 0)
      default: break
      }
    }
  }

  /// Names in lower case, arguments without quotation marks; nil when a quoted string does not end.
  private static func directives(_ value: String) -> [(name: String, argument: String?)]? {
    var directives: [(String, String?)] = []
    var name = ""
    var argument: String?
    var isQuoted = false
    var isEscaped = false
    func append(_ character: Character) {
      if argument == nil { name.append(character) } else { argument?.append(character) }
    }
    func end() {
      let trimmed = name.withoutBlanks.lowercased()
      if !trimmed.isEmpty { directives.append((trimmed, argument?.withoutBlanks)) }
      (name, argument) = ("", nil)
    }
    for character in value {
      if isEscaped {
        append(character)
        isEscaped = false
      } else if isQuoted {
        switch character {
        case "\\": isEscaped = true
        case "\"": isQuoted = false
        default: append(character)
        }
      } else {
        switch character {
        case "\"": isQuoted = true
        case ",": end()
        case "=" where argument == nil: argument = ""
        default: append(character)
        }
      }
    }
    guard !isQuoted else { return nil }
    end()
    return directives
  }
}

/// A number of seconds as RFC 9111 section 1.2.2 has it; a very large one counts as 2³¹.
func deltaSeconds(_ text: String) -> Double? {
  let digits = text.utf8
  guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return Double(Int(text).map { min($0, 1 << 31) } ?? 1 << 31)
}

extension String {
  var withoutBlanks: String {
    let inner = drop { $0 == " " || $0 == "\t" }
    guard let last = inner.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return String(inner[...last])
  }
}
