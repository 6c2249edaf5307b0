import Foundation
import RichPush

#if canImport(CryptoKit)
  import CryptoKit
#endif

/// SHA-256 of a file that comes piece by piece: by the system where it has one, which uses the processor's instructions.
struct FileDigest {
  #if canImport(CryptoKit)
    private var digest = SHA256()
  #else
    private var digest = SHA256Digest()
  #endif

  mutating func update(_ data: Data) {
    #if canImport(CryptoKit)
      digest.update(data: data)
    #else
      data.withUnsafeBytes { digest.update($0) }
    #endif
  }

  /// The digest of everything so far, in lower-case hex.
  var hex: String {
    #if canImport(CryptoKit)
      digest.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #else
      digest.hex
    #endif
  }
}
