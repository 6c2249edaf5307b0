import Glibc

/// A file system in memory of a fixed size, mounted for one test; only root may.
package final class SmallDisk: Sendable {
  package let path: String
  private let folder: TemporaryFolder

  /// - Parameter kilobytes: its size, in units of 1024 bytes.
  package init?(kilobytes: Int) {
    guard let folder = try? TemporaryFolder(),
      mount("none", folder.path, "tmpfs", 0, "size=\(kilobytes)k,mode=755") == 0
    else { return nil }
    self.folder = folder
    path = folder.path
  }

  package func makeReadOnly() -> Bool {
    mount("none", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
  }

  deinit {
    umount2(path, CInt(MNT_DETACH))
  }

  package static let canBeMade = SmallDisk(kilobytes: 64) != nil
}
