import Glibc
import MediaChannel

/// The bytes of a file that is not expected to be large, such as one with secrets.
/// - Throws: `EFBIG` when it has more than `maximum` bytes.
package func contents(of path: FilePath, atMost maximum: Int) throws(FileFailure) -> [UInt8] {
  let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
  guard descriptor >= 0 else { throw FileFailure(errno: errno) }
  let file = OpenFile(adopting: descriptor)
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 16 << 10)
  while bytes.count <= maximum {
    let count = read(file.descriptor, &buffer, buffer.count)
    if count < 0 && errno == EINTR { continue }
    guard count >= 0 else { throw FileFailure(errno: errno) }
    if count == 0 { return bytes }
    bytes += buffer.prefix(count)
  }
  throw FileFailure(errno: EFBIG)
}
