import Glibc

/// How many files and connections this process may have open.
enum OpenFileLimit {
  /// More is never of use: a download takes a connection and a file, and a result that waits its file.
  private static let enough: rlim_t = 8192

  /// Raises the soft limit, 1024 by default, as far as it goes and is of use. Helpers inherit it.
  /// - Returns: the limit that counts from now on.
  static func raised() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    let wanted = max(limit.rlim_cur, min(limit.rlim_max, enough))
    if wanted > limit.rlim_cur {
      let previous = limit.rlim_cur
      limit.rlim_cur = wanted
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = previous }
    }
    return Int(clamping: limit.rlim_cur)
  }
}
