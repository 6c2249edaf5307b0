import Synchronization

/// Does a piece of work once for all who want its result at the same moment.
///
/// The first to ask for a key starts the work; whoever asks while it runs waits for the same result, or the same error.
/// Nothing is kept afterwards: who comes later starts anew. The work runs in a task of its own, so it does not matter
/// who of them gives up; it is cancelled when the last of them has.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let flights = Mutex<[Key: Flight]>([:])

  /// Work that runs, and who waits for it. Only touched with the lock of `flights` held.
  private final class Flight: @unchecked Sendable {
    var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
    var task: Task<Void, Never>?
  }

  /// Numbers those who wait.
  private let visitors = Atomic(0)

  package init() {}

  /// The result of `work`, or of that which already runs for `key`.
  ///
  /// - Throws: what the work throws, and `CancellationError` when this task is cancelled.
  package func value(
    for key: Key, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let visitor = visitors.add(1, ordering: .relaxed).newValue
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        join(visitor, key, continuation, work)
      }
    } onCancel: {
      leave(visitor, key)
    }
  }

  /// How many wait for `key`.
  package func waiting(for key: Key) -> Int {
    flights.withLock { $0[key]?.waiting.count ?? 0 }
  }

  private func join(
    _ visitor: Int, _ key: Key, _ continuation: CheckedContinuation<Value, any Error>,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    let hasJoined = flights.withLock { flights in
      // A cancellation that came before this found nobody to remove.
      guard !Task.isCancelled else { return false }
      if let flight = flights[key] {
        flight.waiting[visitor] = continuation
        return true
      }
      let flight = Flight()
      flight.waiting[visitor] = continuation
      flight.task = Task { [self] in
        let result: Result<Value, any Error>
        do {
          result = .success(try await work())
        } catch {
          result = .failure(error)
        }
        land(flight, key, result)
      }
      flights[key] = flight
      return true
    }
    if !hasJoined { continuation.resume(throwing: CancellationError()) }
  }

  private func land(_ flight: Flight, _ key: Key, _ result: Result<Value, any Error>) {
    let waiting = flights.withLock { flights in
      // One that everybody has left may have made room for another.
      if flights[key] === flight { flights[key] = nil }
      defer { flight.waiting = [:] }
      return Array(flight.waiting.values)
    }
    for continuation in waiting { continuation.resume(with: result) }
  }

  private func leave(_ visitor: Int, _ key: Key) {
    typealias Left = (continuation: CheckedContinuation<Value, any Error>?, work: Task<Void, Never>?)
    let left = flights.withLock { flights -> Left in
      guard let flight = flights[key], let continuation = flight.waiting.removeValue(forKey: visitor) else {
        return (nil, nil)
      }
      guard flight.waiting.isEmpty else { return (continuation, nil) }
      flights[key] = nil
      return (continuation, flight.task)
    }
    left.work?.cancel()
    left.continuation?.resume(throwing: CancellationError())
  }
}
