import Glibc

/// A file that has no name and goes with this object.
package final class ScratchFile: Sendable {
  package let descriptor: Int32

  /// - Parameter contents: what it holds at first.
  package init(_ contents: [UInt8] = []) throws {
    var template = Array("/tmp/enclosure-test-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw FaultyOrigin.Fault.noSocket(errno) }
    unlink(template)
    guard pwrite(descriptor, contents, contents.count, 0) == contents.count else {
      throw FaultyOrigin.Fault.noSocket(errno)
    }
  }

  deinit {
    close(descriptor)
  }

  package var contents: [UInt8] { contentOfDescriptor(descriptor) }

  /// The file position, which nobody should have moved.
  package var position: Int { lseek(descriptor, 0, SEEK_CUR) }
}

/// What an open file holds.
package func contentOfDescriptor(_ descriptor: Int32) -> [UInt8] {
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { return [] }
  var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
  let count = pread(descriptor, &bytes, bytes.count, 0)
  return Array(bytes.prefix(max(count, 0)))
}
