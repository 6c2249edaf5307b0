/// Swift names for identifiers that may be any text: lower camel case, no two alike, none that means something else.
struct SwiftNames {
  let identifiers: [String]
  /// By UTF-8, as identifiers in different Unicode forms are different ones.
  private var names: [[UInt8]: String] = [:]

  /// - Parameter identifiers: each once. Their order decides which of two like ones is numbered.
  init(_ identifiers: [String]) {
    self.identifiers = identifiers
    var taken: Set<String> = []
    for identifier in identifiers {
      let name = swiftName(of: identifier)
      var unique = name
      var number = 2
      while !taken.insert(unique).inserted {
        unique = "\(name)_\(number)"
        number += 1
      }
      names[Array(identifier.utf8)] = keywords.contains(unique) ? "`\(unique)`" : unique
    }
  }

  subscript(_ identifier: String) -> String { names[Array(identifier.utf8)] ?? "" }
}

private func swiftName(of identifier: String) -> String {
  let words = identifier.unicodeScalars.split { !isPlain($0) }.map { String(String.UnicodeScalarView($0)) }
  let parts = words.enumerated().map { index, word in
    // NEW_MESSAGE is two words that are shouted; newMessage and iOS are as they are meant.
    let isShouted = !word.contains { $0.isLowercase }
    let word = isShouted ? word.lowercased() : word
    let first = word.prefix(1)
    return (index == 0 ? first.lowercased() : first.uppercased()) + word.dropFirst()
  }
  let name = parts.joined()
  if name.isEmpty {
    // Nothing of it can stand in a name: its characters' numbers can, and are the same every time.
    return "u" + identifier.unicodeScalars.map { String($0.value, radix: 16, uppercase: true) }.joined(separator: "_")
  }
  if reserved.contains(name) || name.first?.isNumber == true { return "_" + name }
  return name
}

private func isPlain(_ scalar: Unicode.Scalar) -> Bool {
  scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
}

/// What an enumeration of strings has already.
private let reserved: Set<String> = ["allCases", "rawValue", "hashValue", "hash", "init", "self", "description"]

/// Words that need backticks as names of cases.
private let keywords: Set<String> = [
  "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "inout", "internal", "let",
  "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows", "static", "struct", "subscript",
  "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for",
  "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while", "any", "as", "await", "false", "is",
  "nil", "super", "throws", "true", "try",
]
