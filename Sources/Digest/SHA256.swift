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
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
      digest.initialize(repeating: 0)
      EVP_DigestFinal_ex(context, digest.baseAddress, nil)
      return lowercaseHex(UnsafeRawBufferPointer(digest))
    }
  }
}

/// SHA-256 of some bytes, in lower-case hex.
package func sha256(of bytes: some Sequence<UInt8>) -> String {
  let digest = SHA256()
  let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { digest.update(UnsafeRawBufferPointer($0)) }
  if isContiguous == nil {
    Array(bytes).withUnsafeBytes { digest.update($0) }
  }
  return digest.finish()
}

private func lowercaseHex(_ bytes: UnsafeRawBufferPointer) -> String {
  String(unsafeUninitializedCapacity: bytes.count * 2) { text in
    for (index, byte) in bytes.enumerated() {
      text[index * 2] = hexDigit(byte >> 4)
      text[index * 2 + 1] = hexDigit(byte & 15)
    }
    return bytes.count * 2
  }
}

private func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
