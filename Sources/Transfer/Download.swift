/// A finished download: what there is to say about it besides its bytes.
package struct Download: Sendable, Equatable {
  /// The HTTP status of the response, 200 as a rule, also when the body came in parts.
  package var status: Int
  /// Where redirects led, without user info, query and fragment.
  package var finalURL: String
  /// The Content-Type of the last response in lower case, without parameters: `image/png`. Never to be trusted.
  package var declaredType: String?
  /// The size of the body.
  package var bytes: Int
  /// All bytes of bodies that were received, those of failed attempts included.
  package var bytesFetched: Int
  package var redirects: Int
  package var attempts: Int
  /// All requests, those for redirects and parts included.
  package var requests: Int
  package var timings: TransferTimings
  /// SHA-256 of the body in lower-case hex; nil when its parts did not come in order.
  package var sha256: String?
  /// What the server says about version and freshness.
  package var headers: ResponseHeaders
  /// The body, where it was kept from an earlier download: then nothing is in the file that was to be written.
  package let keptBody: CachedBody?
  /// Keeps the body's bytes counted as being in flight, as long as a copy of this value lives.
  let hold: BytesInFlight.Hold?

  package static func == (one: Download, other: Download) -> Bool {
    one.status == other.status && one.finalURL == other.finalURL && one.declaredType == other.declaredType
      && one.bytes == other.bytes && one.sha256 == other.sha256 && one.headers == other.headers
      && one.spent == other.spent
  }

  private var spent: TransferCost {
    TransferCost(
      bytesFetched: bytesFetched, requests: requests, redirects: redirects, attempts: attempts, finalURL: finalURL,
      timings: timings)
  }
}

/// What a download has cost so far, also when it fails.
package struct TransferCost: Sendable, Equatable {
  /// All bytes of bodies that were received.
  package var bytesFetched = 0
  package var requests = 0
  /// Of the last attempt.
  package var redirects = 0
  package var attempts = 0
  /// The URL of the last request, without user info, query and fragment; nil before the first.
  package var finalURL: String?
  package var timings = TransferTimings()
}

/// When the last request of a download reached what, in seconds from its start; 0 for what did not happen, such as
/// connecting when a connection was reused.
package struct TransferTimings: Sendable, Equatable {
  package var nameLookup = 0.0
  package var connect = 0.0
  package var tlsHandshake = 0.0
  package var firstByte = 0.0
  /// The time of all requests of the download together.
  package var total = 0.0
}
