package import RichPush

/// Fetches URLs into files, many at once, over http and https.
///
/// A download is a loop of attempts, each a chain of requests: one for the job's URL, and one more for every redirect.
/// Redirects are followed here and not by libcurl, so that each hop is judged like a job's URL, waits for a place among
/// the transfers of its own host, and gets credentials only from the origin that they were given for.
///
/// Nothing of a URL but scheme, host, port and path is ever in an error or a result.
package final class Downloader: Sendable {
  private let configuration: TransferConfiguration
  private let engine: Engine

  package init(configuration: TransferConfiguration = TransferConfiguration()) {
    self.configuration = configuration
    engine = Engine(configuration)
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
  ///   - descriptor: an open, writable file, the caller's. It is emptied and written from its start, at given offsets:
  ///     its position is neither used nor moved. It is not touched any more when this returns or throws; after an
  ///     error it may hold a part of the body.
  ///   - limit: asked once for each response with its first bytes: how many bytes it may have. Called on the transfer
  ///     thread, so it has to be quick.
  package func download(
    _ url: String, into descriptor: Int32, limits: TransferLimits = TransferLimits(),
    limit: @escaping @Sendable (DownloadHead) -> Int = { _ in .max }
  ) async throws(Rejection.Reason) -> Download {
    let url = try RequestURL(url)
    var spent = Spending()
    while true {
      spent.attempts += 1
      do throws(Rejection.Reason) {
        return try await attempt(url, into: descriptor, limits: limits, limit: limit, spent: &spent)
      } catch {
        if Task.isCancelled { throw .cancelled }
        guard error.isWorthAnotherAttempt, spent.attempts < limits.attempts, !limits.isSpent(spent.seconds) else {
          throw error
        }
      }
      do {
        try await configuration.pause(wait(after: spent, limits))
      } catch {
        throw .cancelled
      }
    }
  }

  /// What a download has cost so far.
  private struct Spending {
    var attempts = 0
    var bytes = 0
    var seconds = 0.0
    /// What the last response asked for.
    var retryAfter: Double?
  }

  private func attempt(
    _ start: RequestURL, into descriptor: Int32, limits: TransferLimits,
    limit: @escaping @Sendable (DownloadHead) -> Int, spent: inout Spending
  ) async throws(Rejection.Reason) -> Download {
    var request = ExchangeRequest(
      url: start, credentials: start.credentials, descriptor: descriptor, limits: limits, remainingTime: 0,
      limit: limit)
    var redirects = 0
    while true {
      request.remainingTime = limits.totalTimeout - spent.seconds
      guard !limits.isSpent(spent.seconds) else { throw Self.late(limits) }
      try configuration.addressPolicy.judge(request.url, isRedirect: request.isRedirect)
      let report = await engine.run(request)
      spent.bytes += report.bytesReceived
      spent.seconds += report.timings.total
      spent.retryAfter = report.retryAfter
      switch report.outcome {
      case .body(let status, let declaredType):
        var timings = report.timings
        timings.total = spent.seconds
        return Download(
          status: status, finalURL: request.url.redacted, declaredType: declaredType, bytes: report.bytesReceived,
          bytesFetched: spent.bytes, redirects: redirects, attempts: spent.attempts, timings: timings)
      case .redirect(let target):
        redirects += 1
        guard redirects <= limits.redirects else {
          throw Rejection.Reason(
            .tooManyRedirects, at: .fetch, "the server redirects more than \(limits.redirects) times",
            limit: Double(limits.redirects), measured: Double(redirects))
        }
        let next = try RequestURL(redirect: target, from: request.url)
        request.credentials =
          next.credentials ?? (next.origin == request.url.origin ? request.credentials : nil)
        request.url = next
        request.isRedirect = true
      case .failed(let reason): throw reason
      }
    }
  }

  /// Seconds to wait before the next attempt.
  private func wait(after spent: Spending, _ limits: TransferLimits) -> Double {
    var bound = limits.backoff
    for _ in 1..<max(spent.attempts, 1) where bound < limits.maximumBackoff { bound *= 2 }
    let jitter = configuration.jitter(min(bound, limits.maximumBackoff))
    return min(spent.retryAfter ?? 0, limits.maximumRetryAfter) + jitter
  }

  private static func late(_ limits: TransferLimits) -> Rejection.Reason {
    Rejection.Reason(
      .fetchTimeout, at: .fetch, "the redirects did not end within \(limits.totalTimeout.text) s",
      limit: limits.totalTimeout)
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
