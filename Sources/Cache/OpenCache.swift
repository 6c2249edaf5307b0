import Glibc
import SQLite

/// The folder of a cache, open: its bodies and its index.
///
/// Sendable because it is only used with the lock of its `DiskCache` held.
final class OpenCache: @unchecked Sendable {
  let bodies: BodyFolder
  let index: CacheIndex
  private let root: Root

  /// The folder, and the lock that says that somebody uses the index.
  private final class Root {
    let path: [UInt8]
    let folder: Int32
    let lock: Int32

    init(_ path: [UInt8]) throws(CallFailure) {
      self.path = path
      folder = try openCreating(path)
      do throws(CallFailure) {
        lock = try open("lock", in: folder)
      } catch {
        close(folder)
        throw error
      }
    }

    deinit {
      close(lock)
      close(folder)
    }

    func exists(_ name: String) -> Bool { faccessat(folder, name, F_OK, 0) == 0 }
  }

  /// - Throws: why the folder cannot be used. A damaged index is replaced, unless another process uses it.
  convenience init(path: [UInt8]) throws(CacheFailure) {
    do {
      try self.init(Root(path), isDamaged: false)
    } catch {
      throw CacheFailure(error)
    }
  }

  private init(_ root: Root, isDamaged: Bool) throws {
    self.root = root
    // Only one process at a time may find out whether there is an index, and make one.
    let opening = try open("opening", in: root.folder)
    defer { close(opening) }
    try call { flock(opening, LOCK_EX) }

    bodies = try BodyFolder(in: root.folder)
    if isDamaged || root.exists("damaged") { try Self.removeIndex(in: root) }
    try Self.share(root)
    do throws(DatabaseFailure) {
      index = try CacheIndex(path: Self.indexPath(in: root))
    } catch {
      guard error.isDamage else { throw error }
      try Self.removeIndex(in: root)
      try Self.share(root)
      index = try CacheIndex(path: Self.indexPath(in: root))
    }
  }

  /// The same cache with an empty index. The bodies are found by the sweep. This one is of no use afterwards.
  func rebuilt() throws(CacheFailure) -> OpenCache {
    // The last connection removes its journal by name when it ends; later, that would be the new index's.
    index.close()
    // For the next to open the cache, should others use the index now.
    if let mark = try? open("damaged", in: root.folder) { close(mark) }
    do {
      return try OpenCache(root, isDamaged: true)
    } catch {
      throw CacheFailure(error)
    }
  }

  private static func share(_ root: Root) throws(CallFailure) {
    try call { flock(root.lock, LOCK_SH) }
  }

  /// An index that another process has open must stay: SQLite finds its journal by name.
  private static func removeIndex(in root: Root) throws {
    guard flock(root.lock, LOCK_EX | LOCK_NB) == 0 else {
      throw CacheFailure("its index is damaged, and other processes use it; it is made anew when they have ended")
    }
    for suffix in ["", "-wal", "-shm"] { unlinkat(root.folder, "index.sqlite\(suffix)", 0) }
    unlinkat(root.folder, "damaged", 0)
  }

  private static func indexPath(in root: Root) -> [CChar] {
    (root.path + Array("/index.sqlite".utf8)).map(CChar.init(bitPattern:)) + [0]
  }
}

private func open(_ name: String, in folder: Int32) throws(CallFailure) -> Int32 {
  try call { openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
}

/// Opens a folder, after creating it and what lies above it where that is missing.
func openCreating(_ path: [UInt8]) throws(CallFailure) -> Int32 {
  guard !path.isEmpty, !path.contains(0) else { throw CallFailure(code: ENOENT) }
  for end in path.indices.dropFirst() + [path.count] where end == path.count || path[end] == UInt8(ascii: "/") {
    let isLast = end == path.count
    _ = mkdir(path[..<end].map(CChar.init(bitPattern:)) + [0], isLast ? 0o700 : 0o777)
  }
  let whole = path.map(CChar.init(bitPattern:)) + [0]
  return try call { Glibc.open(whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
}
