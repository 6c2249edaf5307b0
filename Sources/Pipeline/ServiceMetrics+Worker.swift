package import JobQueue
import Metrics
import RichPush

extension ServiceMetrics {
  /// Counts what a worker reports.
  package func note(_ event: WorkerEvent) {
    switch event {
    case .finished(_, let result, let milliseconds, _):
      jobs[result.status.rawValue, result.codes.first?.rawValue ?? ""].add()
      jobSeconds.observe(Double(milliseconds) / 1000)
    case .retried(let id, _, _, _):
      if isCallback(id) { callbacks["retried"].add() } else { retries.add() }
    case .buried(let id, _, _, let codes):
      if isCallback(id) { callbacks["dead"].add() } else { jobs["dead", codes.first?.rawValue ?? ""].add() }
    case .released: released.add()
    case .leaseLost: leasesLost.add()
    case .calledBack: callbacks["delivered"].add()
    case .unavailable(let dependency, _): available[dependency.rawValue].set(0)
    case .available(let dependency, _): available[dependency.rawValue].set(1)
    case .draining: draining.set(1)
    case .drained: break
    }
  }

  /// Shows from the beginning what will be asked for first: that nothing is missing, and that nothing has ended yet. A
  /// series that begins with its first event hides that one from whoever looks at rates.
  package func beginServing() {
    for dependency in WorkerEvent.Dependency.allCases { available[dependency.rawValue].set(1) }
    for outcome in [JobResult.Status.ready, .dead] { jobs[outcome.rawValue, ""].add(0) }
    // Alarms go by these.
    for code in Rejection.Code.allCases { jobs[JobResult.Status.dead.rawValue, code.rawValue].add(0) }
    for outcome in ["delivered", "retried", "dead"] { callbacks[outcome].add(0) }
  }

  private func isCallback(_ id: String) -> Bool { id.hasPrefix(Callback.idPrefix) }

  /// Shows how full the queue is.
  /// - Parameter status: nil when it is not known, which shows as no number rather than as an old one.
  package func show(_ status: QueueStatus?) {
    let gauges = registry.gauges("enclosure_queue_jobs", help: "Jobs in the queue, by state.", labels: ["state"])
    let numbers = [
      ("ready", status?.ready), ("delayed", status?.delayed), ("leased", status?.leased), ("dead", status?.dead),
    ]
    for (state, number) in numbers { gauges[state].set(number.map(Double.init) ?? .nan) }
    registry.gauge(
      "enclosure_queue_oldest_ready_seconds", help: "How long the oldest of the ready jobs has been due; 0 without any."
    ).set(status.map { $0.oldestReadySeconds ?? ($0.ready == 0 ? 0 : .nan) } ?? .nan)
  }

  /// Shows how many jobs this worker has.
  package func show(jobsInWork: Int) {
    registry.gauge("enclosure_jobs_in_work", help: "Jobs that this worker works on.").set(Double(jobsInWork))
  }
}
