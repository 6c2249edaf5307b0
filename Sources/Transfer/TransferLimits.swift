/// What one download may cost. Times are in seconds, sizes in bytes.
package struct TransferLimits: Sendable, Equatable {
  /// The largest body, whatever it turns out to be. The limit by kind comes on top, as soon as the kind is known.
  package var maximumBytes = 500_000_000
  /// The largest response header, all lines together.
  package var maximumHeaderBytes = 64 * 1024
  /// How many redirects are followed.
  package var redirects = 5
  /// For looking up the name, connecting, and the TLS handshake together.
  package var connectTimeout = 5.0
  /// A transfer that stays below this many bytes per second for `stallTimeout` has stalled. Waiting for the first byte
  /// counts too.
  package var stallBytesPerSecond = 1000
  /// In whole seconds: libcurl measures no finer.
  package var stallTimeout = 10
  /// For all requests of a download together, redirects and attempts included. Time spent waiting for a free place or
  /// between attempts does not count.
  package var totalTimeout = 60.0
  /// How often a source is tried when its faults are transient.
  package var attempts = 3
  /// The wait before the second attempt is random between 0 and this, and the bound doubles with each further one
  /// ("full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter").
  package var backoff = 0.5
  package var maximumBackoff = 10.0
  /// A server's Retry-After is honoured up to this.
  package var maximumRetryAfter = 30.0

  package init() {}

  /// Whether a download that has taken so many seconds is over its total. libcurl's clock and its timers differ by
  /// milliseconds, with which nothing could be done anyway.
  func isSpent(_ seconds: Double) -> Bool {
    seconds > totalTimeout - 0.01
  }
}

/// What all downloads of one `Downloader` have in common.
package struct TransferConfiguration: Sendable {
  /// How many requests run at the same time; further ones wait their turn.
  package var concurrentTransfers = 2048
  /// The same for one host and port, as long as each needs a connection.
  package var concurrentTransfersPerHost = 8
  /// The same for one host and port that speaks HTTP/2, where they share connections. Servers allow 100 streams or more
  /// on one (RFC 9113 section 6.5.2).
  package var concurrentStreamsPerHost = 64
  /// After so many seconds a transfer no longer counts against its host's limit, as long as others wait for their turn
  /// there.
  package var slowAfter = 3.0
  /// How many of one host and port may run on top of its limit for that reason.
  package var slowTransfersPerHost = 24
  /// The most bytes that all downloads together hold in their files, results that are still in use included. A single
  /// body may exceed it.
  package var bytesInFlight = 2_000_000_000
  package var userAgent = "Enclosure/1"
  /// A file with the certificates of the authorities to trust, PEM; nil for the system's.
  package var caFile: String?
  /// Where requests may go.
  package var addressPolicy = AddressPolicy()
  /// Whether `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are obeyed. A proxy itself may be anywhere. It also
  /// resolves the names, so of `addressPolicy` only ports and addresses that stand in URLs are left to be judged here.
  package var usesProxyFromEnvironment = false
  /// Where responses are kept and looked for.
  package var cache: (any ResponseCache)?
  /// Seconds since 1970, by which responses age.
  package var now: @Sendable () -> Double = secondsSince1970
  /// Waits for a number of seconds between attempts. Tests put a clock of their own here.
  package var pause: @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  /// A random number between 0 and its argument.
  package var jitter: @Sendable (Double) -> Double = { Double.random(in: 0...$0) }

  package init() {}
}
