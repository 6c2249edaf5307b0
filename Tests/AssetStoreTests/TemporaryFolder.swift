import Glibc
import Testing

/// A folder of its own for one test, removed with all it holds when the test is done.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/enclosure-test-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.flatMap { mkdtemp($0) } }
    path = try #require(made.map { String(cString: $0) })
  }

  deinit {
    removeTree(Array(path.utf8CString))
  }

  /// The files below a folder of it, by their paths relative to this one. Without those being made.
  func files(below folder: String = "") -> [String] {
    let whole = folder.isEmpty ? path : "\(path)/\(folder)"
    var found: [String] = []
    for entry in entries(of: Array(whole.utf8CString)) {
      let name = String(decoding: entry.name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      let inner = folder.isEmpty ? name : "\(folder)/\(name)"
      found += entry.isFolder ? files(below: inner) : [inner]
    }
    return found
  }

  func content(_ name: String) -> [UInt8]? {
    contentOfFile("\(path)/\(name)")
  }

  func write(_ content: [UInt8], to name: String) throws {
    let file = try #require(fopen("\(path)/\(name)", "w"))
    defer { fclose(file) }
    try #require(fwrite(content, 1, content.count, file) == content.count)
  }
}

private func entries(of folder: [CChar]) -> [(name: [CChar], isFolder: Bool)] {
  guard let listing = opendir(folder) else { return [] }
  defer { closedir(listing) }
  var entries: [(name: [CChar], isFolder: Bool)] = []
  while let entry = readdir(listing) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
    }
    guard name != Array(".".utf8CString), name != Array("..".utf8CString) else { continue }
    entries.append((name, entry.pointee.d_type == UInt8(DT_DIR)))
  }
  return entries
}

private func removeTree(_ path: [CChar]) {
  for entry in entries(of: path) {
    let inner = path.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + entry.name
    if entry.isFolder { removeTree(Array(inner)) } else { unlink(Array(inner)) }
  }
  rmdir(path)
}

func contentOfFile(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var content: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
    content += buffer[..<count]
  }
  return content
}

/// A file system in memory of a fixed size, mounted for one test; only root may.
final class SmallDisk {
  let path: String
  private let folder: TemporaryFolder

  /// - Parameter kilobytes: its size, in units of 1024 bytes.
  init?(kilobytes: Int) {
    guard let folder = try? TemporaryFolder(),
      mount("none", folder.path, "tmpfs", 0, "size=\(kilobytes)k,mode=755") == 0
    else { return nil }
    self.folder = folder
    path = folder.path
  }

  func makeReadOnly() -> Bool {
    mount("none", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
  }

  deinit {
    umount2(path, CInt(MNT_DETACH))
  }

  static let canBeMade = SmallDisk(kilobytes: 64) != nil
}
