import Blocking
import Glibc
import SQLite
import Synchronization
import Transfer

/// Keeps responses, and what was found out about sources, in a folder that several processes may share.
///
/// ```
/// bodies/<two hex digits>/<sha256>   what servers sent
/// incoming/                          bodies that are being written
/// index.sqlite                       what is known about them (CacheIndex)
/// lock, opening, damaged             for processes to agree on who may rebuild the index
/// ```
/// It is a help and never a hindrance: nothing here throws. What is missing, damaged or cannot be written is as good as
/// not kept, and after a fault that lasts the cache does without for a while, with a warning.
///
/// A process may be killed at any moment. A body gets its name within the transaction that enters it, so a name in the
/// index has its file, or is a miss; a file without an entry is found by the sweep and removed.
package final class DiskCache: Sendable {
  /// What a cache may hold unless somebody says otherwise.
  package static let defaultMaximumBytes = 10_000_000_000

  let name: String
  let maximumBytes: Int
  let now: @Sendable () -> Double
  private let warn: @Sendable (String) -> Void
  private let state: Mutex<State>
  /// Which bodies this process has hashed, and as which files: once is enough as long as the file is the same.
  let verified = Mutex<[String: FileIdentity]>([:])

  struct State: ~Copyable {
    /// Nil when the cache cannot be used.
    var open: OpenCache?
    /// Nothing is stored before this time, in seconds since 1970.
    var pausedUntil = 0.0
  }

  /// Opens a cache, creating its folder where there is none.
  ///
  /// - Parameters:
  ///   - path: the folder's name as the system has it.
  ///   - maximumBytes: what everything in it may take together.
  ///   - now: seconds since 1970.
  ///   - warn: gets a sentence when the cache has to do without something.
  package init(
    path: [UInt8], maximumBytes: Int, now: @escaping @Sendable () -> Double = secondsSince1970,
    warn: @escaping @Sendable (String) -> Void
  ) async {
    name = String(decoding: path, as: UTF8.self)
    self.maximumBytes = maximumBytes
    self.now = now
    self.warn = warn
    let opened = await blocking { Result { () throws(CacheFailure) in try OpenCache(path: path) } }
    switch opened {
    case .success(let cache): state = Mutex(State(open: cache))
    case .failure(let failure):
      state = Mutex(State(open: nil))
      warn("\(CacheUnusable(path: path, failure).message); going on without it")
    }
    await tidyUp()
  }

  /// How long nothing is stored after the disk was full, in seconds.
  private static let pause = 60.0

  /// Looks something up. Any failure is a miss.
  func read<Value: Sendable>(_ body: @escaping @Sendable (OpenCache) throws -> Value?) async -> Value? {
    await blocking { [self] in
      state.withLock { state in perform(body, &state) }
    }
  }

  /// Changes something. Nothing happens while the cache pauses.
  func write<Value: Sendable>(_ body: @escaping @Sendable (OpenCache) throws -> Value?) async -> Value? {
    await blocking { [self] in
      state.withLock { state in
        now() < state.pausedUntil ? nil : perform(body, &state)
      }
    }
  }

  private func perform<Value>(_ body: (OpenCache) throws -> Value?, _ state: inout State) -> Value? {
    guard let open = state.open else { return nil }
    do {
      return try body(open)
    } catch let failure as DatabaseFailure where failure.isDamage {
      state.open = rebuilt(open)
    } catch {
      let failure = CacheFailure(error)
      // Another process writes for longer than is worth waiting for: this one time does not matter.
      guard !failure.isBusy, now() >= state.pausedUntil else { return nil }
      state.pausedUntil = now() + Self.pause
      warn("nothing is kept in the cache \(name) for \(Int(Self.pause)) s: \(failure.message)")
    }
    return nil
  }

  private func rebuilt(_ old: OpenCache) -> OpenCache? {
    do throws(CacheFailure) {
      let new = try old.rebuilt()
      warn("the index of the cache \(name) was damaged; it was made anew")
      return new
    } catch {
      warn("the index of the cache \(name) is damaged: \(error.message); going on without it")
      return nil
    }
  }

  /// Notes a failure outside of `read` and `write`.
  func note(_ failure: CallFailure) {
    state.withLock { state in _ = perform({ _ -> Void? in throw failure }, &state) }
  }
}

/// Why a cache cannot be used.
struct CacheFailure: Error {
  let message: String
  var isBusy = false

  init(_ message: String) {
    self.message = message
  }

  init(_ error: any Error) {
    switch error {
    case let failure as CallFailure: message = String(cString: strerror(failure.code))
    case let failure as DatabaseFailure:
      message = failure.message
      isBusy = failure.isBusy
    case let failure as CacheFailure: self = failure
    default: message = "\(error)"
    }
  }
}
