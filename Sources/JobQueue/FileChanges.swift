import Glibc

/// Tells that a file was written to, by whichever process of this machine.
///
/// Owns its descriptor, which becomes readable when that happens.
final class FileChanges {
  let descriptor: Int32

  /// nil where the system allows no more of these (fs.inotify.max_user_instances).
  init?(of path: [CChar]) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    guard inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
      close(descriptor)
      return nil
    }
  }

  deinit {
    close(descriptor)
  }

  /// Takes what has been told so far.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }
}
