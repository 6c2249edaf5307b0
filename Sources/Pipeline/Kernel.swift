import CLinux
import Glibc

/// What the kernel offers for shutting helpers in.
package enum Kernel {
  package static var hasSeccomp: Bool {
    access("/proc/sys/kernel/seccomp/actions_avail", R_OK) == 0
  }

  /// 0 when it has no Landlock.
  package static var landlockVersion: Int {
    Int(enclosure_landlock_version())
  }
}
