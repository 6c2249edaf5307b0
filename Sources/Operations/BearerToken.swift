import Digest

/// A secret that clients bring in their Authorization header (RFC 6750).
///
/// Only its hash is kept: hashes are compared, which tells nothing about how much of a guess was right.
package struct BearerToken: Sendable, Equatable {
  /// Shorter ones can be guessed.
  package static let minimumLength = 16

  private let hash: [UInt8]

  /// - Throws: `TokenFault` for what is too short, or holds what no header may hold.
  package init(_ text: some StringProtocol) throws(TokenFault) {
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.minimumLength else {
      throw TokenFault(
        message: "the token has \(bytes.count) characters; at least \(Self.minimumLength) are needed, such as those of"
          + " openssl rand -hex 32")
    }
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw TokenFault(message: "the token holds blanks, or characters that are not ASCII")
    }
    hash = Array(sha256(of: bytes).utf8)
  }

  /// The tokens of a file: one on each line, empty lines and those that begin with # left out.
  package static func tokens(inText text: String) throws(TokenFault) -> [BearerToken] {
    var tokens: [BearerToken] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.drop { $0 == " " || $0 == "\t" }
      let end = line.lastIndex { $0 != " " && $0 != "\t" }
      guard let end, line.first != "#" else { continue }
      tokens.append(try BearerToken(line[...end]))
    }
    guard !tokens.isEmpty else { throw TokenFault(message: "there is no token") }
    return tokens
  }

  /// Whether this is the token. It takes as long for each wrong one.
  func matches(_ candidate: some StringProtocol) -> Bool {
    let other = Array(sha256(of: Array(candidate.utf8)).utf8)
    return zip(hash, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// Why something cannot be a token. The message never holds it.
package struct TokenFault: Error, Equatable {
  package let message: String
}
