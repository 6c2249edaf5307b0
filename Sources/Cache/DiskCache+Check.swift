import Blocking
import Glibc

/// A cache cannot be used.
package struct CacheUnusable: Error {
  /// A sentence without a full stop.
  package let message: String

  init(path: [UInt8], _ failure: CacheFailure) {
    message = "the cache in \(String(decoding: path, as: UTF8.self)) cannot be used: \(failure.message)"
  }
}

extension DiskCache {
  /// Makes sure that a cache could be used, by making one, which is removed again with the folders that were made for
  /// it. One that is there is left alone: what is wrong with its index, whoever uses it next puts right.
  package static func requireUsable(path: [UInt8]) async throws(CacheUnusable) {
    try await blocking { () throws(CacheUnusable) in
      do {
        let index = cString(path + Array("/index.sqlite".utf8))
        var status = stat()
        if stat(index, &status) == 0 {
          guard status.st_mode & S_IFMT == S_IFREG else { throw CallFailure(code: EISDIR) }
          try call { access(index, R_OK | W_OK) }
        }
        try OpenCache.tryMaking(in: path)
      } catch {
        throw CacheUnusable(path: path, CacheFailure(error))
      }
    }
  }
}

extension OpenCache {
  /// Makes a cache in a folder of its own below `path`, and removes it.
  fileprivate static func tryMaking(in path: [UInt8]) throws {
    let above = path.indices.dropFirst().filter { path[$0] == UInt8(ascii: "/") }.map { Array(path[..<$0]) } + [path]
    let missing = above.filter { access(cString($0), F_OK) != 0 }
    defer { for folder in missing.reversed() { rmdir(cString(folder)) } }
    close(try openCreating(path))
    let trial = path + Array("/check-\(getpid())".utf8)
    try call { mkdir(cString(trial), 0o700) }
    defer { removeCache(trial) }
    _ = try OpenCache(path: trial)
  }
}

/// Removes a folder with files and empty folders in it, as a new cache is.
private func removeCache(_ path: [UInt8]) {
  for name in names(in: AT_FDCWD, cString(path)) { remove(cString(path + Array("/\(name)".utf8))) }
  rmdir(cString(path))
}

private func cString(_ path: [UInt8]) -> [CChar] { path.map(CChar.init(bitPattern:)) + [0] }
