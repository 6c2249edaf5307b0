import CCrypto

/// HMAC-SHA256 (RFC 2104) of some bytes, by OpenSSL; 32 bytes.
package func hmacSHA256(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: 32) { code, count in
    var length: UInt32 = 0
    HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, code.baseAddress, &length)
    count = Int(length)
  }
}
