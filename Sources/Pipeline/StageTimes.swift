import RichPush
import Synchronization

/// How long the stages took that were gone through for one job, all its sources together.
///
/// Jobs that share a download or a preparation have its time at the one that began it.
package final class StageTimes: Sendable {
  /// That of the job which the current task works on.
  @TaskLocal package static var current: StageTimes?

  private let times = Mutex<[Rejection.Stage: Double]>([:])

  package init() {}

  func add(_ seconds: Double, to stage: Rejection.Stage) {
    times.withLock { $0[stage, default: 0] += seconds }
  }

  /// By the stage's name, in whole milliseconds.
  package var milliseconds: [String: Int] {
    times.withLock { times in
      Dictionary(uniqueKeysWithValues: times.map { ($0.rawValue, Int(($1 * 1000).rounded())) })
    }
  }
}
