package import JobQueue

/// Takes jobs from a queue, has them prepared, and says how each ended, until it is told to end.
///
/// A job is the worker's as long as its lease holds. Whatever becomes of the worker, the job ends once: its manifest is
/// stored before the queue learns that it is complete, only while the lease holds, and a job that was begun twice comes
/// to the same manifest. Whoever takes away what all jobs need, the queue, the store, the helpers, has the worker wait.
package actor Worker {
  nonisolated let queue: any JobQueue
  nonisolated let work: any JobWork
  nonisolated let callbacks: (any CallbackSender)?
  nonisolated let configuration: WorkerConfiguration
  nonisolated let report: @Sendable (WorkerEvent) -> Void
  nonisolated let gate: OriginGate
  let clock = ContinuousClock()
  private let bell = Bell()

  var held: [LeaseKey: HeldLease] = [:]
  var outages: [WorkerEvent.Dependency: Outage] = [:]
  /// How often the store has taken something, and how often it had when it last refused a job.
  var storeSuccesses = 0
  var storeRefusals: [String: Int] = [:]
  private var leasing: Task<[Lease], any Error>?
  private var paceUntil = ContinuousClock.Instant.now
  private(set) var isDraining = false
  /// How many jobs were given back since the end was asked for.
  var released = 0

  /// - Parameters:
  ///   - callbacks: nil where jobs may not ask for any.
  ///   - report: is called from any thread, also while the worker is busy.
  package init(
    queue: any JobQueue, work: any JobWork, callbacks: (any CallbackSender)? = nil,
    configuration: WorkerConfiguration = WorkerConfiguration(),
    report: @escaping @Sendable (WorkerEvent) -> Void = { _ in }
  ) {
    self.queue = queue
    self.work = work
    self.callbacks = callbacks
    self.configuration = configuration
    self.report = report
    gate = OriginGate(places: configuration.placesAtOrigins, maximumLine: configuration.jobs)
  }

  /// Works until `drain` is called, and what is in work then has ended or was given back.
  /// - Returns: how many jobs could not be given back; others get them when their leases have run out.
  @discardableResult
  package func run() async -> Int {
    let heart = Task { await keepLeases() }
    while !isDraining {
      if let pause = pause() {
        await bell.wait(atMost: pause)
      } else if case let count = room, count > 0 {
        await take(count)
      } else {
        await bell.wait(atMost: work.isSaturated ? 0.05 : 1)
      }
    }
    await finish()
    heart.cancel()
    return held.count
  }

  /// Has the worker take no more jobs, and `run` return within the grace period.
  package func drain() {
    isDraining = true
    leasing?.cancel()
    gate.close()
    bell.ring()
  }

  /// Seconds to wait before anything is taken; nil for none.
  private func pause() -> Double? {
    let now = clock.now
    let waits = outages.values.compactMap { $0.wait(at: now) } + [(paceUntil - now) / .seconds(1)]
    return waits.max().flatMap { $0 > 0 ? $0 : nil }
  }

  /// How many jobs it has, those that wait for their turn at an origin included.
  package var jobsInWork: Int { held.count }

  /// How many jobs to take. A few at a time are cheaper than one after the other, and few enough leave something for
  /// other workers.
  private var room: Int {
    let active = held.count - gate.waiting
    let free = configuration.jobs - active
    guard !work.isSaturated, free >= min(configuration.batch, max(1, configuration.jobs / 8)) else { return 0 }
    // After an outage one job shows whether it is over.
    return outages.isEmpty ? min(free, configuration.batch) : 1
  }

  private func take(_ count: Int) async {
    let start = clock.now
    for dependency in outages.keys { outages[dependency]?.probe(at: start) }
    let task = Task { [queue, seconds = configuration.leaseSeconds] in
      try await queue.lease(count, seconds: seconds, wait: 2)
    }
    leasing = task
    let result = await task.result
    leasing = nil
    switch result {
    case .success(let leases):
      if leases.isEmpty { await lookForQueue() } else { works(.queue) }
      // Callbacks ask for neither store nor helpers.
      if leases.allSatisfy({ $0.id.hasPrefix(Callback.idPrefix) }) { await lookAround() }
      for lease in leases { begin(lease, validUntil: start.advanced(by: .seconds(configuration.leaseSeconds))) }
    case .failure(let error):
      guard !isDraining else { return }
      failed(.queue, (error as? QueueFailure)?.message ?? "\(error)")
    }
  }

  /// Looks whether the queue is there again. That it has no job need not say so: where several servers have to agree,
  /// those that are left may still read.
  private func lookForQueue() async {
    guard outages[.queue] != nil, !isDraining else { return }
    do throws(QueueFailure) {
      try await queue.check()
      works(.queue)
    } catch {
      failed(.queue, error.message)
    }
  }

  /// Looks for what was gone, when there is no job that would show it.
  private func lookAround() async {
    if outages[.helpers] != nil, work.helperFault == nil { works(.helpers) }
    if outages[.store] != nil, await work.storeAnswers { works(.store) }
  }

  private func begin(_ lease: Lease, validUntil: ContinuousClock.Instant) {
    // An earlier lease of the same job was lost, and nobody has noticed yet.
    if lease.attempt > 1 {
      for key in held.keys where key.isSameJob(as: lease) && key.token != lease.token { lose(key) }
    }
    let key = LeaseKey(lease)
    held[key] = HeldLease(lease: lease, validUntil: validUntil)
    held[key]?.task = Task { await serve(lease) }
    // A draining worker gives it back at once.
    if isDraining { held[key]?.task?.cancel() }
  }

  /// A job is done with, one way or another.
  func ended(_ key: LeaseKey) {
    held[key] = nil
    if outages[.helpers] != nil, work.helperFault == nil { works(.helpers) }
    bell.ring()
  }

  /// Lets some time pass before more is taken: what comes now has to be set aside.
  func slowDown() {
    paceUntil = clock.now.advanced(by: .milliseconds(50))
  }

  private func finish() async {
    report(.draining(jobs: held.count))
    // What is left of the time is for giving back.
    let reserve = max(0.5, min(2, configuration.grace / 5))
    await waitForEnd(within: configuration.grace - reserve)
    for lease in held.values { lease.task?.cancel() }
    await waitForEnd(within: reserve)
    report(.drained(released: released, abandoned: held.count))
  }

  private func waitForEnd(within seconds: Double) async {
    let end = clock.now.advanced(by: .seconds(seconds))
    while !held.isEmpty, case let left = (end - clock.now) / .seconds(1), left > 0 {
      await bell.wait(atMost: left)
    }
  }

  // MARK: What all jobs need

  func failed(_ dependency: WorkerEvent.Dependency, _ message: String) {
    let isFirst = outages[dependency, default: Outage()].failed(
      at: clock.now, pause: configuration.pause, atMost: configuration.maximumPause)
    if isFirst { report(.unavailable(dependency, message)) }
  }

  func works(_ dependency: WorkerEvent.Dependency) {
    guard let seconds = outages[dependency]?.succeeded(at: clock.now) else { return }
    outages[dependency] = nil
    report(.available(dependency, after: seconds))
    bell.ring()
  }
}
