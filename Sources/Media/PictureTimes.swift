/// When pictures are shown, in ticks, and therefore how long each of them: up to the next.
struct PictureTimes {
  /// Times of pictures that the encoder has not given back, in order.
  private var pending: [Int64] = []
  /// The end of the last picture seen, also of those left out.
  private var end: Int64 = 0
  private var last: Int64?
  private var lastKept: Int64?
  /// Whether a picture came that is shown behind the end of the presentation, as all that follow are.
  private(set) var areOver = false
  /// The least distance between two pictures.
  private let distance: Int64
  /// How long a picture lasts that does not say.
  private let period: Int64
  /// Where the presentation ends.
  private let limit: Int64?

  init(distance: Int64, period: Int64, limit: Int64?) {
    self.distance = max(distance, 1)
    self.period = max(period, 1)
    self.limit = limit
  }

  /// Far behind any presentation, far from what a number holds, in ticks.
  private static let absurd: Int64 = 1 << 60

  /// The time at which the next picture is shown.
  /// - Parameters:
  ///   - time: what the decoder says; nil when it says nothing.
  ///   - duration: how long the picture lasts; 0 when that is not known.
  /// - Returns: nil when the picture is left out.
  mutating func add(_ time: Int64?, duration: Int64) -> Int64? {
    // Absurd times are as good as none.
    let said = time.flatMap { $0.magnitude < PictureTimes.absurd.magnitude ? $0 : nil }
    var time = said ?? last.map { $0 + period } ?? 0
    // Times that do not go on are damage; the pictures may be good. They are shown in a hurry, until times go on again.
    if let last, time <= last { time = last + max(period / 4, 1) }
    guard time < limit ?? .max else {
      areOver = true
      return nil
    }
    last = time
    end = time + (duration > 0 ? min(duration, PictureTimes.absurd) : period)
    // What is over before the presentation starts is not shown.
    guard end > 0 else { return nil }
    if let lastKept, time - lastKept < distance { return nil }
    time = max(time, 0)
    lastKept = time
    return time
  }

  /// The end of the last picture.
  var presentedEnd: Int64 { min(end, limit ?? .max) }

  /// Notes a picture that the encoder gets.
  mutating func note(_ time: Int64) {
    pending.append(time)
  }

  /// How long a picture that the encoder gave back is shown. The encoder gives back those that others need earlier
  /// than they are shown, but never before it got the next.
  mutating func duration(of time: Int64) -> Int64 {
    guard let index = pending.firstIndex(of: time) else { return period }
    let next = index + 1 < pending.count ? pending[index + 1] : max(presentedEnd, time + 1)
    return max(next - time, 1)
  }

  /// Forgets pictures before a time: the encoder gave them all back.
  mutating func forget(before time: Int64) {
    guard let first = pending.first, first < time, pending.count > 256 else { return }
    pending.removeAll { $0 < time }
  }
}
