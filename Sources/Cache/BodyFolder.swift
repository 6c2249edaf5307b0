import Digest
import Glibc

/// A system call failed; holds its `errno`.
struct CallFailure: Error {
  let code: Int32
}

@discardableResult
func call<Status: SignedInteger>(_ body: () -> Status) throws(CallFailure) -> Status {
  while true {
    let status = body()
    if status >= 0 { return status }
    let code = errno
    if code != EINTR { throw CallFailure(code: code) }
  }
}

/// The files of a cache: bodies under the SHA-256 of their bytes, spread over 256 folders, and those being written.
///
/// Nothing is synced: a body is measured and hashed before it is handed out, so that what a power failure has left of it
/// is a miss, as good as none. Only this user can read them, since they may be private.
final class BodyFolder: Sendable {
  private let bodies: Int32
  private let incoming: Int32

  /// - Parameter root: the cache's folder, open; the caller's.
  init(in root: Int32) throws(CallFailure) {
    bodies = try openFolder("bodies", in: root)
    do throws(CallFailure) {
      incoming = try openFolder("incoming", in: root)
    } catch {
      close(bodies)
      throw error
    }
    removeAbandoned()
  }

  deinit {
    close(bodies)
    close(incoming)
  }

  /// A copy of a body that is not in its place yet. It vanishes unless it is placed.
  final class Copy {
    fileprivate let name: String
    /// Locked until it is closed: by that a file that somebody writes is known from one that was left behind.
    private let descriptor: Int32
    private let folder: BodyFolder
    fileprivate var isPlaced = false

    fileprivate init(in folder: BodyFolder) throws(CallFailure) {
      name = String(UInt64.random(in: .min ... .max), radix: 16)
      self.folder = folder
      descriptor = try call { [name] in
        openat(folder.incoming, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      }
      flock(descriptor, LOCK_EX | LOCK_NB)
    }

    deinit {
      if !isPlaced { unlinkat(folder.incoming, name, 0) }
      close(descriptor)
    }

    /// - Returns: the SHA-256 of what was copied.
    fileprivate func fill(from source: Int32, bytes: Int) throws(CallFailure) -> String {
      let digest = SHA256()
      var buffer = [UInt8](repeating: 0, count: min(max(bytes, 1), 256 << 10))
      var offset = 0
      while offset < bytes {
        let (start, room) = (offset, min(buffer.count, bytes - offset))
        let count = try call { pread(source, &buffer, room, off_t(start)) }
        // The source is shorter than it was said to be.
        guard count > 0 else { throw CallFailure(code: EIO) }
        buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        while offset < start + count {
          let (from, to) = (offset - start, offset)
          offset += try call {
            buffer.withUnsafeBytes {
              let rest = UnsafeRawBufferPointer(rebasing: $0[from..<count])
              return pwrite(descriptor, rest.baseAddress, rest.count, off_t(to))
            }
          }
        }
      }
      return digest.finish()
    }

    /// The file as it is now.
    func identity() throws(CallFailure) -> FileIdentity {
      try FileIdentity(of: descriptor)
    }
  }

  /// Copies the bytes of a file.
  /// - Returns: nil when they do not have the hash that they should have.
  func copy(of source: Int32, bytes: Int, sha256: String) throws(CallFailure) -> Copy? {
    let copy = try Copy(in: self)
    return try copy.fill(from: source, bytes: bytes) == sha256 ? copy : nil
  }

  /// Gives a copy its name, in place of what has it.
  func place(_ copy: Copy, as sha256: String) throws(CallFailure) {
    let shard = String(sha256.prefix(2))
    do throws(CallFailure) {
      try call { renameat(incoming, copy.name, bodies, "\(shard)/\(sha256)") }
    } catch {
      guard error.code == ENOENT else { throw error }
      if mkdirat(bodies, shard, 0o700) != 0, errno != EEXIST { throw CallFailure(code: errno) }
      try call { renameat(incoming, copy.name, bodies, "\(shard)/\(sha256)") }
    }
    copy.isPlaced = true
  }

  /// Opens a body, nil when there is none of that name.
  func open(_ sha256: String) throws(CallFailure) -> Int32? {
    do throws(CallFailure) {
      return try call { openat(bodies, path(sha256), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// The size of a body, nil when there is none of that name.
  func bytes(of sha256: String) -> Int? {
    var status = stat()
    guard fstatat(bodies, path(sha256), &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return Int(status.st_size)
  }

  /// Those who have it open can go on reading it.
  func remove(_ sha256: String) {
    unlinkat(bodies, path(sha256), 0)
  }

  /// The names of the folders of bodies.
  var shards: [String] {
    names(in: bodies, ".").filter { $0.utf8.count == 2 && $0.utf8.allSatisfy(isHex) }
  }

  /// The bodies in one of those folders.
  func bodies(in shard: String) -> [String] {
    names(in: bodies, shard).filter { $0.utf8.count == 64 && $0.hasPrefix(shard) && $0.utf8.allSatisfy(isHex) }
  }

  private func path(_ sha256: String) -> String { "\(sha256.prefix(2))/\(sha256)" }

  /// Removes what writers that died have left.
  private func removeAbandoned() {
    for name in names(in: incoming, ".") {
      let file = openat(incoming, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { unlinkat(incoming, name, 0) }
      close(file)
    }
  }
}

/// What tells one state of a file from another.
struct FileIdentity: Equatable {
  let device: UInt
  let inode: UInt
  let bytes: Int
  /// Nanoseconds since 1970.
  let changed: Int

  init(of descriptor: Int32) throws(CallFailure) {
    var status = stat()
    try call { fstat(descriptor, &status) }
    (device, inode, bytes) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
    changed = status.st_ctim.tv_sec &* 1_000_000_000 &+ status.st_ctim.tv_nsec
  }
}

private func isHex(_ byte: UInt8) -> Bool {
  (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
}

private func openFolder(_ name: String, in root: Int32) throws(CallFailure) -> Int32 {
  if mkdirat(root, name, 0o700) != 0, errno != EEXIST { throw CallFailure(code: errno) }
  return try call { openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
}

/// The names in a folder, without those that begin with a dot.
func names(in parent: Int32, _ folder: UnsafePointer<CChar>) -> [String] {
  let listed = openat(parent, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  guard listed >= 0 else { return [] }
  guard let listing = fdopendir(listed) else {
    close(listed)
    return []
  }
  defer { closedir(listing) }
  var names: [String] = []
  while let entry = readdir(listing) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
    }
    if !name.hasPrefix(".") { names.append(name) }
  }
  return names
}
