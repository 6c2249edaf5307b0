package import Preparation
import Transfer

/// How a worker deals with jobs. Times are in seconds.
package struct WorkerConfiguration: Sendable {
  /// How many jobs are worked on at once. Most of them wait for the network; those that need a helper queue for it.
  package var jobs = 256
  /// How many of them may have sources on the network: the rest is for others, and to find those.
  package var placesAtOrigins: Int { max(1, jobs - jobs / 8) }
  /// How many jobs are taken at a time. More than can be begun at once would only keep them from other workers.
  package var batch = 32
  /// How long a lease holds without a heartbeat. A killed worker's jobs are running elsewhere soon afterwards.
  package var leaseSeconds = 10.0
  /// How often a job is tried. Attempts that ended with the worker's death count, but only `deliveries` of them are
  /// held against a job: it may have been another one's fault.
  package var attempts = 5
  /// How often a job is handed out at most.
  package var deliveries: Int { attempts * 4 }
  /// The wait before the second attempt is random between 0 and this, and the bound doubles with each further one
  /// ("full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter").
  package var retryDelay = 2.0
  package var maximumRetryDelay = 300.0
  /// The same for callbacks, which are tried for an hour on average: a receiver may be down.
  package var callbackAttempts = 20
  package var maximumCallbackDelay = 600.0
  /// How long the worker goes on with what it has begun, once it is to end.
  package var grace = 25.0
  /// What counts where a job says nothing.
  package var defaults = PreparationOptions()
  /// How long it waits, at first and at most, before it asks again for what was gone: the queue, the store.
  package var pause = 0.5
  package var maximumPause = 10.0

  /// Seconds since 1970, by which jobs expire.
  package var now: @Sendable () -> Double = secondsSince1970
  /// A random number between 0 and its argument.
  package var jitter: @Sendable (Double) -> Double = { Double.random(in: 0...$0) }

  package init() {}

  /// How long to wait after a failed attempt, from 1 on.
  func delay(after attempt: Int, atMost bound: Double) -> Double {
    var delay = retryDelay
    for _ in 1..<max(attempt, 1) where delay < bound { delay *= 2 }
    return jitter(min(delay, bound))
  }
}
