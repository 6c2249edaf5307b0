import Glibc
import MediaChannel
import Pipeline

/// A file that is written piece by piece, and gets its place when it is whole. Until then it has no name, so that nothing
/// is left of it however the process ends. On file systems without such files it has one of its own beside its place,
/// which goes with the last reference, but stays when the process is killed.
final class NewFile {
  private let path: FilePath
  /// A name beside the place, for what cannot be put there at once.
  private let neighbour: FilePath
  private let file: OpenFile
  private var hasNeighbour: Bool
  private var waiting: [UInt8] = []

  /// - Parameter path: the place. The file that a link leads to is replaced, not the link; what is neither a file nor a
  ///   link to one is not replaced.
  init(at path: FilePath, mayBeUnnamed: Bool = true) throws(FileFailure) {
    var status = stat()
    if path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw FileFailure(errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EEXIST)
    }
    let resolved = path.withCString { realpath($0, nil) }
    defer { free(resolved) }
    let target = resolved.map { UnsafeBufferPointer(start: $0, count: strlen($0)).map { UInt8(bitPattern: $0) } }
    let path = target.map(FilePath.init(bytes:)) ?? path
    let folder = path.bytes.lastIndex(of: UInt8(ascii: "/")).map { Array(path.bytes[...$0]) } ?? Array("./".utf8)
    let name = ".enclosure-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let neighbour = FilePath(bytes: folder + Array(name.utf8))
    self.path = path
    self.neighbour = neighbour
    if mayBeUnnamed, let file = try fileWithoutName(in: FilePath(bytes: folder), mode: 0o666) {
      self.file = file
      hasNeighbour = false
      return
    }
    let descriptor = neighbour.withCString { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
    guard descriptor >= 0 else { throw FileFailure(errno: errno) }
    file = OpenFile(adopting: descriptor)
    hasNeighbour = true
  }

  deinit {
    if hasNeighbour { _ = neighbour.withCString { unlink($0) } }
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
    if !hasNeighbour, try link(to: path) { return }
    // A name that is taken can only be given by renaming.
    if !hasNeighbour {
      guard try link(to: neighbour) else { throw FileFailure(errno: EEXIST) }
      hasNeighbour = true
    }
    let renamed = neighbour.withCString { from in path.withCString { to in rename(from, to) } }
    guard renamed == 0 else { throw FileFailure(errno: errno) }
    hasNeighbour = false
  }

  /// Gives the file its first name.
  /// - Returns: false when something has that name.
  private func link(to name: FilePath) throws(FileFailure) -> Bool {
    let status = name.withCString {
      linkat(AT_FDCWD, "/proc/self/fd/\(file.descriptor)", AT_FDCWD, $0, AT_SYMLINK_FOLLOW)
    }
    if status == 0 { return true }
    guard errno == EEXIST else { throw FileFailure(errno: errno) }
    return false
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
