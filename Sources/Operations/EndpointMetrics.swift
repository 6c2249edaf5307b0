import Metrics

/// What the endpoint counts about itself.
final class EndpointMetrics: Sendable {
  let requests: Family<Counter>
  let seconds: Family<Histogram>
  let connections: Gauge
  let cut: Family<Counter>

  init(_ registry: MetricsRegistry, version: String) {
    requests = registry.counters(
      "enclosure_http_requests_total", help: "Requests to the endpoint that were answered.",
      labels: ["endpoint", "status"])
    seconds = registry.histograms(
      "enclosure_http_request_duration_seconds", help: "From a request's first line to its answer.",
      labels: ["endpoint"], bounds: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10])
    connections = registry.gauge("enclosure_http_connections", help: "Connections to the endpoint.")
    cut = registry.counters(
      "enclosure_http_connections_cut_total",
      help: "Connections that were cut: because they were slow, or quiet when others wanted their place.",
      labels: ["reason"])
    registry.gauges("enclosure_build_info", help: "Always 1; the version is the label.", labels: ["version"])[version]
      .set(1)
    ProcessMetrics.add(to: registry)
  }

  func answered(_ request: ReceivedRequest, _ answer: Answer, now: Double) {
    requests[request.routeName, "\(answer.status)"].add()
    seconds[request.routeName].observe(now - request.began)
  }
}
