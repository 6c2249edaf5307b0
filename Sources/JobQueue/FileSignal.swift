import Glibc

/// A signal between all processes of a machine that use the same file: whoever touches the file wakes who waits.
///
/// Watching what is written would not do. SQLite writes a transaction first, waits for the disk, and shows it to others
/// last, through shared memory; who looks when something is written looks too early.
///
/// Owns its descriptor, which becomes readable when the signal was given.
final class FileSignal {
  let descriptor: Int32

  /// nil where the system allows no more of these (fs.inotify.max_user_instances).
  init?(on path: [CChar]) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    // From here on deinit closes it, also where there is no signal.
    guard descriptor >= 0 else { return nil }
    // Its times change when it is touched; also, it may be removed.
    guard inotify_add_watch(descriptor, path, UInt32(IN_ATTRIB)) >= 0 else { return nil }
  }

  deinit {
    close(descriptor)
  }

  /// Takes what has been signalled so far.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }

  static func give(on path: [CChar]) {
    utimensat(AT_FDCWD, path, nil, 0)
  }
}
