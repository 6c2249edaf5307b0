import Metrics
import TestSupport
import Testing

@Suite struct MetricTests {
  @Test("a counter never falls")
  func counterOnlyGrows() {
    let counter = MetricsRegistry().counter("a_total", help: "How many.")
    counter.add(3)
    counter.add(-2)
    counter.add(0)
    #expect(counter.value == 3)
  }

  @Test("whoever asks for a name again gets the same metric")
  func sameMetric() {
    let registry = MetricsRegistry()
    registry.counter("a_total", help: "How many.").add()
    registry.counter("a_total", help: "How many.").add()
    registry.gauges("g", help: "How much.", labels: ["x"])["1"].add(2)
    registry.gauges("g", help: "How much.", labels: ["x"])["1"].add(0.5)
    #expect(registry.counter("a_total", help: "How many.").value == 2)
    #expect(registry.gauges("g", help: "How much.", labels: ["x"])["1"].value == 2.5)
  }

  @Test("a value on a bound is in its bucket, and what is no number is in none", arguments: [0.001, 0.25, 300])
  func bounds(_ value: Double) throws {
    let registry = MetricsRegistry()
    let histogram = registry.histogram("h_seconds", help: "How long.")
    for value in [value, .nan, .infinity] { histogram.observe(value) }
    let text = try PrometheusText(registry.text())
    #expect(text.value("h_seconds_bucket", ["le": value == 300 ? "300" : "\(value)"]) == 1)
    #expect(text.value("h_seconds_count") == 1)
    #expect(histogram.sum == value)
  }

  @Test("a family has no more members than anybody can want, however many values its labels take")
  func boundedFamilies() throws {
    let registry = MetricsRegistry()
    let family = registry.counters("a_total", help: "How many.", labels: ["x"])
    for number in 0..<2_000 { family["\(number)"].add() }
    let text = try PrometheusText(registry.text())
    #expect(text.samples.count <= 501)
    #expect(text.value("a_total", ["x": "other"]) == 1_500)
    #expect(text.samples.map(\.value).reduce(0, +) == 2_000)
  }

  @Test("a label too many or too few takes nothing down")
  func wrongLabels() throws {
    let registry = MetricsRegistry()
    let family = registry.counters("a_total", help: "How many.", labels: ["x", "y"])
    family["1"].add()
    family["1", "2", "3"].add()
    let text = try PrometheusText(registry.text())
    #expect(text.value("a_total", ["x": "1", "y": ""]) == 1)
    #expect(text.value("a_total", ["x": "1", "y": "2"]) == 1)
  }

  @Test("nothing is lost when many tasks count at once, and the text is whole meanwhile")
  func concurrency() async throws {
    let registry = MetricsRegistry()
    let counters = registry.counters("a_total", help: "How many.", labels: ["x"])
    let gauge = registry.gauge("g", help: "How much.")
    let histogram = registry.histogram("h_seconds", help: "How long.")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask {
          for number in 0..<1_000 {
            counters["\((task + number) % 7)"].add()
            gauge.add(1)
            histogram.observe(Double(number) / 100)
          }
        }
      }
      group.addTask {
        for _ in 0..<50 { _ = try PrometheusText(registry.text()) }
      }
      try await group.waitForAll()
    }
    #expect((0..<7).map { counters["\($0)"].value }.reduce(0, +) == 16_000)
    #expect(gauge.value == 16_000)
    #expect(histogram.count == 16_000)
  }
}
