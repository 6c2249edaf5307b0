/// Which bytes of a body are there: sorted ranges that neither overlap nor touch.
struct ByteRanges: Sendable, Equatable {
  private(set) var ranges: [Range<Int>] = []

  mutating func insert(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    // Streams grow at one end, and there are few parts: from the back, the place is found at once.
    var first = ranges.endIndex
    while first > 0, ranges[first - 1].upperBound >= range.lowerBound { first -= 1 }
    var (lower, upper, end) = (range.lowerBound, range.upperBound, first)
    while end < ranges.endIndex, ranges[end].lowerBound <= upper {
      lower = min(lower, ranges[end].lowerBound)
      upper = max(upper, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: [lower..<upper])
  }

  /// How many bytes from the very first one are there without a gap.
  var contiguous: Int {
    if let first = ranges.first, first.lowerBound == 0 { first.upperBound } else { 0 }
  }

  var count: Int { ranges.reduce(0) { $0 + $1.count } }

  func contains(_ range: Range<Int>) -> Bool {
    range.isEmpty || ranges.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
  }

  /// The next bytes to fetch of a body of so many bytes, nil when all are there.
  ///
  /// - Parameter negligible: a present piece of up to so many bytes is fetched again rather than asking once more.
  func nextGap(of total: Int, negligible: Int) -> Range<Int>? {
    let start = contiguous
    guard start < total else { return nil }
    let later = ranges.filter { $0.lowerBound > start }
    let end = later.first { $0.count > negligible || $0.upperBound >= total }?.lowerBound ?? total
    return start..<end
  }
}
