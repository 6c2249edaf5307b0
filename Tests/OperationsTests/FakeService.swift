import Operations
import Synchronization

/// A service that says what a test wants it to say.
final class FakeService: OperationsDelegate {
  struct State {
    var health: [Check] = [Check("helpers")]
    var readiness: [Check] = [Check("queue"), Check("store")]
    var submission: Submission?
    var report = JobReport.unknown
    /// Seconds before any answer.
    var delay = 0.0
    /// Nothing is answered before the test says so.
    var isStuck = false

    var bodies: [[UInt8]] = []
    var ids: [String] = []
    var refreshes = 0
    var readinessCalls = 0
  }

  private let state: Mutex<State>

  init(_ change: (inout State) -> Void = { _ in }) {
    var state = State()
    change(&state)
    self.state = Mutex(state)
  }

  func change(_ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
  }

  var seen: State { state.withLock { $0 } }

  private func pause() async {
    let delay = seen.delay
    if delay > 0 { try? await Task.sleep(for: .seconds(delay)) }
    while seen.isStuck { try? await Task.sleep(for: .milliseconds(5)) }
  }

  func health() async -> [Check] {
    await pause()
    return seen.health
  }

  func readiness() async -> [Check] {
    change { $0.readinessCalls += 1 }
    await pause()
    return seen.readiness
  }

  func submit(_ body: [UInt8]) async -> Submission {
    change { $0.bodies.append(body) }
    await pause()
    // By default the body is the id: so each answer shows which request it belongs to.
    return seen.submission ?? .added(id: String(decoding: body, as: UTF8.self))
  }

  func job(_ id: String) async -> JobReport {
    change { $0.ids.append(id) }
    await pause()
    return seen.report
  }

  func refreshMetrics() async {
    change { $0.refreshes += 1 }
    await pause()
  }
}
