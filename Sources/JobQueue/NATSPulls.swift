import Synchronization

/// Asks a consumer for jobs, and gives what comes to those who wait.
///
/// The server doesn't say for which request it hands a job out, so jobs go to whoever has waited longest. One that
/// comes when nobody waits any more is kept for the next one who does.
final class NATSPulls: Sendable {
  private struct Waiter {
    var number: UInt64
    var count: Int
    var found: [NATSDelivery] = []
    var continuation: CheckedContinuation<Result<[NATSDelivery], NATSProblem>, Never>
  }

  private struct State {
    var waiters: [Waiter] = []
    var spare: [NATSDelivery] = []
    var lastNumber: UInt64 = 0
  }

  /// The longest a request stays with the server, in seconds. What it brings after its task was cancelled has to wait
  /// for the next one that asks.
  static let longestWait = 2.0
  private let state = Mutex(State())

  /// Asks for up to `count` jobs, and waits until there are some.
  /// - Parameters:
  ///   - seconds: how long the server is to wait for the first one, at most `longestWait`.
  ///   - ask: sends the request with this number, and this document.
  /// - Returns: nothing when there was none.
  /// - Throws: `timeout` as well, when the server did not even say that there was none.
  func take(
    _ count: Int, seconds: Double, ask: (UInt64, [UInt8]) throws(NATSProblem) -> Void
  ) async throws(NATSProblem) -> [NATSDelivery] {
    let spare = state.withLock { state in
      let taken = Array(state.spare.prefix(count))
      state.spare.removeFirst(taken.count)
      return taken
    }
    guard spare.isEmpty else { return spare }
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    // "no_wait" with a time makes the server wait for the first job only; without one it answers at once.
    let wait = Int64(max(0, min(seconds, Self.longestWait)) * 1e9)
    let request = Array(#"{"batch":\#(count),"no_wait":true\#(wait > 0 ? #","expires":\#(wait)"# : "")}"#.utf8)
    // A request may get lost on the way, when the consumer's leader changes. Where too few servers are left for a
    // leader, none is answered.
    let overdue = Task { [weak self] in
      try await Task.sleep(for: .nanoseconds(wait) + .seconds(2))
      self?.end(number, .failure(.timeout))
    }
    defer { overdue.cancel() }
    let result: Result<[NATSDelivery], NATSProblem> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.waiters.append(Waiter(number: number, count: count, continuation: continuation)) }
        do throws(NATSProblem) {
          try ask(number, request)
        } catch {
          end(number, .failure(error))
        }
        if Task.isCancelled { end(number, .success(())) }
      }
    } onCancel: {
      end(number, .success(()))
    }
    return try result.get()
  }

  /// Takes what came in. Called on a thread of the library.
  /// - Returns: a job that nobody waits for.
  func receive(_ message: NATSMessage) -> NATSDelivery? {
    if let delivery = NATSDelivery(message) { return hand(out: delivery) }
    guard let number = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }) else { return nil }
    switch message.status {
    case 100: break
    case 503: end(number, .failure(.noResponders))
    // Too many ask already, or the consumer is changing its place.
    case 409: end(number, .failure(.refused(code: JetStreamCode.unavailable, message.headers["Description"] ?? "")))
    default: end(number, .success(()))
    }
    return nil
  }

  private func hand(out delivery: NATSDelivery) -> NATSDelivery? {
    let (full, isSpare) = state.withLock { state -> (Waiter?, Bool) in
      guard !state.waiters.isEmpty else {
        state.spare.append(delivery)
        return (nil, true)
      }
      state.waiters[0].found.append(delivery)
      guard state.waiters[0].found.count >= state.waiters[0].count else { return (nil, false) }
      return (state.waiters.removeFirst(), false)
    }
    full?.continuation.resume(returning: .success(full?.found ?? []))
    return isSpare ? delivery : nil
  }

  /// Takes a job back that nobody has come for, as it is now; nil when it is not there any more.
  func withdraw(_ delivery: NATSDelivery) -> NATSDelivery? {
    state.withLock { state in
      state.spare.firstIndex { $0.reply == delivery.reply }.map { state.spare.remove(at: $0) }
    }
  }

  private func end(_ number: UInt64, _ outcome: Result<Void, NATSProblem>) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
    }
    guard let waiter else { return }
    // What has come is given, whatever happened then.
    waiter.continuation.resume(returning: waiter.found.isEmpty ? outcome.map { [] } : .success(waiter.found))
  }

  /// Ends all that wait: no answer will come. What nobody has come for yet stays, and is looked at again when the
  /// connection is back.
  func lose(_ problem: NATSProblem) {
    let waiters = state.withLock { state in
      for index in state.spare.indices { state.spare[index].isKept = true }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters {
      waiter.continuation.resume(returning: waiter.found.isEmpty ? .failure(problem) : .success(waiter.found))
    }
  }
}
