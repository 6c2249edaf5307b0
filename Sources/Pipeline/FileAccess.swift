import CLinux
import Glibc
import MediaChannel
import RichPush

/// Which local files may be sources.
package enum FileAccess: Sendable {
  /// All that this process can read: where whoever names them runs the program.
  case any
  /// Those below these folders, wherever links lead on the way: where a stranger may have written the job.
  case below([AllowedFolder])

  /// Opens a file for reading.
  func open(_ path: FilePath) throws(Rejection.Reason) -> OpenFile {
    switch self {
    case .any: return try openForReading(path)
    case .below(let folders): return try openForReading(path, below: folders)
    }
  }
}

/// A folder whose files jobs may name.
package struct AllowedFolder: Sendable, Equatable {
  /// As it was named, made absolute, and where it really is. A job may name its files in either way.
  private let names: [[UInt8]]
  let realPath: [UInt8]

  /// - Throws: when it is no folder that can be entered.
  package init(_ path: FilePath) throws(FileFailure) {
    guard let resolved = path.withCString({ realpath($0, nil) }) else { throw FileFailure(errno: errno) }
    defer { free(resolved) }
    realPath = UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map { UInt8(bitPattern: $0) }
    var status = stat()
    guard FilePath(bytes: realPath).withCString({ stat($0, &status) }) == 0 else { throw FileFailure(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw FileFailure(errno: ENOTDIR) }
    names = [realPath] + (plainComponents(path.bytes).map { [joined($0)] } ?? [])
  }

  /// Whether a path begins with the folder's name.
  func seemsToHold(_ components: [[UInt8]]) -> Bool {
    names.contains { name in components.starts(with: plainComponents(name) ?? [[]]) }
  }

  /// Whether a file is below the folder.
  /// - Parameter path: without links and dots, as the kernel tells it.
  func holds(realPath path: [UInt8]) -> Bool {
    let prefix = realPath.last == UInt8(ascii: "/") ? realPath : realPath + [UInt8(ascii: "/")]
    return path.starts(with: prefix)
  }
}

/// What is judged is the file that was found, not its name, so links lead out of no folder, and nothing can be exchanged
/// between the judgement and the reading. Nothing is opened for reading before: opening a pipe or a device does things.
private func openForReading(_ path: FilePath, below folders: [AllowedFolder]) throws(Rejection.Reason) -> OpenFile {
  guard !folders.isEmpty else {
    throw Rejection.Reason(
      .unsupportedScheme, at: .fetch,
      "the source is a file, and this worker reads none; --allow-files DIR names folders whose files jobs may have")
  }
  // What is outside does not show whether it exists.
  guard let components = plainComponents(path.bytes), folders.contains(where: { $0.seemsToHold(components) }) else {
    throw notAllowed
  }
  let found = OpenFile(adopting: try checked(path.withCString { enclosure_locate($0) }))
  let link = "/proc/self/fd/\(found.descriptor)"
  guard let real = target(ofLink: link), folders.contains(where: { $0.holds(realPath: real) }) else {
    throw notAllowed
  }
  return try openForReading(FilePath(link))
}

private let notAllowed = Rejection.Reason(
  .blockedAddress, at: .fetch, "the file is not below a folder that --allow-files names")

/// Without O_NONBLOCK a pipe without a writer would hold the thread for ever.
private func openForReading(_ path: FilePath) throws(Rejection.Reason) -> OpenFile {
  let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
  return OpenFile(adopting: try checked(path.withCString { Glibc.open($0, flags) }))
}

private func checked(_ descriptor: Int32) throws(Rejection.Reason) -> Int32 {
  guard descriptor >= 0 else { throw unreadable(errno) }
  return descriptor
}

private func target(ofLink path: String) -> [UInt8]? {
  var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
  let count = buffer.withUnsafeMutableBytes { bytes in
    bytes.withMemoryRebound(to: CChar.self) { characters in
      characters.baseAddress.map { readlink(path, $0, characters.count) } ?? -1
    }
  }
  return count > 0 && count < buffer.count ? Array(buffer.prefix(count)) : nil
}

/// The parts of an absolute path; nil when it is relative or goes back somewhere.
private func plainComponents(_ path: [UInt8]) -> [[UInt8]]? {
  guard path.first == UInt8(ascii: "/") else { return nil }
  let parts = path.split(separator: UInt8(ascii: "/")).map(Array.init).filter { $0 != Array(".".utf8) }
  return parts.contains(Array("..".utf8)) ? nil : parts
}

private func joined(_ components: [[UInt8]]) -> [UInt8] {
  components.flatMap { [UInt8(ascii: "/")] + $0 }
}
