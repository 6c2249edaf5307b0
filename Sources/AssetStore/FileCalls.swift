import CLinux
import Glibc

/// A system call failed; holds its `errno`.
package struct CallFailure: Error {
  package let code: CInt
}

/// Makes and opens an empty file without a name, readable and writable, close-on-exec: it is gone when it is closed,
/// however that comes about.
/// - Returns: a descriptor, the caller's to close.
package func openUnnamedFile(in folder: [UInt8]) throws(CallFailure) -> CInt {
  let path = folder.map(CChar.init(bitPattern:)) + [0]
  var pattern = (folder + Array("/enclosure-XXXXXX".utf8)).map(CChar.init(bitPattern:)) + [0]
  return try call { enclosure_make_temporary(path, &pattern) }
}

/// Calls until no signal interrupts, and throws what else goes wrong.
@discardableResult
func call<Status: SignedInteger>(_ body: () -> Status) throws(CallFailure) -> Status {
  while true {
    let status = body()
    if status >= 0 { return status }
    let code = errno
    if code != EINTR { throw CallFailure(code: code) }
  }
}

/// Opens `name` relative to `folder` for as long as `body` runs. Close-on-exec, and never through a symbolic link in
/// the last part of the name.
func withOpen<Value>(
  _ name: String, in folder: CInt, _ flags: CInt, _ body: (_ descriptor: CInt) throws(CallFailure) -> Value
) throws(CallFailure) -> Value {
  let descriptor = try call { openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW) }
  defer { close(descriptor) }
  return try body(descriptor)
}

/// Calls `body` with a folder's descriptor.
func withFolder<Value>(
  _ name: String, in folder: CInt, _ body: (_ descriptor: CInt) throws(CallFailure) -> Value
) throws(CallFailure) -> Value {
  try withOpen(name, in: folder, O_RDONLY | O_DIRECTORY, body)
}

/// Creates a folder relative to another, unless it exists, and makes its entry last.
func makeFolder(_ name: String, in folder: CInt) throws(CallFailure) {
  do {
    try call { mkdirat(folder, name, 0o777) }
  } catch {
    guard error.code == EEXIST else { throw error }
    return
  }
  try call { fsync(folder) }
}

/// Nil when nothing of that name is there.
func size(of name: String, in folder: CInt) throws(CallFailure) -> Int? {
  var status = stat()
  do {
    try call { fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) }
  } catch {
    guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
    return nil
  }
  guard status.st_mode & S_IFMT == S_IFREG else { throw CallFailure(code: EEXIST) }
  return Int(status.st_size)
}

func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws(CallFailure) {
  var offset = 0
  while offset < bytes.count {
    let start = offset
    offset += try call {
      bytes[start...].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(start)) }
    }
  }
}

func readAll(_ descriptor: CInt) throws(CallFailure) -> [UInt8] {
  var bytes: [UInt8] = []
  var status = stat()
  try call { fstat(descriptor, &status) }
  bytes.reserveCapacity(Int(status.st_size))
  var buffer = [UInt8](repeating: 0, count: 64 << 10)
  while true {
    let count = try call { pread(descriptor, &buffer, buffer.count, off_t(bytes.count)) }
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}
