import Synchronization

/// How values are distributed, seconds mostly: how many were at most as large as each of some bounds.
package final class Histogram: Metric {
  package static let kind = "histogram"

  /// From a cached answer to the longest encoding, in seconds.
  package static let seconds = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
  ]

  private struct State {
    /// Not accumulated; the last one is for what is above all bounds.
    var counts: [Int]
    var sum = 0.0
  }

  private let bounds: [Double]
  private let state: Mutex<State>

  /// - Parameter bounds: ascending, without the infinite one.
  package init(bounds: [Double] = Histogram.seconds) {
    self.bounds = bounds
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  /// Values that are no number are ignored: they would spoil the sum for ever.
  package func observe(_ value: Double) {
    guard value.isFinite else { return }
    let index = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock { state in
      state.counts[index] += 1
      state.sum += value
    }
  }

  package var count: Int { state.withLock { $0.counts.reduce(0, +) } }
  package var sum: Double { state.withLock(\.sum) }

  package func write(_ name: String, labels: String, to text: inout MetricsText) {
    let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
    let prefix = labels.isEmpty ? "" : labels + ","
    var accumulated = 0
    for (bound, count) in zip(bounds + [.infinity], counts) {
      accumulated += count
      text.add(name + "_bucket", "\(prefix)le=\"\(MetricsText.number(bound))\"", Double(accumulated))
    }
    text.add(name + "_sum", labels, sum)
    text.add(name + "_count", labels, Double(accumulated))
  }
}
