import Glibc

/// The owner of a picture in memory: 8 bits per sample, channels interleaved, rows without padding.
struct PixelBuffer: ~Copyable {
  let width: Int
  let height: Int
  let channels: Int
  let bytes: UnsafeMutableRawBufferPointer
  private let isFromC: Bool

  init(width: Int, height: Int, channels: Int) {
    self.width = width
    self.height = height
    self.channels = channels
    bytes = .allocate(byteCount: width * height * channels, alignment: 16)
    isFromC = false
  }

  /// Takes over memory that `malloc` gave.
  init(adopting memory: UnsafeMutableRawPointer, width: Int, height: Int, channels: Int) {
    self.width = width
    self.height = height
    self.channels = channels
    bytes = UnsafeMutableRawBufferPointer(start: memory, count: width * height * channels)
    isFromC = true
  }

  deinit {
    if isFromC {
      free(bytes.baseAddress)
    } else {
      bytes.deallocate()
    }
  }

  var hasAlpha: Bool { channels == 2 || channels == 4 }

  /// Whether any pixel lets something shine through.
  var isTransparent: Bool {
    guard hasAlpha else { return false }
    var index = channels - 1
    while index < bytes.count {
      if bytes[index] != 255 { return true }
      index += channels
    }
    return false
  }
}
