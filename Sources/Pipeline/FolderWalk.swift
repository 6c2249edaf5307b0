import Glibc

/// Everything below a folder that a batch has to answer for.
package struct FolderWalk: Sendable {
  package struct Entry: Sendable, Hashable {
    /// Relative to the folder, with `/` between the parts.
    package let path: FilePath
    /// Size and time as they were on the way, nil for what could not be looked at or is no regular file.
    package let state: FileState?

    package static func == (one: Entry, other: Entry) -> Bool { one.path == other.path }
    package func hash(into hasher: inout Hasher) { hasher.combine(path) }
  }

  /// Files and all else that is no folder, and folders that cannot be read, in the order of their bytes.
  package private(set) var entries: [Entry] = []

  /// Walks the folder. Blocks; symbolic links to files are files, those to folders are entries and not entered, since
  /// they may lead anywhere, in circles too.
  /// - Parameter excluded: folders that are left out: the output and the cache, when they lie inside.
  /// - Throws: why the folder itself cannot be read.
  package init(of folder: FilePath, excluding excluded: [FolderIdentity]) throws(FileFailure) {
    var waiting: [FilePath] = [FilePath("")]
    while let relative = waiting.popLast() {
      let names: [[UInt8]]
      do throws(FileFailure) {
        names = try Self.names(in: relative.bytes.isEmpty ? folder : folder.appending(relative.bytes))
      } catch {
        if relative.bytes.isEmpty { throw error }
        entries.append(Entry(path: relative, state: nil))
        continue
      }
      for name in names {
        let path = relative.appending(name)
        var status = stat()
        let found = folder.appending(path.bytes).withCString { lstat($0, &status) } == 0
        if found, status.st_mode & S_IFMT == S_IFDIR {
          if !excluded.contains(FolderIdentity(status)) { waiting.append(path) }
          continue
        }
        if found, status.st_mode & S_IFMT == S_IFLNK {
          _ = folder.appending(path.bytes).withCString { stat($0, &status) }
        }
        let isFile = found && status.st_mode & S_IFMT == S_IFREG
        entries.append(Entry(path: path, state: isFile ? FileState(status) : nil))
      }
    }
    entries.sort { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }

  private static func names(in folder: FilePath) throws(FileFailure) -> [[UInt8]] {
    guard let listing = folder.withCString({ opendir($0) }) else { throw FileFailure(errno: errno) }
    defer { closedir(listing) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = readdir(listing) else {
        guard errno == 0 else { throw FileFailure(errno: errno) }
        return names
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [UInt8(ascii: ".")] && name != Array("..".utf8) { names.append(name) }
    }
  }
}

/// What stays the same under all names of a folder.
package struct FolderIdentity: Sendable, Equatable {
  private let device: dev_t
  private let inode: ino_t
  /// False for a file that was taken for a folder.
  package let isFolder: Bool

  init(_ status: stat) {
    device = status.st_dev
    inode = status.st_ino
    isFolder = status.st_mode & S_IFMT == S_IFDIR
  }

  /// - Returns: nil when there is nothing of that name.
  package init?(of folder: FilePath) {
    var status = stat()
    guard folder.withCString({ stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }
}
