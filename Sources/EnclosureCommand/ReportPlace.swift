import Glibc
import Pipeline
import Report

/// Where a report goes.
struct ReportPlace {
  let path: FilePath

  /// - Throws: when a report there could not be written, would destroy something, or would be taken for a source.
  init(_ path: FilePath, sources: FilePath?, excluded: [FilePath]) throws(UsageError) {
    self.path = path
    let name = "--report \(path.description)"
    let folder = ResolvedFolder(path.folder)
    if let why = Self.obstacle(path) { throw UsageError("\(name) \(why); choose another name") }
    if let sources, folder.isInside(sources), !excluded.contains(where: folder.isInside) {
      throw UsageError(
        "\(name) would be a source of the next run, for it is in \(sources.description); put it into the output's"
          + " folder, or outside")
    }
    if let failure = folder.obstacle { throw UsageError("\(name) cannot be written: \(failure.message)") }
  }

  /// Begins a report. Makes the folder where it is missing.
  func open() throws(FileFailure) -> NewFile {
    makeFolders(to: path.folder)
    return try NewFile(at: path)
  }

  /// Puts a whole report into its place, unless that was taken in the meantime.
  func replace(by file: NewFile) throws(FileFailure) {
    guard Self.obstacle(path) == nil else { throw FileFailure(errno: EEXIST) }
    try file.keep()
  }

  /// What stands in the way of a file; nil for nothing, or for an earlier report.
  private static func obstacle(_ path: FilePath) -> String? {
    guard let last = path.bytes.last, last != UInt8(ascii: "/") else { return "is a folder" }
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: return "is a folder"
    default: return "is no file"
    }
    let signature = Array(ReportPage.signature.utf8)
    guard status.st_size > 0, beginning(of: path, count: signature.count) != signature else { return nil }
    return "is there already, and is no report"
  }
}

/// A folder by the path that no link stands in, whether it exists or not.
private struct ResolvedFolder {
  private let components: [ArraySlice<UInt8>]
  /// Why files cannot be made in it, or it cannot be made.
  let obstacle: FileFailure?

  init(_ path: FilePath) {
    let slash = UInt8(ascii: "/")
    var existing = path.bytes
    var missing: [ArraySlice<UInt8>] = []
    while true {
      let resolved = FilePath(bytes: existing.isEmpty ? [UInt8(ascii: ".")] : existing).withCString {
        realpath($0, nil)
      }
      if let resolved {
        defer { free(resolved) }
        let real = UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map { UInt8(bitPattern: $0) }
        components = real.split(separator: slash) + missing.reversed()
        var status = stat()
        let isFolder = stat(resolved, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        obstacle =
          !isFolder ? FileFailure(errno: ENOTDIR) : access(resolved, W_OK | X_OK) == 0 ? nil : FileFailure(errno: errno)
        return
      }
      let code = errno
      let parts = existing.split(separator: slash)
      guard code == ENOENT, let last = parts.last else {
        (components, obstacle) = (missing.reversed(), FileFailure(errno: code))
        return
      }
      missing.append(last)
      let rest = parts.dropLast().joined(separator: [slash])
      existing = (existing.first == slash ? [slash] : []) + rest
    }
  }

  func isInside(_ folder: FilePath) -> Bool {
    components.starts(with: ResolvedFolder(folder).components)
  }
}

extension FilePath {
  /// The folder that it lies in, the current one for a bare name.
  fileprivate var folder: FilePath {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return FilePath(".") }
    return FilePath(bytes: Array(bytes[..<max(slash, 1)]))
  }
}

private func beginning(of path: FilePath, count: Int) -> [UInt8]? {
  let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: count)
  let found = pread(descriptor, &bytes, count, 0)
  return Array(bytes.prefix(max(0, found)))
}
