import Metrics
import TestSupport
import Testing

@Suite struct MetricsTextTests {
  @Test("an empty registry is an empty text")
  func empty() throws {
    #expect(MetricsRegistry().text().isEmpty)
    #expect(try PrometheusText("").samples.isEmpty)
  }

  @Test("counters, gauges and histograms stand in the text format, by name")
  func allKinds() {
    let registry = MetricsRegistry()
    let histogram = registry.histogram("b_seconds", help: "How long.", bounds: [0.5, 2])
    for value in [0.25, 0.5, 1, 3] { histogram.observe(value) }
    registry.gauge("c", help: "How much.").set(-1.5)
    registry.counters("a_total", help: "How many.", labels: ["code", "stage"])["empty", "fetch"].add(2)
    registry.computedGauge("d", help: "Now.") { 7 }
    registry.computedCounter("e_total", help: "Unknown.") { nil }
    #expect(
      registry.text() == """
        # HELP a_total How many.
        # TYPE a_total counter
        a_total{code="empty",stage="fetch"} 2
        # HELP b_seconds How long.
        # TYPE b_seconds histogram
        b_seconds_bucket{le="0.5"} 2
        b_seconds_bucket{le="2"} 3
        b_seconds_bucket{le="+Inf"} 4
        b_seconds_sum 4.75
        b_seconds_count 4
        # HELP c How much.
        # TYPE c gauge
        c -1.5
        # HELP d Now.
        # TYPE d gauge
        d 7

        """)
  }

  @Test(
    "whatever a label's value holds comes back from the text",
    arguments: ["", "plain", "two\nlines", "\"quoted\"", "back\\slash", "\\n", "a,b={}", "größe 🎈", "\r\t"])
  func labelValues(_ value: String) throws {
    let registry = MetricsRegistry()
    registry.gauges("g", help: "Line one\nline \\two.", labels: ["a", "b"])[value, "x"].set(1)
    let text = try PrometheusText(registry.text())
    #expect(text.samples.count == 1)
    #expect(text.value("g", ["a": value, "b": "x"]) == 1)
  }

  @Test(
    "values are written so that they are read again as what they were",
    arguments: [
      0, -0.0, 1, 0.1, 1e-9, 1e21, 123_456_789.125, .infinity, -.infinity, .greatestFiniteMagnitude,
      .leastNonzeroMagnitude,
    ])
  func values(_ value: Double) throws {
    let registry = MetricsRegistry()
    registry.gauge("g", help: "A number.").set(value)
    #expect(try PrometheusText(registry.text()).value("g") == value)
  }

  @Test("a gauge may be unknown")
  func unknownGauge() throws {
    let registry = MetricsRegistry()
    registry.gauge("g", help: "A number.").set(.nan)
    #expect(try PrometheusText(registry.text()).value("g")?.isNaN == true)
  }

  @Test("a family without members has no lines")
  func noMembers() {
    let registry = MetricsRegistry()
    _ = registry.counters("a_total", help: "How many.", labels: ["code"])
    #expect(registry.text().isEmpty)
  }

  @Test(
    "the reader of the tests refuses what Prometheus would",
    arguments: [
      "a 1", "a 1\n", "# TYPE a gauge\n# HELP a b\n# TYPE a gauge\na 1\n", "# HELP a b\n# TYPE a gauge\na 1\na 2\n",
      "# HELP a b\n# TYPE a counter\na 1\n", "# HELP a b\n# TYPE a gauge\nb 1\n", "# HELP a b\n# TYPE a gauge\na x\n",
      "# HELP a b\n# TYPE a gauge\na{b=\"c} 1\n", "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 1\n",
      "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
    ])
  func strictReader(_ text: String) {
    #expect(throws: PrometheusText.Fault.self) { try PrometheusText(text) }
  }
}
