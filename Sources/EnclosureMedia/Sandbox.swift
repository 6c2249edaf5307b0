import CLinux

/// Gives up what decoding does not need, before the first byte of a stranger's file is read.
///
/// Every file arrives as an open descriptor, so nothing after this needs a path or the network: the place for a
/// seccomp filter and Landlock.
func enterSandbox() {
  enclosure_forbid_new_privileges()
}
