import Glibc
import Synchronization

/// The folder of a store, held open.
final class OpenStore: Sendable {
  let root: CInt
  let work: WorkFolder
  private let device: dev_t
  private let inode: ino_t
  /// The folders below `assets` whose own entries are known to last. Another process may have created one and died
  /// before it was on the disk.
  private let syncedShards = Mutex<Set<String>>([])

  /// Creates what belongs into the folder.
  /// - Parameter root: the folder's descriptor, from now on this object's, also when this fails.
  init(_ root: CInt) throws(CallFailure) {
    self.root = root
    do throws(CallFailure) {
      var status = stat()
      try call { fstat(root, &status) }
      device = status.st_dev
      inode = status.st_ino
      try makeFolder("assets", in: root)
      try makeFolder("manifests", in: root)
      let work = try WorkFolder(".work", in: root)
      // Fails where files cannot be created, rather than after the first picture has been prepared.
      _ = try work.makeFile()
      // Last of all: once everything is set, an error would have deinit close the folder, and this a second time.
      self.work = work
    } catch {
      close(root)
      throw error
    }
  }

  deinit {
    close(root)
  }

  /// Whether it is the folder of this status. Its number is nobody else's as long as it is held open.
  func isSame(as status: stat) -> Bool {
    status.st_dev == device && status.st_ino == inode
  }

  func place(_ file: WorkFile, bytes: Int, at location: AssetLocation) throws(CallFailure) {
    try withFolder("assets", in: root) { (assets) throws(CallFailure) in
      try self.makeShard(location.shard, in: assets)
      try withFolder(location.shard, in: assets) { (shard) throws(CallFailure) in
        let name = "\(location.sha256).\(location.fileExtension)"
        if try size(of: name, in: shard) == bytes {
          file.discard()
        } else {
          try call { fdatasync(file.descriptor) }
          try file.move(to: name, in: shard)
        }
        // Also for one that was there: who renamed it may not have come to this.
        try call { fsync(shard) }
      }
    }
  }

  private func makeShard(_ name: String, in assets: CInt) throws(CallFailure) {
    guard !syncedShards.withLock({ $0.contains(name) }) else { return }
    try makeFolder(name, in: assets)
    try call { fsync(assets) }
    syncedShards.withLock { _ = $0.insert(name) }
  }
}
