/// What an extension may spend on a notification.
public struct LoadingLimits: Sendable, Equatable {
  /// Seconds for everything, at most a day. iOS ends an extension after about 30.
  public var seconds: Double
  /// How many of them are kept for a video's poster, should the video not come in time; at most half of what is left.
  public var posterSeconds: Double
  /// Bytes to download in all, with those of files that turn out to be something else or come too late.
  public var bytes: Int
  /// How many media to attach. iOS shows the first one.
  public var count: Int

  public init(seconds: Double = 20, posterSeconds: Double = 6, bytes: Int = 10_000_000, count: Int = 1) {
    self.seconds = seconds
    self.posterSeconds = posterSeconds
    self.bytes = bytes
    self.count = count
  }
}

/// What is left of the limits while a notification's media are loaded.
struct LoadingBudget {
  private let end: ContinuousClock.Instant
  private let posterTime: Duration
  var bytes: Int

  init(_ limits: LoadingLimits, from now: ContinuousClock.Instant = .now) {
    end = now + Self.duration(limits.seconds)
    posterTime = Self.duration(limits.posterSeconds)
    bytes = max(0, limits.bytes)
  }

  /// How long a file may take now; zero when the time is over.
  /// - Parameter hasPoster: whether there is a poster to be loaded afterwards.
  func time(hasPoster: Bool, at now: ContinuousClock.Instant = .now) -> Duration {
    let left = max(.zero, end - now)
    return hasPoster ? left - min(posterTime, left / 2) : left
  }

  /// What is no number, or less than none, is none.
  private static func duration(_ seconds: Double) -> Duration {
    .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
  }
}
