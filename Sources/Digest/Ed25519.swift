import CCrypto

/// The public key of an Ed25519 seed of 32 bytes; nil when it is none.
package func ed25519PublicKey(seed: [UInt8]) -> [UInt8]? {
  guard seed.count == 32, let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else {
    return nil
  }
  defer { EVP_PKEY_free(key) }
  var bytes = [UInt8](repeating: 0, count: 32)
  var count = bytes.count
  guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == 32 else { return nil }
  return bytes
}
