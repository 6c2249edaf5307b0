/// Reads single bytes of a file through a window of 64 KiB, so that walking a structure costs few system calls.
struct FileWindow {
  private static let size = 65_536
  private let file: MediaFile
  private var window: [UInt8] = []
  private var start = 0

  init(_ file: MediaFile) {
    self.file = file
  }

  var count: Int { file.bytes }

  /// nil behind the end of the file.
  mutating func byte(at offset: Int) -> UInt8? {
    if offset < start || offset >= start + window.count {
      guard offset >= 0, offset < file.bytes else { return nil }
      window = file.bytes(at: offset, count: min(Self.size, file.bytes - offset))
      start = offset
      guard !window.isEmpty else { return nil }
    }
    return window[offset - start]
  }

  mutating func bigEndian16(at offset: Int) -> Int? {
    guard let high = byte(at: offset), let low = byte(at: offset + 1) else { return nil }
    return Int(high) << 8 | Int(low)
  }

  mutating func littleEndian16(at offset: Int) -> Int? {
    guard let low = byte(at: offset), let high = byte(at: offset + 1) else { return nil }
    return Int(high) << 8 | Int(low)
  }

  mutating func bigEndian32(at offset: Int) -> Int? {
    guard let high = bigEndian16(at: offset), let low = bigEndian16(at: offset + 2) else { return nil }
    return high << 16 | low
  }

  mutating func littleEndian32(at offset: Int) -> Int? {
    guard let low = littleEndian16(at: offset), let high = littleEndian16(at: offset + 2) else { return nil }
    return high << 16 | low
  }

  /// Four bytes as text, such as the name of a chunk; empty behind the end of the file.
  mutating func name(at offset: Int) -> String {
    guard let last = byte(at: offset + 3), let first = byte(at: offset), let second = byte(at: offset + 1),
      let third = byte(at: offset + 2)
    else { return "" }
    return String(decoding: [first, second, third, last], as: UTF8.self)
  }

  /// Fewer than `count` bytes at the end of the file.
  func bytes(at offset: Int, count: Int) -> [UInt8] {
    guard offset >= 0, offset < file.bytes, count > 0 else { return [] }
    return file.bytes(at: offset, count: min(count, file.bytes - offset))
  }
}

extension Collection where Element == UInt8 {
  func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { starts(with: $0) }
  }
}
