import Glibc
import Synchronization

/// A file that is being made. Unless it is stored it vanishes with the last reference to it, or, when the process dies,
/// with the next `WorkFolder` that is opened on the same place, if it has a name at all.
package final class WorkFile: Sendable {
  /// Readable and writable, close-on-exec. Owned by this object: use it only while you hold the object.
  package let descriptor: CInt
  /// nil for a file without a name.
  private let entry: Entry?
  private let isThere = Atomic(true)

  /// The file's place among those that are being made.
  private struct Entry: Sendable {
    let name: String
    let folder: WorkFolder
  }

  fileprivate init(adopting descriptor: CInt, name: String, in folder: WorkFolder) {
    self.descriptor = descriptor
    entry = Entry(name: name, folder: folder)
  }

  /// Makes a file without a name: it is gone when it is closed, however that comes about.
  /// - Parameter folder: the path of the folder on whose disk it is.
  convenience init(unnamedIn folder: [UInt8]) throws(CallFailure) {
    self.init(adopting: try openUnnamedFile(in: folder))
  }

  private init(adopting descriptor: CInt) {
    self.descriptor = descriptor
    entry = nil
  }

  deinit {
    discard()
    close(descriptor)
  }

  /// Gives the file its final name, in place of what has it, and keeps it.
  func move(to target: String, in targetFolder: CInt) throws(CallFailure) {
    guard let entry, take() else { throw CallFailure(code: ENOENT) }
    do {
      try call { renameat(entry.folder.descriptor, entry.name, targetFolder, target) }
    } catch {
      giveBack()
      throw error
    }
  }

  /// Removes the file's name, so that it vanishes when it is closed. It cannot be stored any more.
  func discard() {
    guard take(), let entry else { return }
    unlinkat(entry.folder.descriptor, entry.name, 0)
  }

  /// Takes the file for storing it, which only one can, and once.
  func take() -> Bool {
    isThere.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Storing it has failed, and may be tried again.
  func giveBack() {
    isThere.store(true, ordering: .releasing)
  }
}

/// A folder of files that are being made, which several processes may share.
///
/// Every file is locked (flock) for as long as its maker, or a helper to which the descriptor was passed, has it open.
/// So a file without a lock was left by a process that died, and can go.
final class WorkFolder: Sendable {
  let descriptor: CInt

  /// Creates the folder where there is none, and removes what dead processes left there.
  init(_ name: String, in parent: CInt) throws(CallFailure) {
    try makeFolder(name, in: parent)
    descriptor = try call { openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    removeAbandonedFiles()
  }

  deinit {
    close(descriptor)
  }

  func makeFile() throws(CallFailure) -> WorkFile {
    while true {
      let name = prefix + String(UInt64.random(in: .min ... .max), radix: 16)
      let number = try call { openat(descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666) }
      let file = WorkFile(adopting: number, name: name, in: self)
      // Another process may have taken it for abandoned before the lock was there.
      if try lock(number), try isLinked(number) { return file }
    }
  }

  /// Returns false when another process holds the lock. File systems without locks get none: nothing is removed there.
  private func lock(_ file: CInt) throws(CallFailure) -> Bool {
    do {
      try call { flock(file, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      switch error.code {
      case EWOULDBLOCK: return false
      case ENOLCK, ENOTSUP, ENOSYS, EINVAL: return true
      default: throw error
      }
    }
  }

  private func isLinked(_ file: CInt) throws(CallFailure) -> Bool {
    var status = stat()
    try call { fstat(file, &status) }
    return status.st_nlink > 0
  }

  /// Tidying up is a courtesy: what cannot be removed stays, and nobody is told.
  private func removeAbandonedFiles() {
    // The listing's own description: it closes it, and its position must not be shared.
    let listed = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard listed >= 0 else { return }
    guard let listing = fdopendir(listed) else {
      close(listed)
      return
    }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      guard name.hasPrefix(prefix) else { continue }
      let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        unlinkat(descriptor, name, 0)
      }
      close(file)
    }
  }
}

private let prefix = "work-"
