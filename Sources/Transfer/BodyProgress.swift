import Synchronization

/// What both sides may know of a body while a request runs: how much is there, and who waits for more.
final class BodyProgress: Sendable {
  /// How much has to be there of a stream before somebody looks at it.
  struct Mark: Sendable {
    /// So many bytes from the first one.
    var contiguous: Int
    /// Or these.
    var range: Range<Int>?
  }

  private struct State {
    var available = ByteRanges()
    var body: PartialBody?
    var isStream = false
    var isExaminable = false
    var isOver = false
    var waiter: (mark: Mark, continuation: CheckedContinuation<Bool, Never>)?

    /// The one that waits, when its time has come.
    mutating func due() -> CheckedContinuation<Bool, Never>? {
      guard let (mark, continuation) = waiter, isOver || isReached(mark) else { return nil }
      waiter = nil
      return continuation
    }

    func isReached(_ mark: Mark) -> Bool {
      isStream && isExaminable
        && (available.contiguous >= mark.contiguous || mark.range.map(available.contains) ?? false)
    }
  }

  private let state = Mutex(State())

  var available: [Range<Int>] { state.withLock { $0.available.ranges } }
  var isStream: Bool { state.withLock { $0.isStream } }
  /// The body as it is now; nil before its head is known.
  var body: PartialBody? {
    state.withLock { state in
      guard var body = state.body else { return nil }
      body.available = state.available.ranges
      return body
    }
  }

  func reset() {
    state.withLock { state in
      state.available = ByteRanges()
      state.body = nil
      state.isExaminable = false
    }
  }

  func beginRequest() {
    state.withLock { ($0.isStream, $0.isOver) = (false, false) }
  }

  func beginStream() {
    change { $0.isStream = true }
  }

  func headIsKnown(isExaminable: Bool, body: PartialBody) {
    change { ($0.isExaminable, $0.body) = (isExaminable, body) }
  }

  func update(_ available: ByteRanges) {
    change { $0.available = available }
  }

  func endRequest() {
    change { $0.isOver = true }
  }

  /// Waits until so much of a stream is there that it can be looked at.
  ///
  /// - Returns: false when the request has ended before.
  func reaches(_ mark: Mark) async -> Bool {
    await withCheckedContinuation { continuation in
      change { $0.waiter = (mark, continuation) }
    } && state.withLock { !$0.isOver }
  }

  private func change(_ body: (inout State) -> Void) {
    let due = state.withLock { state in
      body(&state)
      return state.due()
    }
    due?.resume(returning: true)
  }
}
