/// SHA-256 (FIPS 180-4) of bytes that come piece by piece, for what may not need a library for it: this module and those
/// above it that import nothing else. The downloads of an app use the system's own where there is one.
public struct SHA256Digest: Sendable {
  private var state: [UInt32] = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
  ]
  /// The bytes of a block that is not yet full.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  public init() {}

  /// Takes the next bytes.
  public mutating func update(_ bytes: some Sequence<UInt8>) {
    var schedule = [UInt32](repeating: 0, count: 64)
    for byte in bytes {
      rest.append(byte)
      count &+= 1
      guard rest.count == 64 else { continue }
      mix(&schedule)
      rest.removeAll(keepingCapacity: true)
    }
  }

  /// The digest of everything so far, in lower-case hex.
  public var hex: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The digest of everything so far: 32 bytes.
  public var bytes: [UInt8] {
    var copy = self
    let bits = count &* 8
    let zeros = (119 - Int(count % 64)) % 64
    let size = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
    copy.update([0x80] + [UInt8](repeating: 0, count: zeros) + size)
    return copy.state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
  }

  package static func of(_ bytes: [UInt8]) -> [UInt8] {
    var digest = SHA256Digest()
    digest.update(bytes)
    return digest.bytes
  }

  /// Takes the full block in `rest` into the state.
  private mutating func mix(_ w: inout [UInt32]) {
    for index in 0..<16 {
      var word: UInt32 = 0
      for byte in 0..<4 { word = word << 8 | UInt32(rest[index * 4 + byte]) }
      w[index] = word
    }
    for index in 16..<64 {
      let (far, near) = (w[index - 15], w[index - 2])
      let s0 = rotated(far, 7) ^ rotated(far, 18) ^ (far >> 3)
      let s1 = rotated(near, 17) ^ rotated(near, 19) ^ (near >> 10)
      w[index] = w[index - 16] &+ s0 &+ w[index - 7] &+ s1
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let choice = (e & f) ^ (~e & g)
      let first = h &+ s1 &+ choice &+ roundConstants[index] &+ w[index]
      let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ s0 &+ majority)
    }
    for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
  }
}

private func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 {
  word >> bits | word << (32 - bits)
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
private let roundConstants: [UInt32] = [
  0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
  0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
  0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
  0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
  0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
  0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
  0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
  0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
]
