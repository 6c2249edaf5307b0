import CLinux
import Glibc

/// How the media plane's processes are run.
package struct HelperConfiguration: Sendable {
  /// Path of `enclosure-media`.
  package var executable: String
  /// How many helpers run at once, at least 1.
  package var count: Int
  /// Whether there is one more helper, for what is quick: it works only while another one encodes pictures, so that
  /// videos, however many, never hold up the images behind them.
  package var hasExpressHelper = false
  /// Seconds after which a helper that has not answered is ended.
  package var glanceDeadline = 15.0
  package var inspectDeadline = 30.0
  package var prepareDeadline = 90.0
  /// 30 s of the largest pictures, decoded and encoded by one thread of a slow machine.
  package var encodeDeadline = 600.0
  package var verifyDeadline = 60.0
  /// Bytes of resident memory at which a helper is ended.
  package var memoryMark = 1 << 30
  /// Answers after which a helper makes room for a fresh one.
  package var recycleAfter = 1_000
  /// Bytes of resident memory at which an idle helper makes room for a fresh one: what a decoder did not give back.
  package var recycleMark = 400 << 20
  /// Seconds between two looks at a helper that has nothing to do: whether it is still there.
  package var idleLook = 10.0

  package init(executable: String, count: Int = HelperConfiguration.processors) {
    self.executable = executable
    self.count = max(1, count)
  }

  /// All helpers.
  package var processes: Int { count + (hasExpressHelper ? 1 : 0) }

  /// Gives all stages the same time, in seconds.
  package mutating func setDeadlines(to seconds: Double) {
    (glanceDeadline, inspectDeadline) = (seconds, seconds)
    (prepareDeadline, encodeDeadline, verifyDeadline) = (seconds, seconds, seconds)
  }

  /// The processors that this process may use: those it may run on, and no more than its container has time for.
  package static var processors: Int {
    let allowed = Int(enclosure_processors())
    let present = allowed > 0 ? allowed : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let quota = contents(ofSmallFile: "/sys/fs/cgroup/cpu.max").flatMap(processors(quota:))
    return min(present, quota ?? present)
  }

  /// Reads a control group's `cpu.max`: microseconds of processor time, or `max`, in each period of so many.
  static func processors(quota: String) -> Int? {
    let numbers = quota.split(whereSeparator: \.isWhitespace).map { Double($0) }
    guard numbers.count == 2, let time = numbers[0], let period = numbers[1], time > 0, period > 0 else { return nil }
    return max(1, Int((time / period).rounded(.up)))
  }
}
