import Synchronization

/// All metrics of a service, and their text.
///
/// Whoever asks for a name a second time gets the same metric: parts of the service need not know of each other.
package final class MetricsRegistry: Sendable {
  private let sources = Mutex<[String: any MetricSource]>([:])

  package init() {}

  package func counter(_ name: String, help: String) -> Counter {
    family(name, help, []) { Counter() }.member([])
  }

  package func counters(_ name: String, help: String, labels: [String]) -> Family<Counter> {
    family(name, help, labels) { Counter() }
  }

  package func gauge(_ name: String, help: String) -> Gauge {
    family(name, help, []) { Gauge() }.member([])
  }

  package func gauges(_ name: String, help: String, labels: [String]) -> Family<Gauge> {
    family(name, help, labels) { Gauge() }
  }

  package func histogram(_ name: String, help: String, bounds: [Double] = Histogram.seconds) -> Histogram {
    family(name, help, []) { Histogram(bounds: bounds) }.member([])
  }

  package func histograms(
    _ name: String, help: String, labels: [String], bounds: [Double] = Histogram.seconds
  ) -> Family<Histogram> {
    family(name, help, labels) { Histogram(bounds: bounds) }
  }

  /// A counter that is kept elsewhere.
  /// - Parameter value: is called whenever the text is written; nil leaves the metric out.
  package func computedCounter(_ name: String, help: String, value: @escaping @Sendable () -> Double?) {
    add(ComputedMetric(name: name, kind: Counter.kind, help: help, value: value))
  }

  /// A gauge that is kept elsewhere.
  /// - Parameter value: is called whenever the text is written; nil leaves the metric out.
  package func computedGauge(_ name: String, help: String, value: @escaping @Sendable () -> Double?) {
    add(ComputedMetric(name: name, kind: Gauge.kind, help: help, value: value))
  }

  /// The metrics with their values now, by name, in Prometheus' text format.
  package func text() -> String {
    let all = sources.withLock { Array($0.values) }.sorted { $0.name < $1.name }
    var text = MetricsText()
    for source in all { source.write(to: &text) }
    return text.text
  }

  private func add(_ source: some MetricSource) {
    sources.withLock { $0[source.name] = source }
  }

  private func family<Member>(
    _ name: String, _ help: String, _ labels: [String], make: @escaping @Sendable () -> Member
  ) -> Family<Member> {
    sources.withLock { sources in
      if let known = sources[name] as? Family<Member> { return known }
      let family = Family(name, help: help, labels: labels, make: make)
      sources[name] = family
      return family
    }
  }
}
