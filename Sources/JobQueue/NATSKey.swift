import Digest
import Glibc

/// NKeys: Ed25519 keys as NATS writes them, in base 32 with a prefix that says whose they are, and a checksum.
enum NATSKey {
  /// The public key of a user, `U…`, whose seed a file holds, possibly among comments.
  static func publicKey(ofSeedIn path: String) throws(QueueFailure) -> String {
    guard let file = fopen(path, "re") else {
      throw .unusable("the NKey in \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.filter { $0 > UInt8(ascii: " ") }
      guard text.starts(with: "SU".utf8) else { continue }
      guard let key = publicKey(ofSeed: text) else { break }
      return key
    }
    throw .unusable("\(path) holds no seed of a NATS user, which begins with SU")
  }

  /// - Parameter seed: in base 32: two bytes of prefix, 32 of seed, two of checksum.
  static func publicKey(ofSeed seed: [UInt8]) -> String? {
    guard let bytes = decoded(seed), bytes.count == 36 else { return nil }
    let checksum = UInt16(bytes[34]) | UInt16(bytes[35]) << 8
    guard crc16(bytes[..<34]) == checksum, let key = ed25519PublicKey(seed: Array(bytes[2..<34])) else { return nil }
    let user: UInt8 = 20 << 3
    let body = [user] + key
    let check = crc16(body[...])
    return encoded(body + [UInt8(truncatingIfNeeded: check), UInt8(truncatingIfNeeded: check >> 8)])
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  private static func decoded(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for digit in text {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      buffer = buffer << 5 | UInt32(value)
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return bytes
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(buffer << UInt32(5 - bits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// CRC-16 with the polynomial 0x1021 and nothing to begin with (XMODEM).
  private static func crc16(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    bytes.reduce(0) { crc, byte in
      (0..<8).reduce(crc ^ UInt16(byte) << 8) { crc, _ in crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
    }
  }
}
