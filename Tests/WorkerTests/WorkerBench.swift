import FoundationEssentials
import JobQueue
import Pipeline
import RichPush
import Synchronization
import TestSupport

/// A worker on a queue in a file of its own, which the test can fill, watch, and end.
final class WorkerBench: Sendable {
  let folder: TemporaryFolder
  let queue: SwitchedQueue
  let work: FakeWork
  let callbacks: FakeCallbacks
  let worker: Worker
  private let log: Log

  final class Log: Sendable {
    let events = Mutex<[WorkerEvent]>([])
  }

  init(_ work: FakeWork = FakeWork(), _ adjust: (inout WorkerConfiguration) -> Void = { _ in }) async throws {
    folder = try TemporaryFolder()
    queue = SwitchedQueue(try await SQLiteQueue(path: folder.path + "/queue.db"))
    self.work = work
    callbacks = FakeCallbacks()
    var configuration = WorkerConfiguration()
    configuration.retryDelay = 0.01
    configuration.pause = 0.05
    configuration.maximumPause = 0.2
    configuration.grace = 5
    adjust(&configuration)
    let log = Log()
    self.log = log
    worker = Worker(queue: queue, work: work, callbacks: callbacks, configuration: configuration) { event in
      log.events.withLock { $0.append(event) }
    }
  }

  var events: [WorkerEvent] { log.events.withLock(\.self) }

  func add(
    _ id: String, sources: [String] = ["https://example.com/a.jpg"], expiresIn seconds: Double? = nil,
    callback: String? = nil
  ) async throws {
    let expiry = seconds.flatMap { Timestamp(Date(timeIntervalSinceNow: $0).formatted(.iso8601)) }
    let job = JobDocument(
      id: id, sources: sources.map { JobDocument.Source(url: $0) }, expiresAt: expiry, callback: callback)
    _ = try await queue.enqueue(NewJob(id: id, body: try encoded(job), deadline: expiry?.secondsSince1970))
  }

  /// Runs the worker until `condition` holds, at most a minute, and ends it in order.
  /// - Returns: whether it held.
  func run(until condition: @Sendable () async throws -> Bool) async throws -> Bool {
    let run = Task { await worker.run() }
    let held = try await wait(for: condition)
    await worker.drain()
    _ = await run.value
    return held
  }

  /// Until all jobs have ended.
  func runToTheEnd() async throws -> Bool {
    try await run { [queue] in
      let status = try await queue.status()
      return status.ready + status.delayed + status.leased == 0
    }
  }
}

func wait(for condition: () async throws -> Bool) async throws -> Bool {
  let end = ContinuousClock.now.advanced(by: .seconds(60))
  while ContinuousClock.now < end {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return false
}

/// Remembers callbacks, and refuses them for a reason as long as there is one.
final class FakeCallbacks: CallbackSender {
  struct Call: Equatable {
    let body: [UInt8]
    let url: String
    let id: String
  }

  private let state = Mutex<(calls: [Call], fault: Rejection.Reason?)>(([], nil))

  var calls: [Call] { state.withLock(\.calls) }

  var fault: Rejection.Reason? {
    get { state.withLock(\.fault) }
    set { state.withLock { $0.fault = newValue } }
  }

  func post(_ body: [UInt8], to url: String, id: String) async throws(Rejection.Reason) {
    let fault = state.withLock { state in
      state.calls.append(Call(body: body, url: url, id: id))
      return state.fault
    }
    if let fault { throw fault }
  }
}

/// A queue that can be taken away, and whose leases can be given to somebody else.
final class SwitchedQueue: JobQueue {
  private let queue: any JobQueue
  private let isGone = Atomic(false)

  init(_ queue: any JobQueue) {
    self.queue = queue
  }

  func setGone(_ value: Bool) {
    isGone.store(value, ordering: .relaxed)
  }

  private func here() throws(QueueFailure) -> any JobQueue {
    guard !isGone.load(ordering: .relaxed) else { throw .unavailable("the disk is full") }
    return queue
  }

  func enqueue(_ job: NewJob) async throws(QueueFailure) -> Enqueued { try await here().enqueue(job) }
  func lease(_ count: Int, seconds: Double, wait: Double) async throws(QueueFailure) -> [Lease] {
    try await here().lease(count, seconds: seconds, wait: wait)
  }
  func extend(_ leases: [Lease], seconds: Double) async throws(QueueFailure) -> [Lease] {
    try await here().extend(leases, seconds: seconds)
  }
  func complete(_ lease: Lease, result: [UInt8]) async throws(QueueFailure) {
    try await here().complete(lease, result: result)
  }
  func retry(_ lease: Lease, after seconds: Double, reason: String) async throws(QueueFailure) {
    try await here().retry(lease, after: seconds, reason: reason)
  }
  func release(_ lease: Lease) async throws(QueueFailure) { try await here().release(lease) }
  func release(_ lease: Lease, after seconds: Double) async throws(QueueFailure) {
    try await here().release(lease, after: seconds)
  }
  func bury(_ lease: Lease, reason: String) async throws(QueueFailure) {
    try await here().bury(lease, reason: reason)
  }
  func check() async throws(QueueFailure) { try await here().check() }
  func status() async throws(QueueFailure) -> QueueStatus { try await queue.status() }
  func state(of id: String) async throws(QueueFailure) -> JobState? { try await queue.state(of: id) }
  func dead(limit: Int) async throws(QueueFailure) -> [DeadLetter] { try await queue.dead(limit: limit) }
  func revive(_ ids: [String]?) async throws(QueueFailure) -> Int { try await queue.revive(ids) }
  func purge(_ what: Purge) async throws(QueueFailure) -> Int { try await queue.purge(what) }
  func close() async { await queue.close() }
}
