import FoundationEssentials
import JobQueue
import Operations
import Pipeline
import RichPush
import Synchronization

/// What the endpoint asks of a worker, from the moment the program starts.
final class WorkerService: OperationsDelegate {
  private struct State {
    var isStoreOpen = false
    var queue: (any JobQueue)?
    var worker: Worker?
    /// What the worker waits for, and why.
    var outages: [WorkerEvent.Dependency: String] = [:]
    var isDraining = false
  }

  let metrics = ServiceMetrics()
  private let takesCallbacks: Bool
  private let state = Mutex(State())

  /// - Parameter takesCallbacks: whether jobs may ask for them.
  init(takesCallbacks: Bool) {
    self.takesCallbacks = takesCallbacks
    metrics.beginServing()
  }

  /// From now on, the queue is what is being opened.
  func openedStore() {
    state.withLock { $0.isStoreOpen = true }
  }

  /// From now on, jobs can be added and asked about.
  func opened(_ queue: any JobQueue) {
    state.withLock { $0.queue = queue }
  }

  /// From now on, the service is ready as far as the worker is.
  func began(_ worker: Worker) {
    state.withLock { $0.worker = worker }
  }

  /// Takes note of what happens; to be told all there is.
  func note(_ event: WorkerEvent) {
    metrics.note(event)
    state.withLock { state in
      switch event {
      case .unavailable(let dependency, let why): state.outages[dependency] = why
      case .available(let dependency, _): state.outages[dependency] = nil
      case .draining: state.isDraining = true
      case .finished, .retried, .buried, .released, .leaseLost, .calledBack, .drained: break
      }
    }
  }

  // MARK: Health

  func health() async -> [Check] {
    // That it answers at all is the check.
    _ = await state.withLock { $0.worker }?.jobsInWork
    return [Check("worker")]
  }

  func readiness() async -> [Check] {
    let state = state.withLock { $0 }
    let opening = "it is being opened"
    let queueProblem: String? =
      if let queue = state.queue {
        await problem(of: queue) ?? state.outages[.queue]
      } else {
        state.outages[.queue] ?? (state.isStoreOpen ? opening : "it is opened after the store")
      }
    return [
      Check("queue", problem: queueProblem),
      Check("store", problem: state.outages[.store] ?? (state.isStoreOpen ? nil : opening)),
      Check("helpers", problem: state.outages[.helpers]),
      Check(
        "accepting",
        problem: state.isDraining ? "the worker is ending" : state.worker == nil ? "the worker is starting" : nil),
    ]
  }

  func refreshMetrics() async {
    let state = state.withLock { $0 }
    if let queue = state.queue {
      // A server that hangs must not take all other figures with it.
      let (answers, answer) = AsyncStream.makeStream(of: QueueStatus?.self)
      Task { answer.yield(try? await queue.status()) }
      let clock = Task {
        try? await Task.sleep(for: .seconds(1))
        answer.yield(nil)
      }
      metrics.show(await answers.first { _ in true } ?? nil)
      clock.cancel()
    }
    metrics.show(jobsInWork: await state.worker?.jobsInWork ?? 0)
  }

  private func problem(of queue: any JobQueue) async -> String? {
    do throws(QueueFailure) {
      try await queue.check()
      return nil
    } catch {
      return error.message
    }
  }

  // MARK: Jobs

  func submit(_ body: [UInt8]) async -> Submission {
    guard let queue = state.withLock({ $0.queue }) else { return .unavailable(message: "the queue is being opened") }
    let job: NewJob
    do throws(JobDocument.Fault) {
      job = try NewJob(json: body, takesCallbacks: takesCallbacks)
    } catch {
      return isJSON(body) ? .invalid(message: error.message, field: error.field) : .notJSON(message: error.message)
    }
    do throws(QueueFailure) {
      switch try await queue.enqueue(job) {
      case .added: return .added(id: job.id)
      case .known: return .known(id: job.id)
      }
    } catch {
      if case .refused(let why) = error { return .invalid(message: why, field: nil) }
      return .unavailable(message: error.message)
    }
  }

  private func isJSON(_ body: [UInt8]) -> Bool {
    (try? JSONValue(parsing: body)) != nil
  }

  func job(_ id: String) async -> JobReport {
    guard let queue = state.withLock({ $0.queue }) else { return .unavailable(message: "the queue is being opened") }
    // The worker's own are nobody's business.
    guard !id.hasPrefix(JobDocument.reservedIDPrefix) else { return .unknown }
    do throws(QueueFailure) {
      switch try await queue.state(of: id) {
      case nil: return .unknown
      case .waiting(let attempts): return .waiting(attempts: attempts)
      case .leased(let attempt): return .working(attempt: attempt)
      case .completed(let result): return .completed(result: result)
      case .dead(let reason): return .dead(reason: reason)
      }
    } catch {
      return .unavailable(message: error.message)
    }
  }
}
