import Glibc

/// A file could not be read; holds the `errno` that says why.
package struct ReadFailure: Error, Equatable {
  package let errno: CInt
}

/// SHA-256 of a whole file, in lower-case hex, and how many bytes it was made of. The descriptor's position is not used.
///
/// It reads instead of mapping: a file that another process shortens meanwhile would end this one with SIGBUS.
package func sha256(ofFile descriptor: CInt) throws(ReadFailure) -> (hex: String, bytes: Int) {
  let digest = SHA256()
  // As much as fits a core's second-level cache; larger pieces are not faster.
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
  defer { buffer.deallocate() }
  var offset = 0
  while true {
    let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    if count < 0 {
      let failure = errno
      if failure == EINTR { continue }
      throw ReadFailure(errno: failure)
    }
    if count == 0 { break }
    digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    offset += count
  }
  return (digest.finish(), offset)
}
