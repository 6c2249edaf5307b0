import JobQueue
import Metrics
import Pipeline
import RichPush
import TestSupport
import Testing

@Suite struct ServiceMetricsTests {
  private func text(_ metrics: ServiceMetrics) throws -> PrometheusText {
    try PrometheusText(metrics.registry.text())
  }

  @Test("each event of a worker counts once, in its place")
  func events() throws {
    let metrics = ServiceMetrics()
    metrics.beginServing()
    let rejection = Rejection(source: "b", reason: Rejection.Reason(.tooLarge, at: .fetch, "too much"))
    let manifest = Manifest(
      id: "a", preparedAt: "2026-11-30T00:00:00Z", attachments: [], rejections: [rejection], warnings: [])
    let result = JobResult(manifest, at: "manifests/a.json", attempts: 1, endedAt: "2026-11-30T00:00:00Z")
    let events: [WorkerEvent] = [
      .finished(id: "a", result, milliseconds: 250, stages: [:]),
      .retried(id: "b", attempt: 1, after: 2, reason: "later"),
      .buried(id: "c", attempts: 5, reason: "never", codes: [.fetchTimeout, .fetchFailed]),
      .buried(id: "c2", attempts: 5, reason: "handed out too often", codes: []),
      .released(id: "d", after: 0, reason: "ending"),
      .leaseLost(id: "e"), .unavailable(.store, "gone"), .draining(jobs: 3), .drained(released: 1, abandoned: 0),
      .calledBack(id: "enclosure.callback/ready/a", attempt: 1),
      .buried(id: "enclosure.callback/ready/b", attempts: 9, reason: "refused", codes: [.httpStatus]),
      .retried(id: "enclosure.callback/ready/c", attempt: 1, after: 2, reason: "later"),
    ]
    for event in events { metrics.note(event) }
    let text = try text(metrics)
    #expect(text.value("enclosure_jobs_total", ["outcome": "rejected", "code": "too_large"]) == 1)
    #expect(text.value("enclosure_jobs_total", ["outcome": "dead", "code": ""]) == 1)
    #expect(text.value("enclosure_jobs_total", ["outcome": "dead", "code": "fetch_timeout"]) == 1)
    // There from the beginning, so that the first one is a rise.
    #expect(text.value("enclosure_jobs_total", ["outcome": "dead", "code": "http_status"]) == 0)
    #expect(text.value("enclosure_job_duration_seconds_sum") == 0.25)
    #expect(text.value("enclosure_job_retries_total") == 1)
    #expect(text.value("enclosure_jobs_released_total") == 1)
    #expect(text.value("enclosure_leases_lost_total") == 1)
    #expect(text.value("enclosure_available", ["dependency": "store"]) == 0)
    #expect(text.value("enclosure_available", ["dependency": "queue"]) == 1)
    #expect(text.value("enclosure_draining") == 1)
    for outcome in ["delivered", "dead", "retried"] {
      #expect(text.value("enclosure_callbacks_total", ["outcome": outcome]) == 1)
    }
    metrics.note(.available(.store, after: 3))
    #expect(try self.text(metrics).value("enclosure_available", ["dependency": "store"]) == 1)
  }

  @Test("a queue that cannot be asked shows as unknown, not as it was")
  func queue() throws {
    let metrics = ServiceMetrics()
    metrics.show(QueueStatus(ready: 3, delayed: 2, leased: 1, dead: 4, oldestReadySeconds: 1.5))
    var text = try text(metrics)
    #expect(text.value("enclosure_queue_jobs", ["state": "delayed"]) == 2)
    #expect(text.value("enclosure_queue_oldest_ready_seconds") == 1.5)
    metrics.show(QueueStatus(ready: 0, delayed: 0, leased: 0, dead: 0, oldestReadySeconds: nil))
    text = try self.text(metrics)
    #expect(text.value("enclosure_queue_oldest_ready_seconds") == 0)
    metrics.show(nil)
    text = try self.text(metrics)
    #expect(text.value("enclosure_queue_jobs", ["state": "ready"])?.isNaN == true)
  }
}
