import Glibc

/// Something that keeps a descriptor open for as long as it lives.
package protocol DescriptorOwner: AnyObject, Sendable {
  var descriptor: Int32 { get }
}

/// Owns an open file descriptor and closes it at the end.
package final class OpenFile: DescriptorOwner {
  package let descriptor: Int32

  /// Takes the descriptor over; nobody else may close it.
  package init(adopting descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }
}
