import Blocking
import RichPush
import Synchronization

/// Sees to it that jobs of one origin leave room for others, however slow it is and however many they are.
///
/// An origin has at most three quarters of the places that others leave, and the last place is for one that has none; so
/// there is room for one more, whichever and however many are slow. Further jobs wait in line here, up to a length; what comes on top is set aside in
/// the queue for about as long as the line takes (`Origin.pause`), so that jobs behind it are reached.
final class OriginGate: Sendable {
  enum Admission: Equatable {
    case enter
    /// The line is full: worth trying again in so many seconds.
    case setAside(Double)
  }

  private struct Origin {
    var active = 0
    /// Those who wait, in order; some of them may have given up.
    var line = Queue<Int>()
    var waiting = 0
    /// Seconds between two that leave, averaged.
    var interval = 0.0
    /// When the first one came.
    let since = ContinuousClock.now
    /// When the last one left, or the first one came.
    var lastLeft = ContinuousClock.now

    /// How long a place in the line takes to move up, in seconds: the average, or what it would be if somebody left now.
    /// A single long wait says little: it may have been this process that stood still.
    func pace(at now: ContinuousClock.Instant) -> Double {
      max(interval, interval(leavingAt: now))
    }

    func interval(leavingAt now: ContinuousClock.Instant) -> Double {
      interval + ((now - lastLeft) / .seconds(1) - interval) / 8
    }

    /// For how many seconds to set aside what finds the line full: about as long as the line takes, but no longer than
    /// the origin has been known. Before the first ones have left, there is little to judge by.
    func pause(at now: ContinuousClock.Instant) -> Double {
      let line = Double(waiting + 1) * pace(at: now)
      return min(max(min(line, (now - since) / .seconds(1)), 0.2), 300)
    }
  }

  private struct State {
    var origins: [String: Origin] = [:]
    /// By the numbers in the lines.
    var continuations: [Int: CheckedContinuation<Admission?, Never>] = [:]
    var visitors = 0
    var isClosed = false
    /// Places that are taken.
    var active = 0

    /// Remembers an origin as long as somebody is at it or waits for it: over the months there are very many.
    mutating func keep(_ entry: Origin, as origin: String) {
      origins[origin] = entry.active > 0 || entry.waiting > 0 ? entry : nil
    }
  }

  private let state = Mutex(State())
  private let places: Int
  private let maximumLine: Int

  /// - Parameters:
  ///   - places: how many jobs of all origins may be in work.
  ///   - maximumLine: how many may wait in all lines together.
  init(places: Int, maximumLine: Int) {
    self.places = places
    self.maximumLine = maximumLine
  }

  /// How many origins are remembered.
  var origins: Int { state.withLock(\.origins.count) }

  /// How many wait in all lines.
  var waiting: Int { state.withLock(\.continuations.count) }

  /// Waits for a place at an origin. Whoever enters must leave.
  /// - Throws: `CancellationError` when the task was cancelled or the gate closed; then there is nothing to leave.
  func enter(_ origin: String) async throws -> Admission {
    let visitor = state.withLock { state in
      state.visitors += 1
      return state.visitors
    }
    let admission = await withTaskCancellationHandler {
      await withCheckedContinuation { join(origin, visitor, $0) }
    } onCancel: {
      giveUp(visitor, origin)
    }
    guard let admission else { throw CancellationError() }
    return admission
  }

  /// Sends those in line away, and everybody who comes.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.continuations = [:] }
      return state.continuations.values
    }
    for continuation in waiting { continuation.resume(returning: nil) }
  }

  func leave(_ origin: String, at now: ContinuousClock.Instant = .now) {
    let admitted = state.withLock { state -> [CheckedContinuation<Admission?, Never>] in
      guard var entry = state.origins[origin] else { return [] }
      entry.interval = entry.interval(leavingAt: now)
      entry.lastLeft = now
      entry.active -= 1
      state.active -= 1
      state.keep(entry, as: origin)
      // First those that have no place at all, then the line of its own, then all others.
      let others = state.origins.filter { $0.key != origin && $0.value.waiting > 0 }
      var admitted: [CheckedContinuation<Admission?, Never>] = []
      for (other, entry) in others where entry.active == 0 { admitted += admit(from: other, in: &state) }
      if admitted.isEmpty { admitted = admit(from: origin, in: &state) }
      guard admitted.isEmpty else { return admitted }
      for other in others.keys { admitted += admit(from: other, in: &state) }
      return admitted
    }
    for continuation in admitted { continuation.resume(returning: .enter) }
  }

  private func hasRoom(for origin: Origin, in state: State) -> Bool {
    origin.active == 0 ? state.active < places : origin.active + 1 <= 3 * (places - state.active - 1)
  }

  /// Takes from an origin's line whoever has a place now.
  private func admit(from origin: String, in state: inout State) -> [CheckedContinuation<Admission?, Never>] {
    guard var entry = state.origins[origin] else { return [] }
    defer { state.keep(entry, as: origin) }
    var admitted: [CheckedContinuation<Admission?, Never>] = []
    while hasRoom(for: entry, in: state), let visitor = entry.line.popFirst() {
      guard let continuation = state.continuations.removeValue(forKey: visitor) else { continue }
      entry.waiting -= 1
      entry.active += 1
      state.active += 1
      admitted.append(continuation)
    }
    return admitted
  }

  private func join(_ origin: String, _ visitor: Int, _ continuation: CheckedContinuation<Admission?, Never>) {
    enum Outcome {
      case goesOn(Admission?)
      case waits
    }
    let outcome = state.withLock { state -> Outcome in
      // A cancellation that came before this found nobody to remove.
      guard !Task.isCancelled, !state.isClosed else { return .goesOn(nil) }
      var entry = state.origins[origin] ?? Origin()
      defer { state.keep(entry, as: origin) }
      if hasRoom(for: entry, in: state) {
        entry.active += 1
        state.active += 1
        return .goesOn(.enter)
      }
      guard state.continuations.count < maximumLine else {
        return .goesOn(.setAside(entry.pause(at: .now)))
      }
      entry.line.append(visitor)
      entry.waiting += 1
      state.continuations[visitor] = continuation
      return .waits
    }
    if case .goesOn(let admission) = outcome { continuation.resume(returning: admission) }
  }

  private func giveUp(_ visitor: Int, _ origin: String) {
    let continuation = state.withLock { state in
      let continuation = state.continuations.removeValue(forKey: visitor)
      if continuation != nil, var entry = state.origins[origin] {
        entry.waiting -= 1
        state.keep(entry, as: origin)
      }
      return continuation
    }
    continuation?.resume(returning: nil)
  }
}
