/// That something all jobs need is gone, and when to look for it again.
struct Outage {
  private(set) var since: ContinuousClock.Instant?
  private var pause = 0.0
  private var next = ContinuousClock.Instant.now
  /// Whether somebody looks right now.
  private var isProbed = false

  /// Notes a failure.
  /// - Returns: whether it is the first one.
  mutating func failed(at now: ContinuousClock.Instant, pause first: Double, atMost maximum: Double) -> Bool {
    let isFirst = since == nil
    // Those that were on their way when it began, or between two looks, tell nothing new.
    guard isFirst || isProbed || now >= next else { return false }
    pause = isFirst ? first : min(pause * 2, maximum)
    since = since ?? now
    next = now.advanced(by: .seconds(pause))
    isProbed = false
    return isFirst
  }

  /// Notes a success.
  /// - Returns: how long it was gone, in seconds; nil when it was not.
  mutating func succeeded(at now: ContinuousClock.Instant) -> Double? {
    guard let since else { return nil }
    self = Outage()
    return (now - since) / .seconds(1)
  }

  /// Seconds until it is worth looking again; nil when there is nothing to wait for.
  func wait(at now: ContinuousClock.Instant) -> Double? {
    guard since != nil else { return nil }
    return now < next ? (next - now) / .seconds(1) : nil
  }

  /// Notes that somebody looks; the next `wait` is for what comes of it.
  mutating func probe(at now: ContinuousClock.Instant) {
    guard since != nil else { return }
    isProbed = true
    // Should the one that looks come to nothing, another one will.
    next = now.advanced(by: .seconds(max(pause, 5)))
  }

  /// Seconds after which a job that met it is worth another try.
  var suggestedDelay: Double { pause }
}
