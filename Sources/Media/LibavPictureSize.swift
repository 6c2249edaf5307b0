/// The size in pixels that the header of a still picture claims, read without a decoder: decoders say nothing but
/// "invalid" of an absurd one.
/// - Returns: nil when it is no BMP, PSD, JPEG 2000 or JPEG XL, or its header is too short.
func claimedSize(of source: MediaFile) -> (width: Int, height: Int)? {
  let head = source.bytes(at: 0, count: 64)
  guard head.count >= 26 else { return nil }
  if head.starts(with: Array("BM".utf8)) { return bitmapSize(head) }
  if head.starts(with: Array("8BPS".utf8)) {
    return (Int(head.bigEndian(at: 18, count: 4)), Int(head.bigEndian(at: 14, count: 4)))
  }
  if head.starts(with: jpeg2000Codestream) { return jpeg2000Size(head) }
  if head.starts(with: jpeg2000Signature) {
    guard let box = Box.boxes(in: source).first(where: { $0.type == "jp2c" }) else { return nil }
    return jpeg2000Size(source.bytes(at: box.content, count: 64))
  }
  if head.starts(with: jpegXLCodestream) { return jpegXLSize(head) }
  if head.starts(with: jpegXLSignature) {
    guard let box = Box.boxes(in: source).first(where: { $0.type == "jxlc" || $0.type == "jxlp" }) else { return nil }
    // A part of a codestream starts with its number.
    return jpegXLSize(source.bytes(at: box.content + (box.type == "jxlp" ? 4 : 0), count: 64))
  }
  return nil
}

let jpeg2000Signature: [UInt8] = [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
let jpeg2000Codestream: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]
let jpegXLSignature: [UInt8] = [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
let jpegXLCodestream: [UInt8] = [0xFF, 0x0A]

private func bitmapSize(_ head: [UInt8]) -> (width: Int, height: Int) {
  if head.littleEndian(at: 14, count: 4) == 12 {
    return (Int(head.littleEndian(at: 18, count: 2)), Int(head.littleEndian(at: 20, count: 2)))
  }
  let width = Int32(truncatingIfNeeded: head.littleEndian(at: 18, count: 4))
  // A negative height says that the rows come top down.
  let height = Int32(truncatingIfNeeded: head.littleEndian(at: 22, count: 4))
  return (Int(width), Int(height.magnitude))
}

/// The SIZ marker segment (ISO/IEC 15444-1, A.5.1).
private func jpeg2000Size(_ head: [UInt8]) -> (width: Int, height: Int)? {
  guard head.count >= 24, head.starts(with: jpeg2000Codestream) else { return nil }
  let right = Int(head.bigEndian(at: 8, count: 4))
  let bottom = Int(head.bigEndian(at: 12, count: 4))
  return (right - Int(head.bigEndian(at: 16, count: 4)), bottom - Int(head.bigEndian(at: 20, count: 4)))
}

/// The SizeHeader of a codestream (ISO/IEC 18181-1, annex D).
private func jpegXLSize(_ head: [UInt8]) -> (width: Int, height: Int)? {
  guard head.count >= 16, head.starts(with: jpegXLCodestream) else { return nil }
  var bits = BitsFromLowest(bytes: head, position: 16)
  let isSmall = bits.read(1) == 1
  func length() -> Int {
    guard !isSmall else { return (bits.read(5) + 1) * 8 }
    return bits.read([9, 13, 18, 30][bits.read(2)]) + 1
  }
  let height = length()
  let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
  let ratio = bits.read(3)
  guard ratio > 0 else { return (length(), height) }
  return (height * ratios[ratio - 1].0 / ratios[ratio - 1].1, height)
}

/// Reads numbers from bytes whose first bit is the lowest one.
private struct BitsFromLowest {
  var bytes: [UInt8]
  /// In bits.
  var position: Int

  /// The next `count` bits, at most 32; bits behind the end are 0.
  mutating func read(_ count: Int) -> Int {
    var value = 0
    for index in 0..<count {
      let byte = position / 8
      if byte < bytes.count { value |= Int(bytes[byte] >> UInt8(position % 8) & 1) << index }
      position += 1
    }
    return value
  }
}
