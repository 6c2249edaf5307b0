import CLinux
import Glibc

/// What a helper process and the one that starts it agree on.
package enum HelperProcess {
  /// Where a helper finds its end of the socket.
  package static let socketDescriptor: Int32 = 3

  /// The arguments of a helper, behind its name.
  /// - Parameter memoryMark: bytes of memory at which the control plane ends it.
  package static func arguments(memoryMark: Int) -> [String] {
    ["--serve", "\(memoryMark)"]
  }

  /// Makes this process a helper: it dies with its parent, leaves no core file and can not take much more memory than
  /// its mark, however fast it asks for it.
  /// - Returns: the helper's end of the socket, or nil when this process was not started as a helper.
  package static func socket() -> MessageSocket? {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, arguments[1] == "--serve", let mark = UInt(arguments[2]) else { return nil }
    var status = stat()
    guard fstat(socketDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    _ = enclosure_die_with_parent()
    limit(Int32(RLIMIT_CORE.rawValue), to: 0)
    // The parent looks at what is resident a few times a second and ends the helper at its mark. This stops what is
    // faster than that; it counts reserved memory as well, hence the room.
    limit(Int32(RLIMIT_DATA.rawValue), to: 2 * mark + (512 << 20))
    // A file that grows beyond a limit shows in what write returns.
    signal(SIGXFSZ, SIG_IGN)
    return MessageSocket(adopting: socketDescriptor)
  }

  private static func limit(_ resource: Int32, to value: UInt) {
    var limits = rlimit(rlim_cur: value, rlim_max: value)
    setrlimit(__rlimit_resource_t(UInt32(resource)), &limits)
  }
}
