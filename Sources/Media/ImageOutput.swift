import Glibc
import RichPush

/// Writes a whole file from its beginning.
/// - Throws: `store_failed`, which is transient: the disk is full or broken, and another try may find room.
func write(_ bytes: UnsafeRawBufferPointer, into descriptor: Int32) throws(Rejection.Reason) {
  let status = writeAll(bytes, into: descriptor, at: 0)
  guard status == 0 else {
    throw Rejection.Reason(
      .storeFailed, at: .prepare, "the prepared file cannot be written: \(String(cString: strerror(status)))")
  }
  guard ftruncate(descriptor, off_t(bytes.count)) == 0 else {
    throw Rejection.Reason(
      .storeFailed, at: .prepare, "the prepared file cannot be cut to its size: \(String(cString: strerror(errno)))")
  }
}

func write(_ bytes: [UInt8], into descriptor: Int32) throws(Rejection.Reason) {
  let failure: Rejection.Reason? = bytes.withUnsafeBytes { bytes in
    do throws(Rejection.Reason) {
      try write(bytes, into: descriptor)
      return nil
    } catch {
      return error
    }
  }
  if let failure { throw failure }
}
