import Glibc

/// A folder of its own for one test, removed with all it holds when the test is done.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    var template = Array("/tmp/enclosure-test-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.flatMap { mkdtemp($0) } }
    guard let made else { throw FileFault(call: "mkdtemp", path: "/tmp", code: errno) }
    path = String(cString: made)
  }

  deinit {
    removeTree(Array(path.utf8CString))
  }

  /// The files below a folder of it, by their paths relative to this one.
  package func files(below folder: String = "") -> [String] {
    let whole = folder.isEmpty ? path : "\(path)/\(folder)"
    var found: [String] = []
    for entry in entries(of: Array(whole.utf8CString)) {
      let name = String(decoding: entry.name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      let inner = folder.isEmpty ? name : "\(folder)/\(name)"
      found += entry.isFolder ? files(below: inner) : [inner]
    }
    return found
  }

  package func content(_ name: String) -> [UInt8]? {
    contentOfFile("\(path)/\(name)")
  }

  /// Creates or replaces a file, and the folders that it lies in.
  package func write(_ content: [UInt8], to name: String) throws {
    try write(content, toBytes: Array(name.utf8))
  }

  /// The same for a name that need not be UTF-8.
  package func write(_ content: [UInt8], toBytes name: [UInt8]) throws {
    let whole = Array(path.utf8) + [UInt8(ascii: "/")] + name
    for slash in whole.indices.dropFirst(path.utf8.count + 1) where whole[slash] == UInt8(ascii: "/") {
      mkdir(cString(whole[..<slash]), 0o777)
    }
    guard let file = fopen(cString(whole[...]), "w") else { throw FileFault(call: "open", path: path, code: errno) }
    defer { fclose(file) }
    guard fwrite(content, 1, content.count, file) == content.count else {
      throw FileFault(call: "write", path: path, code: errno)
    }
  }

  package func makeFolder(_ name: String) throws {
    guard mkdir("\(path)/\(name)", 0o777) == 0 else { throw FileFault(call: "mkdir", path: name, code: errno) }
  }

  /// Removes a folder with all it holds.
  package func removeFolder(_ name: String) throws {
    removeTree(Array("\(path)/\(name)".utf8CString))
    guard access("\(path)/\(name)", F_OK) != 0 else { throw FileFault(call: "rmdir", path: name, code: EEXIST) }
  }

  package func remove(_ name: String) throws {
    guard unlink("\(path)/\(name)") == 0 else { throw FileFault(call: "unlink", path: name, code: errno) }
  }
}

package struct FileFault: Error {
  package var call: String
  package var path: String
  package var code: Int32
}

package func contentOfFile(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var content: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
    content += buffer[..<count]
  }
  return content
}

func cString(_ bytes: ArraySlice<UInt8>) -> [CChar] {
  bytes.map(CChar.init(bitPattern:)) + [0]
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
