import Synchronization

/// A number that goes up and down.
package final class Gauge: Metric {
  package static let kind = "gauge"

  private let bits = Atomic<UInt64>(0)

  package init() {}

  package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  /// - Parameter value: NaN where it is not known.
  package func set(_ value: Double) {
    bits.store(value.bitPattern, ordering: .relaxed)
  }

  package func add(_ amount: Double) {
    var old = bits.load(ordering: .relaxed)
    while true {
      let new = (Double(bitPattern: old) + amount).bitPattern
      let (exchanged, found) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
      if exchanged { return }
      old = found
    }
  }

  package func write(_ name: String, labels: String, to text: inout MetricsText) {
    text.add(name, labels, value)
  }
}
