import Metrics
import PercentEncoding
import Synchronization

/// Answers admitted requests with what the service says.
final class RequestAnswerer: Sendable {
  private let delegate: any OperationsDelegate
  private let registry: MetricsRegistry
  private let readiness: Recent<[Check]>
  private let refresh: Recent<Void>

  init(_ delegate: any OperationsDelegate, registry: MetricsRegistry) {
    self.delegate = delegate
    self.registry = registry
    readiness = Recent { await delegate.readiness() }
    refresh = Recent { await delegate.refreshMetrics() }
  }

  func answer(_ route: Route, body: [UInt8], isTrusted: Bool) async -> Answer {
    switch route {
    case .health: return report(await delegate.health(), isTrusted: isTrusted)
    case .readiness: return report(await readiness.value(), isTrusted: isTrusted)
    case .metrics:
      await refresh.value()
      return .metrics(registry.text())
    case .submission: return answer(await delegate.submit(body))
    case .job(let id): return answer(await delegate.job(id), id: id)
    }
  }

  /// The checks by name. What exactly is wrong may name hosts and folders, and is not for everybody.
  private func report(_ checks: [Check], isTrusted: Bool) -> Answer {
    let entries = checks.map { check in
      let state = check.problem.map { isTrusted ? $0 : "failing" } ?? "ok"
      return "\(JSONText.quoted(check.name)):\(JSONText.quoted(state))"
    }
    let isGood = checks.allSatisfy { $0.problem == nil }
    return .json(
      isGood ? 200 : 503,
      JSONText.object(["status": isGood ? "\"ok\"" : "\"failing\"", "checks": "{\(entries.joined(separator: ","))}"]))
  }

  private func answer(_ submission: Submission) -> Answer {
    switch submission {
    case .added(let id), .known(let id):
      let isNew = submission == .added(id: id)
      return .json(
        isNew ? 202 : 200, JSONText.object(["id": JSONText.quoted(id), "added": "\(isNew)"]),
        fields: ["Location": "/v1/jobs/" + percentEncoded(id)])
    case .notJSON(let message): return .fault(400, "invalid_json", message)
    case .invalid(let message, let field): return .fault(422, "invalid_job", message, field: field)
    case .unavailable(let message): return .unavailable(message)
    }
  }

  private func answer(_ report: JobReport, id: String) -> Answer {
    func state(_ name: String, _ member: String? = nil, _ value: String? = nil) -> Answer {
      .json(
        200,
        JSONText.object(["id": JSONText.quoted(id), "state": JSONText.quoted(name), member ?? "": value]))
    }
    switch report {
    case .waiting(let attempts): return state("waiting", "attempts", "\(attempts)")
    case .working(let attempt): return state("working", "attempt", "\(attempt)")
    case .completed(let result): return state("completed", "result", String(decoding: result, as: UTF8.self))
    case .dead(let reason):
      // A line for each attempt.
      let reasons = reason.split(separator: "\n").map(JSONText.quoted)
      return state("dead", "reasons", "[\(reasons.joined(separator: ","))]")
    case .unknown:
      return .fault(404, "not_found", "no job of this id waits, is worked on, or ended lately")
    case .unavailable(let message): return .unavailable(message)
    }
  }
}

/// A value that is asked for at most once a second, however many want it: probes must not become load.
private final class Recent<Value: Sendable>: Sendable {
  private let known = Mutex<(value: Value, time: ContinuousClock.Instant)?>(nil)
  private let ask: @Sendable () async -> Value

  init(_ ask: @escaping @Sendable () async -> Value) {
    self.ask = ask
  }

  func value() async -> Value {
    let now = ContinuousClock.now
    if let known = known.withLock({ $0 }), now - known.time < .seconds(1) { return known.value }
    let value = await ask()
    known.withLock { $0 = (value, now) }
    return value
  }
}
