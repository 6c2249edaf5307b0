import CCrypto

/// SHA-256 of bytes that come in pieces, by OpenSSL.
package final class SHA256 {
  private let context: OpaquePointer?

  package init() {
    context = EVP_MD_CTX_new()
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  package func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The digest in lower-case hex. Nothing may be added afterwards.
  package func finish() -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_DigestFinal_ex(context, &digest, nil)
    return digest.reduce(into: "") { text, byte in
      text.append(hexDigits[Int(byte >> 4)])
      text.append(hexDigits[Int(byte & 15)])
    }
  }
}

private let hexDigits = Array("0123456789abcdef")
