import Glibc

/// An empty file that has no name and goes with this object.
package final class ScratchFile: Sendable {
  package let descriptor: Int32

  package init() throws {
    var template = Array("/tmp/enclosure-test-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw FaultyOrigin.Fault.noSocket(errno) }
    unlink(template)
  }

  deinit {
    close(descriptor)
  }

  package var contents: [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(count, 0)))
  }

  /// The file position, which nobody should have moved.
  package var position: Int { lseek(descriptor, 0, SEEK_CUR) }
}
