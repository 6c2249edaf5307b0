package import RichPush
import Synchronization

/// Fetches URLs into files, many at once, over http and https.
///
/// A download is a loop of attempts, each a chain of requests: one for the job's URL, one more for every redirect, and
/// more where the body comes in parts. What an attempt has fetched is kept for the next one, as long as the server
/// tells that it is of the same version.
///
/// Redirects are followed here and not by libcurl, so that each hop is judged like a job's URL, waits for a place among
/// the transfers of its own host, and gets credentials only from the origin that they were given for.
///
/// Nothing of a URL but scheme, host, port and path is ever in an error or a result.
package final class Downloader: Sendable {
  private let configuration: TransferConfiguration
  let engine: Engine
  private let inFlight: BytesInFlight
  private let memory: ResponseMemory?

  package init(configuration: TransferConfiguration = TransferConfiguration()) {
    self.configuration = configuration
    engine = Engine(configuration)
    inFlight = BytesInFlight(capacity: configuration.bytesInFlight)
    memory = configuration.cache.map { ResponseMemory($0, configuration) }
  }

  /// Ends all downloads with a transient `fetch_failed`, and accepts no further ones. It does not wait.
  package func shutdown() {
    engine.stop()
  }

  /// Downloads `url` into a file.
  ///
  /// Cancelling the task stops the transfer at once and throws a transient `fetch_failed`.
  ///
  /// - Parameters:
  ///   - url: as a job names it. User info in it is sent as basic authorisation, to that host only.
  ///   - descriptor: an open, writable file, the caller's. It is emptied and written at given offsets: its position is
  ///     neither used nor moved. It is not touched any more when this returns or throws; after an error it may hold a
  ///     part of the body. With a cache, `keptBody` of the result may be the body instead, and this file empty.
  ///   - examine: looks at a video while it comes. Where the server sends parts, only those are fetched that it wants,
  ///     until it has enough.
  ///   - account: learns what the download costs, also when it fails.
  ///   - limit: asked with the first bytes of each version: how many bytes it may have. Called on the transfer thread,
  ///     so it has to be quick.
  package func download(
    _ url: String, into descriptor: Int32, limits: TransferLimits = TransferLimits(), examine: Examiner? = nil,
    account: TransferAccount? = nil, limit: @escaping @Sendable (DownloadHead) -> Int
  ) async throws(Rejection.Reason) -> Download {
    let url = try RequestURL(url)
    let sink = BodySink(
      descriptor: descriptor, maximumBytes: limits.maximumBytes, isExamined: examine != nil, hold: inFlight.hold(),
      limit: limit)
    try sink.reset()
    var run = DownloadRun(
      url, policy: configuration.addressPolicy, engine: engine, sink: sink, limits: limits, examine: examine,
      account: account, memory: memory)
    await sink.hold.waitForRoom(0)
    while true {
      do throws(Rejection.Reason) {
        return try await run.attempt()
      } catch {
        if Task.isCancelled { throw .cancelled }
        guard error.isWorthAnotherAttempt, run.cost.attempts < limits.attempts,
          !limits.isSpent(run.cost.timings.total)
        else { throw error }
      }
      do {
        try await configuration.pause(wait(after: run, limits))
      } catch {
        throw .cancelled
      }
    }
  }

  /// Seconds to wait before the next attempt.
  private func wait(after run: DownloadRun, _ limits: TransferLimits) -> Double {
    let backoff = Backoff(
      first: limits.backoff, maximum: limits.maximumBackoff, maximumRetryAfter: limits.maximumRetryAfter)
    return backoff.seconds(afterAttempt: run.cost.attempts, retryAfter: run.retryAfter, jitter: configuration.jitter)
  }
}

/// Looks at what is there of a body, in the file that it is downloaded into.
///
/// It is asked about videos only, and never twice at a time; bytes that are available do not change while it looks.
/// What it throws rejects the source and stops the transfer at once.
package typealias Examiner = @Sendable (PartialBody) async throws(Rejection.Reason) -> Examination

/// Tells what a download costs while it runs, and afterwards however it ended.
package final class TransferAccount: Sendable {
  private let state = Mutex(TransferCost())

  package init() {}

  package var cost: TransferCost { state.withLock { $0 } }

  func update(_ cost: TransferCost) {
    state.withLock { $0 = cost }
  }
}

extension Rejection.Reason {
  /// Faults of the network and the server may pass in seconds; a full disk hardly does.
  fileprivate var isWorthAnotherAttempt: Bool {
    guard !permanent else { return false }
    switch code {
    case .fetchFailed, .fetchTimeout, .httpStatus: return true
    default: return false
    }
  }
}
