/// How long to wait before something is tried again. Times are in seconds.
package struct Backoff: Sendable, Equatable {
  /// The wait after the first attempt is random between 0 and this, and the bound doubles with each further one ("full
  /// jitter": AWS Architecture Blog, "Exponential Backoff And Jitter").
  package var first: Double
  package var maximum: Double
  /// A server's Retry-After is honoured up to this.
  package var maximumRetryAfter: Double

  package init(first: Double, maximum: Double, maximumRetryAfter: Double) {
    self.first = first
    self.maximum = maximum
    self.maximumRetryAfter = maximumRetryAfter
  }

  /// - Parameters:
  ///   - attempt: how many attempts there were, from 1.
  ///   - retryAfter: what the server asked for, if it did.
  ///   - jitter: a random number between 0 and its argument.
  package func seconds(
    afterAttempt attempt: Int, retryAfter: Double? = nil, jitter: (Double) -> Double = { .random(in: 0...$0) }
  ) -> Double {
    var bound = first
    for _ in 1..<max(attempt, 1) where bound < maximum { bound *= 2 }
    return min(retryAfter ?? 0, maximumRetryAfter) + jitter(min(bound, maximum))
  }
}
