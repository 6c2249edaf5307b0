import Glibc

/// Owns an open file descriptor and closes it at the end.
package final class OpenFile: Sendable {
  package let descriptor: Int32

  /// Takes the descriptor over; nobody else may close it.
  package init(adopting descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }
}
