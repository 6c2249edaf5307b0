import Glibc

/// How the media plane's processes are run.
package struct HelperConfiguration: Sendable {
  /// Path of `enclosure-media`.
  package var executable: String
  /// How many helpers run at once, at least 1.
  package var count: Int
  /// Seconds after which a helper that has not answered is ended.
  package var glanceDeadline = 15.0
  package var inspectDeadline = 30.0
  package var prepareDeadline = 90.0
  package var verifyDeadline = 60.0
  /// Bytes of resident memory at which a helper is ended.
  package var memoryMark = 1 << 30
  /// Answers after which a helper makes room for a fresh one.
  package var recycleAfter = 1_000
  /// Bytes of resident memory at which an idle helper makes room for a fresh one: what a decoder did not give back.
  package var recycleMark = 400 << 20

  package init(executable: String, count: Int = HelperConfiguration.processors) {
    self.executable = executable
    self.count = max(1, count)
  }

  /// Gives all stages the same time, in seconds.
  package mutating func setDeadlines(to seconds: Double) {
    (glanceDeadline, inspectDeadline, prepareDeadline, verifyDeadline) = (seconds, seconds, seconds, seconds)
  }

  /// The processors that this process may use.
  package static var processors: Int {
    max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }
}
