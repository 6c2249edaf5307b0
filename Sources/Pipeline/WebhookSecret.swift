import Digest
import FoundationEssentials

/// What callbacks are signed with, and receivers check them by: the symmetric secrets of Standard Webhooks
/// (standardwebhooks.com, "Signature scheme").
package struct WebhookSecret: Sendable, Equatable {
  private let key: [UInt8]

  /// The standard asks for 24 to 64 bytes.
  private static let bounds = 24...64

  /// - Parameter text: `whsec_` and the key in base64.
  init(_ text: some StringProtocol) throws(Malformed) {
    guard text.hasPrefix("whsec_"), let data = Data(base64Encoded: String(text.dropFirst("whsec_".count))) else {
      throw Malformed(message: "a secret is written whsec_ and base64, as in: echo whsec_$(openssl rand -base64 32)")
    }
    guard Self.bounds ~= data.count else {
      throw Malformed(
        message: "a secret has \(Self.bounds.lowerBound) to \(Self.bounds.upperBound) bytes, not \(data.count)")
    }
    key = Array(data)
  }

  /// The secrets of a file: one on each line, the newest first; empty lines and those that begin with # are left out.
  package static func secrets(inText text: String) throws(Malformed) -> [WebhookSecret] {
    var secrets: [WebhookSecret] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      secrets.append(try WebhookSecret(words.count == 1 ? first : line))
    }
    guard !secrets.isEmpty else { throw Malformed(message: "there is no secret") }
    return secrets
  }

  /// `v1,` and the code of a message in base64.
  func signature(ofMessage id: String, at timestamp: Int, _ body: [UInt8]) -> String {
    let signed = Array("\(id).\(timestamp).".utf8) + body
    return "v1," + Data(hmacSHA256(of: signed, key: key)).base64EncodedString()
  }

  /// Why something is no secret. The message never holds it.
  package struct Malformed: Error, Equatable {
    package let message: String
  }
}
