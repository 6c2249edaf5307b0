import Synchronization

/// Bounds the bytes that all downloads hold in their files, those of results that are still in use included.
///
/// A download takes bytes as they arrive, so that a thousand slow ones hold little. When there is no room, it gives up
/// what it has, waits, and starts over. The oldest one that runs is never refused: so somebody always gets on, and
/// with time everybody becomes the oldest. The bound may be passed by that one body.
final class BytesInFlight: Sendable {
  private struct State {
    var held = 0
    var nextNumber = 0
    /// The numbers of those that run or wait, by which the oldest is known.
    var unfinished: Set<Int> = []
    /// Those that gave up and wait, the oldest first.
    var waiting: [Waiter] = []
  }

  private struct Waiter {
    let number: Int
    let bytes: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) {
    self.capacity = max(capacity, 1)
  }

  /// What one download holds. It is given back when this object goes.
  final class Hold: Sendable {
    fileprivate let number: Int
    private let pool: BytesInFlight
    private let bytes = Mutex(0)

    fileprivate init(number: Int, in pool: BytesInFlight) {
      self.number = number
      self.pool = pool
    }

    deinit {
      pool.finish(number, giving: bytes.withLock { $0 })
    }

    /// - Returns: false when there is no room for so many more bytes.
    func take(_ count: Int) -> Bool {
      guard pool.take(count, number) else { return false }
      bytes.withLock { $0 += count }
      return true
    }

    /// Gives everything back; the download starts over.
    func empty() {
      let count = bytes.withLock { bytes in
        defer { bytes = 0 }
        return bytes
      }
      if count > 0 { pool.give(count) }
    }

    /// The body is there; the bytes stay taken as long as this object lives.
    func finish() {
      pool.finish(number, giving: 0)
    }

    /// Waits until there is room for so many bytes, or nobody older runs.
    func waitForRoom(_ count: Int) async {
      await pool.wait(for: count, number)
    }
  }

  func hold() -> Hold {
    let number = state.withLock { state in
      state.nextNumber += 1
      state.unfinished.insert(state.nextNumber)
      return state.nextNumber
    }
    return Hold(number: number, in: self)
  }

  var held: Int { state.withLock { $0.held } }

  private func take(_ count: Int, _ number: Int) -> Bool {
    state.withLock { state in
      guard state.held + count <= capacity || number == state.unfinished.min() else { return false }
      state.held += count
      return true
    }
  }

  private func give(_ count: Int) {
    state.withLock { $0.held -= count }
    admit()
  }

  private func finish(_ number: Int, giving count: Int) {
    let isNews = state.withLock { state in
      state.held -= count
      return state.unfinished.remove(number) != nil || count > 0
    }
    if isNews { admit() }
  }

  private func wait(for count: Int, _ number: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          let place = state.waiting.firstIndex { $0.number > number } ?? state.waiting.endIndex
          state.waiting.insert(Waiter(number: number, bytes: count, continuation: continuation), at: place)
        }
        admit()
        if Task.isCancelled { release(number) }
      }
    } onCancel: {
      release(number)
    }
  }

  private func release(_ number: Int) {
    let waiter = state.withLock { state in
      state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
    }
    waiter?.continuation.resume()
  }

  /// Lets those go on that have room now, in the order of their age. Room that is promised is not kept: who finds none
  /// waits again.
  private func admit() {
    let admitted = state.withLock { state in
      guard !state.waiting.isEmpty else { return [Waiter]() }
      let oldest = state.unfinished.min()
      var room = capacity - state.held
      let count =
        state.waiting.firstIndex { waiter in
          if waiter.bytes <= room || waiter.number == oldest {
            room -= waiter.bytes
            return false
          }
          return true
        } ?? state.waiting.count
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting.prefix(count))
    }
    for waiter in admitted { waiter.continuation.resume() }
  }
}
