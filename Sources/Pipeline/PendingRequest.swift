import Blocking
import MediaChannel
import Preparation
import Synchronization

/// A request to a helper, and the task that waits for its answer.
///
/// The task gets one result, whichever comes first: the answer, its own cancellation, or the end of the pool.
final class PendingRequest: Sendable {
  typealias Answer = Result<HelperReply.Outcome, any Error>

  let request: HelperRequest
  let files: [any DescriptorOwner]
  private let state = Mutex(State.new)

  private enum State {
    case new
    case waiting(CheckedContinuation<Answer, Never>)
    case over
  }

  init(_ request: HelperRequest, files: [any DescriptorOwner]) {
    self.request = request
    self.files = files
  }

  /// Whether nobody waits for the answer any more.
  var isOver: Bool {
    state.withLock { if case .over = $0 { true } else { false } }
  }

  /// Has the task wait.
  /// - Returns: false when it was cancelled before; it goes on at once then.
  func wait(with continuation: CheckedContinuation<Answer, Never>) -> Bool {
    let isNew = state.withLock { state in
      guard case .new = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !isNew { continuation.resume(returning: .failure(CancellationError())) }
    return isNew
  }

  /// Lets the task go on. Only the first answer counts.
  func finish(_ answer: Answer) {
    let previous = state.withLock { state in
      defer { state = .over }
      return state
    }
    if case .waiting(let continuation) = previous { continuation.resume(returning: answer) }
  }

  func cancel() {
    finish(.failure(CancellationError()))
  }
}

/// The requests that wait for a helper. What goes on with a source comes before what begins with one: so results come
/// early, and few files are open and half done at a time. Before everything come glances: they take milliseconds, and a
/// transfer waits for each.
struct RequestQueue {
  private var urgent = Queue<PendingRequest>()
  private var continuing = Queue<PendingRequest>()
  private var long = Queue<PendingRequest>()
  private var beginning = Queue<PendingRequest>()

  var count: Int { urgent.count + continuing.count + long.count + beginning.count }

  mutating func append(_ pending: PendingRequest) {
    switch pending.request {
    case .glance: urgent.append(pending)
    case .prepare where isLong(pending.request): long.append(pending)
    case .prepare, .poster, .verify: continuing.append(pending)
    case .inspect, .describe: beginning.append(pending)
    }
  }

  /// - Parameter longToo: whether it may be one that takes its helper for long.
  mutating func popFirst(longToo: Bool = true) -> PendingRequest? {
    urgent.popFirst() ?? continuing.popFirst() ?? (longToo ? long.popFirst() : nil) ?? beginning.popFirst()
  }
}

/// Whether a request may take its helper for minutes.
func isLong(_ request: HelperRequest) -> Bool {
  guard case .prepare(let request) = request else { return false }
  return request.recipe.encodesPictures
}
