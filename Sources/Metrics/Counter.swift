import Synchronization

/// A number that only grows, from 0 when the process starts.
package final class Counter: Metric {
  package static let kind = "counter"

  private let count = Atomic<Int>(0)

  package init() {}

  /// - Parameter amount: at least 0; what is less is ignored, since a counter that falls looks like a restart.
  package func add(_ amount: Int = 1) {
    if amount > 0 { count.wrappingAdd(amount, ordering: .relaxed) }
  }

  package var value: Int { count.load(ordering: .relaxed) }

  package func write(_ name: String, labels: String, to text: inout MetricsText) {
    text.add(name, labels, Double(value))
  }
}
