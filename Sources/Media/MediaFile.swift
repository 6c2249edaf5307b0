import Glibc
import Preparation
package import RichPush

/// An open file of media. The descriptor belongs to the caller, who keeps it open as long as this is used.
package struct MediaFile: Sendable {
  package let descriptor: Int32
  package let bytes: Int

  /// - Throws: `fetch_failed` when the descriptor is no regular file.
  package init(borrowing descriptor: Int32, at stage: Rejection.Stage) throws(Rejection.Reason) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Rejection.Reason(.fetchFailed, at: stage, "the source is not a regular file", permanent: true)
    }
    self.descriptor = descriptor
    self.bytes = Int(status.st_size)
  }

  /// Reads without moving the descriptor's position.
  /// - Returns: the number of bytes read, 0 at the end of the file, -1 on failure with `errno` set.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Up to `count` bytes from `offset` on: fewer at the end of the file.
  func bytes(at offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      var filled = 0
      while filled < count {
        let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let got = read(into: room, at: offset + filled)
        guard got > 0 else { break }
        filled += got
      }
      initialized = filled
    }
  }
}

/// Writes a whole buffer at `offset`, without moving the descriptor's position.
/// - Returns: `errno` of what failed, 0 when nothing did.
func writeAll(_ bytes: UnsafeRawBufferPointer, into descriptor: Int32, at offset: Int) -> Int32 {
  var written = 0
  while written < bytes.count {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
    let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return count < 0 ? errno : EIO }
    written += count
  }
  return 0
}

extension MediaFile {
  /// Fills a buffer from `offset` on.
  /// - Returns: whether there were enough bytes.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
    var filled = 0
    while filled < buffer.count {
      let got = read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: offset + filled)
      guard got > 0 else { return false }
      filled += got
    }
    return true
  }
}
