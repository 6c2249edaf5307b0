extension PlaceholderPicture {
  /// The picture as a PNG file, which `UNNotificationAttachment` takes as it is.
  ///
  /// Its pixels are stored as they are: at this size compression would not matter.
  public var png: [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    // 8 bits, red, green, blue and alpha, not interlaced.
    file += chunk("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 6, 0, 0, 0])
    file += chunk("sRGB", [0])
    file += chunk("IDAT", zlibStream(of: rows))
    file += chunk("IEND", [])
    return file
  }

  /// Each row behind its filter, none.
  private var rows: [UInt8] {
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: rgba.count, by: width * 4) {
      bytes.append(0)
      bytes += rgba[start..<start + width * 4]
    }
    return bytes
  }
}

private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
  let content = Array(name.utf8) + data
  return bigEndian(UInt32(data.count)) + content + bigEndian(crc32(content))
}

private func bigEndian(_ value: UInt32) -> [UInt8] {
  [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
}

/// A zlib stream of stored blocks (RFC 1950 and RFC 1951 section 3.2.4).
private func zlibStream(of data: [UInt8]) -> [UInt8] {
  var stream: [UInt8] = [0x78, 0x01]
  let largest = 0xFFFF
  var start = 0
  repeat {
    let count = min(largest, data.count - start)
    let isLast = start + count == data.count
    let sizes = [count, count >> 8, ~count, ~count >> 8].map { UInt8(truncatingIfNeeded: $0) }
    stream += [isLast ? 1 : 0] + sizes + data[start..<start + count]
    start += count
  } while start < data.count
  return stream + bigEndian(adler32(data))
}

private func adler32(_ data: [UInt8]) -> UInt32 {
  var (a, b): (UInt32, UInt32) = (1, 0)
  for byte in data {
    a = (a + UInt32(byte)) % 65521
    b = (b + a) % 65521
  }
  return b << 16 | a
}

private func crc32(_ data: [UInt8]) -> UInt32 {
  var remainder = UInt32.max
  for byte in data {
    remainder ^= UInt32(byte)
    for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
  }
  return ~remainder
}
