package import Metrics
import RichPush
import Transfer

/// What is counted about the service. The names are kept: dashboards and alarms go by them.
///
/// Labels hold nothing of jobs or sources but codes, stages and kinds; there are few of each.
package final class ServiceMetrics: Sendable {
  package let registry: MetricsRegistry

  // Sources, counted by the pipeline.
  private let stageSeconds: Family<Histogram>
  private let rejections: Family<Counter>
  private let attachments: Family<Counter>
  private let fetchedBytes: Counter
  private let storedBytes: Counter
  private let cacheLookups: Family<Counter>

  // Jobs, counted by a worker's events.
  let jobs: Family<Counter>
  let jobSeconds: Histogram
  let retries: Counter
  let released: Counter
  let leasesLost: Counter
  let callbacks: Family<Counter>
  let available: Family<Gauge>
  let draining: Gauge

  package init(registry: MetricsRegistry = MetricsRegistry()) {
    self.registry = registry
    stageSeconds = registry.histograms(
      "enclosure_stage_duration_seconds", help: "How long a stage took on a source, waiting for a helper included.",
      labels: ["stage"])
    rejections = registry.counters(
      "enclosure_rejections_total", help: "Sources that were rejected, in each attempt of their jobs.",
      labels: ["code", "stage"])
    attachments = registry.counters(
      "enclosure_attachments_total", help: "Sources that became attachments.", labels: ["kind"])
    fetchedBytes = registry.counter("enclosure_fetched_bytes_total", help: "Bytes of bodies that were downloaded.")
    storedBytes = registry.counter(
      "enclosure_stored_bytes_total", help: "Bytes of assets that were given to the store.")
    cacheLookups = registry.counters(
      "enclosure_cache_lookups_total",
      help: "What was looked for in the cache: responses, facts about sources, and prepared assets.",
      labels: ["kind", "result"])
    jobs = registry.counters(
      "enclosure_jobs_total",
      help: "Jobs that ended, by outcome and the code of their first rejection, which is empty where there is none.",
      labels: ["outcome", "code"])
    jobSeconds = registry.histogram(
      "enclosure_job_duration_seconds", help: "From the lease of a job to its end, for jobs that came to a manifest.")
    retries = registry.counter("enclosure_job_retries_total", help: "Attempts that failed and are followed by another.")
    released = registry.counter(
      "enclosure_jobs_released_total", help: "Jobs that were given back without spending an attempt.")
    leasesLost = registry.counter(
      "enclosure_leases_lost_total", help: "Leases that ran out because no heartbeat got through.")
    callbacks = registry.counters("enclosure_callbacks_total", help: "Attempts to call back.", labels: ["outcome"])
    available = registry.gauges(
      "enclosure_available", help: "Whether what all jobs need is there: 1 or 0.", labels: ["dependency"])
    draining = registry.gauge("enclosure_draining", help: "1 when the worker takes no more jobs and is about to end.")
  }

  // MARK: Sources

  /// Runs a piece of work on a source and notes how long it took, also when it fails.
  func measure<Value, Failure: Error>(
    _ stage: Rejection.Stage, _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let start = ContinuousClock.now
    defer {
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      stageSeconds[stage.rawValue].observe(seconds)
      StageTimes.current?.add(seconds, to: stage)
    }
    return try await work()
  }

  func rejected(_ reason: Rejection.Reason) {
    rejections[reason.code.rawValue, reason.stage.rawValue].add()
  }

  func attached(_ attachment: Attachment) {
    attachments[attachment.asset.type.kind.rawValue].add()
  }

  func fetched(_ cost: TransferCost) {
    fetchedBytes.add(cost.bytesFetched)
  }

  func stored(bytes: Int) {
    storedBytes.add(bytes)
  }

  /// What is looked for in a cache.
  enum CacheKind: String {
    case response, facts, asset
  }

  func lookedUp(_ kind: CacheKind, isHit: Bool) {
    cacheLookups[kind.rawValue, isHit ? "hit" : "miss"].add()
  }

  // MARK: Helpers

  /// Shows the pool's figures from now on, as long as it exists.
  package func show(_ pool: HelperPool) {
    registry.computedGauge("enclosure_helpers", help: "Media processes that may run at once.") { [weak pool] in
      pool.map { Double($0.processes) }
    }
    registry.computedGauge(
      "enclosure_helper_requests_waiting", help: "Requests that wait for a media process."
    ) { [weak pool] in pool.map { Double($0.backlog) } }
    registry.computedCounter(
      "enclosure_helper_starts_total", help: "Media processes that were started."
    ) { [weak pool] in pool.map { Double($0.statistics.started) } }
    registry.computedCounter(
      "enclosure_helpers_lost_total", help: "Media processes that crashed, hung, took too much memory or were killed."
    ) { [weak pool] in pool.map { Double($0.statistics.lost) } }
    registry.computedCounter(
      "enclosure_helpers_recycled_total", help: "Media processes that made room for fresh ones, as they should."
    ) { [weak pool] in pool.map { Double($0.statistics.recycled) } }
  }
}
