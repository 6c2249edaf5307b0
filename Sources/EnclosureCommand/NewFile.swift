import Glibc
import MediaChannel
import Pipeline

/// A file that is written piece by piece beside its place, and gets that when it is whole. Until then it has a name of
/// its own, which goes with the last reference.
final class NewFile {
  private let path: FilePath
  private let temporary: FilePath
  private let file: OpenFile
  private var waiting: [UInt8] = []
  private var isKept = false

  /// - Parameter path: the place. The file that a link leads to is replaced, not the link; what is neither a file nor a
  ///   link to one is not replaced.
  init(at path: FilePath) throws(FileFailure) {
    var status = stat()
    if path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw FileFailure(errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EEXIST)
    }
    let resolved = path.withCString { realpath($0, nil) }
    defer { free(resolved) }
    let target = resolved.map { UnsafeBufferPointer(start: $0, count: strlen($0)).map { UInt8(bitPattern: $0) } }
    let path = target.map(FilePath.init(bytes:)) ?? path
    self.path = path
    let name = ".enclosure-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let folder = path.bytes.lastIndex(of: UInt8(ascii: "/")).map { path.bytes[...$0] } ?? []
    let temporary = FilePath(bytes: folder + Array(name.utf8))
    let descriptor = temporary.withCString { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
    guard descriptor >= 0 else { throw FileFailure(errno: errno) }
    self.temporary = temporary
    file = OpenFile(adopting: descriptor)
  }

  deinit {
    if !isKept { _ = temporary.withCString { unlink($0) } }
  }

  func write(_ text: String) throws(FileFailure) {
    try write(Array(text.utf8))
  }

  func write(_ bytes: [UInt8]) throws(FileFailure) {
    waiting += bytes
    if waiting.count >= 1 << 20 { try flush() }
  }

  /// Gives the file its name, in place of one that has it, once it is safe on the disk.
  func keep() throws(FileFailure) {
    try flush()
    guard fsync(file.descriptor) == 0 else { throw FileFailure(errno: errno) }
    let renamed = temporary.withCString { from in path.withCString { to in rename(from, to) } }
    guard renamed == 0 else { throw FileFailure(errno: errno) }
    isKept = true
  }

  private func flush() throws(FileFailure) {
    var rest = waiting[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file.descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw FileFailure(errno: errno) }
      rest = rest.dropFirst(count)
    }
    waiting.removeAll(keepingCapacity: true)
  }
}
