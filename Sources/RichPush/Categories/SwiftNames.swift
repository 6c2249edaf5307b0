/// Swift names for identifiers that may be any text: lower camel case, no two alike, none that means something else.
///
/// Identifiers that would have the same name each get a mark that is made of their bytes. So none has a name that was
/// another's, and code that was written for one does not compile when there are two.
struct SwiftNames {
  /// Each once, in the order of their bytes.
  let identifiers: [String]
  /// By UTF-8, as identifiers in different Unicode forms are different ones.
  private var names: [[UInt8]: String] = [:]

  init(_ identifiers: [String]) {
    self.identifiers = distinct(identifiers).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let sharing = Dictionary(grouping: self.identifiers, by: swiftName)
    for (name, identifiers) in sharing {
      for identifier in identifiers {
        let unique = identifiers.count == 1 ? name : "\(name)_\(mark(of: identifier))"
        names[Array(identifier.utf8)] = keywords.contains(unique) ? "`\(unique)`" : unique
      }
    }
  }

  subscript(_ identifier: String) -> String { names[Array(identifier.utf8)] ?? "" }
}

/// Each name once, byte by byte, in the order in which it is first there.
func distinct(_ names: [String]) -> [String] {
  var seen: Set<[UInt8]> = []
  return names.filter { seen.insert(Array($0.utf8)).inserted }
}

/// Eight hex digits that tell an identifier from others: its FNV-1a hash (32 bits), which is the same everywhere.
private func mark(of identifier: String) -> String {
  let hash = identifier.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
  let digits = String(hash, radix: 16)
  return String(repeating: "0", count: 8 - digits.count) + digits
}

/// The name of an identifier that need not be told from another one.
func swiftName(of identifier: String) -> String {
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
