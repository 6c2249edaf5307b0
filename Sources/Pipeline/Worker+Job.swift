import FoundationEssentials
import JobQueue
import RichPush

/// How a leased job ends.
private enum Ending {
  case publish(Manifest, callback: String?)
  case retry(after: Double, reason: String)
  case release(after: Double, reason: String)
  case bury(reason: String, codes: [Rejection.Code], callback: String?)
  /// A callback has been accepted.
  case calledBack
}

extension Worker {
  /// Takes one job from its lease to its end. A task that is cancelled gives the job back.
  nonisolated func serve(_ lease: Lease) async {
    let start = ContinuousClock.now
    await StageTimes.$current.withValue(StageTimes()) {
      let ending: Ending
      do {
        try Task.checkCancellation()
        ending = lease.id.hasPrefix(Callback.idPrefix) ? try await call(lease) : try await work(on: lease)
      } catch {
        ending = .release(after: 0, reason: "the worker is ending")
      }
      // What is cancelled is the work; that the queue learns of it never is.
      await Task { await conclude(lease, ending, since: start) }.value
    }
    await ended(LeaseKey(lease))
  }

  // MARK: The work

  nonisolated private func work(on lease: Lease) async throws -> Ending {
    let document: JobDocument
    do throws(JobDocument.Fault) {
      document = try JobDocument(json: lease.body)
      guard document.id == lease.id else { throw JobDocument.Fault("id", "is another one than the queue has") }
    } catch {
      return .publish(rejected(lease.id, [], Rejection.Reason(invalid: error)), callback: nil)
    }
    guard document.callback == nil || callbacks != nil else {
      let fault = JobDocument.Fault(
        "callback", "cannot be served: this worker has no secret to sign with; --callback-secret-file FILE names one")
      return .publish(rejected(document, Rejection.Reason(invalid: fault)), callback: nil)
    }
    if let manifest = await publishedBefore(lease) { return .publish(manifest, callback: document.callback) }
    guard lease.attempt <= configuration.deliveries else {
      return .bury(
        reason: "it was handed out \(configuration.deliveries) times, and the worker that had it died or lost it",
        codes: [], callback: document.callback)
    }
    if let ending = expired(document) { return ending }
    let job: Job
    do throws(JobDocument.Fault) {
      job = try Job(document, defaults: configuration.defaults)
    } catch {
      return .publish(rejected(document, Rejection.Reason(invalid: error)), callback: document.callback)
    }
    return try await withPlaces(at: job.origins, until: document.expiresAt) {
      guard let manifest = try await prepare(job, until: document.expiresAt) else {
        if let ending = expired(document) { return ending }
        throw CancellationError()
      }
      return await ending(lease, document, manifest)
    }
  }

  /// What an earlier attempt published before its worker died or was cut off: the job has ended, and only the queue
  /// does not know.
  nonisolated private func publishedBefore(_ lease: Lease) async -> Manifest? {
    guard lease.attempt > 1, let manifest = await work.manifest(of: lease.id),
      let published = Timestamp(manifest.preparedAt)?.secondsSince1970
    else { return nil }
    // Another manifest is that of a job of the same id that was completed and forgotten. Theirs are whole seconds.
    return published >= lease.addedAt.rounded(.down) ? manifest : nil
  }

  /// - Returns: nil when the time was up.
  nonisolated private func prepare(_ job: Job, until end: Timestamp?) async throws -> Manifest? {
    guard let end else { return try await work.prepare(job) }
    let left = end.secondsSince1970 - configuration.now()
    return try await withThrowingTaskGroup(of: Manifest?.self) { group in
      group.addTask { try await self.work.prepare(job) }
      group.addTask {
        try await Task.sleep(for: .seconds(min(max(left, 0), 1e9)))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Runs `body` while the job has a place at each of its origins.
  nonisolated private func withPlaces(
    at origins: Set<String>, until end: Timestamp?, _ body: () async throws -> Ending
  ) async throws -> Ending {
    var entered: [String] = []
    defer { for origin in entered { gate.leave(origin) } }
    // In order, so that no two jobs can wait for each other.
    for origin in origins.sorted() {
      if case .setAside(let seconds) = try await gate.enter(origin) {
        await slowDown()
        // A job with little time has another look before it is over.
        let left = end.map { $0.secondsSince1970 - configuration.now() } ?? .infinity
        return .release(after: min(seconds, max(0.2, left / 2)), reason: "many jobs wait for \(origin)")
      }
      entered.append(origin)
    }
    return try await body()
  }

  nonisolated private func ending(_ lease: Lease, _ document: JobDocument, _ manifest: Manifest) async -> Ending {
    let storeWorksForOthers = await storeWorks(forOthersThan: lease.id)
    let circumstances = Circumstances(
      attempt: lease.attempt, attempts: configuration.attempts,
      delay: configuration.delay(after: lease.attempt, atMost: configuration.maximumRetryDelay),
      secondsLeft: document.expiresAt.map { $0.secondsSince1970 - configuration.now() },
      storeWorksForOthers: storeWorksForOthers, lacksHelpers: work.helperFault != nil)
    switch verdict(on: manifest, circumstances) {
    case .publish: return .publish(manifest, callback: document.callback)
    case .retry(let seconds, let reason): return .retry(after: seconds, reason: reason)
    case .bury(let reason, let codes):
      // Whoever lost the lease to this worker may have published just then.
      if let manifest = await publishedBefore(lease) { return .publish(manifest, callback: document.callback) }
      return .bury(reason: reason, codes: codes, callback: document.callback)
    case .setAside(let dependency, let reason): return await setAside(lease, dependency, reason)
    }
  }

  private func setAside(_ lease: Lease, _ dependency: WorkerEvent.Dependency, _ reason: String) -> Ending {
    failed(dependency, reason)
    if dependency == .store {
      if storeRefusals.count > 10_000 { storeRefusals = [:] }
      storeRefusals[lease.id] = storeSuccesses
    }
    return .release(after: outages[dependency]?.suggestedDelay ?? 0, reason: reason)
  }

  /// What becomes of a job whose manifest the store does not take.
  private func refusedManifest(of lease: Lease, _ fault: Rejection.Reason, callback: String?) -> Ending {
    let reason = "\(fault.message) [\(fault.code.rawValue)]"
    let end = Ending.bury(reason: reason, codes: [fault.code], callback: callback)
    if fault.permanent { return end }
    guard storeWorks(forOthersThan: lease.id) else { return setAside(lease, .store, fault.message) }
    guard lease.attempt < configuration.attempts else { return end }
    return .retry(
      after: configuration.delay(after: lease.attempt, atMost: configuration.maximumRetryDelay), reason: reason)
  }

  private func storeWorks(forOthersThan id: String) -> Bool {
    storeRefusals[id].map { $0 < storeSuccesses } ?? false
  }

  private func stored(_ id: String) {
    storeSuccesses += 1
    storeRefusals[id] = nil
    works(.store)
  }

  nonisolated private func expired(_ document: JobDocument) -> Ending? {
    guard let end = document.expiresAt, case let late = configuration.now() - end.secondsSince1970, late >= 0 else {
      return nil
    }
    let reason = Rejection.Reason(
      .expired, at: .plan, "the job was of use until \(end.text), which was \(roughDuration(late)) ago", limit: 0,
      measured: (late * 1000).rounded() / 1000)
    return .publish(rejected(document, reason), callback: document.callback)
  }

  nonisolated private func rejected(_ document: JobDocument, _ reason: Rejection.Reason) -> Manifest {
    rejected(document.id, document.sources.map(\.url), reason, payload: document.payload)
  }

  nonisolated private func rejected(
    _ id: String, _ sources: [String], _ reason: Rejection.Reason, payload: JSONValue? = nil
  ) -> Manifest {
    let names = sources.map { url in
      (try? sourceLocation(of: url, field: "")).map(\.publicName) ?? unnamedSource
    }
    return Manifest(
      rejecting: id, sources: names.isEmpty ? [unnamedSource] : names, for: reason, preparedAt: timestamp,
      payload: payload)
  }

  nonisolated private var timestamp: String {
    Date(timeIntervalSince1970: configuration.now()).formatted(.iso8601)
  }

  // MARK: Callbacks

  nonisolated private func call(_ lease: Lease) async throws -> Ending {
    guard let callbacks else {
      return .release(after: 60, reason: "this worker has no secret to sign callbacks with")
    }
    guard let callback = try? Callback(job: lease), let body = try? callback.body else {
      return .bury(reason: "the callback cannot be read", codes: [], callback: nil)
    }
    return try await withPlaces(at: Set([JobSource.Location.url(callback.url).origin].compactMap(\.self)), until: nil) {
      try await post(body, of: callback, lease, through: callbacks)
    }
  }

  nonisolated private func post(
    _ body: [UInt8], of callback: Callback, _ lease: Lease, through callbacks: any CallbackSender
  ) async throws -> Ending {
    do throws(Rejection.Reason) {
      try await callbacks.post(body, to: callback.url, id: lease.id)
      return .calledBack
    } catch {
      try Task.checkCancellation()
      let reason = "\(error.message) [\(error.code.rawValue)]"
      guard !error.permanent, lease.attempt < configuration.callbackAttempts else {
        return .bury(reason: reason, codes: [error.code], callback: nil)
      }
      return .retry(
        after: configuration.delay(after: lease.attempt, atMost: configuration.maximumCallbackDelay), reason: reason)
    }
  }

  // MARK: The end

  private func conclude(_ lease: Lease, _ ending: Ending, since start: ContinuousClock.Instant) async {
    let key = LeaseKey(lease)
    switch ending {
    case .publish(let manifest, let callback): await publish(lease, manifest, callback: callback, since: start)
    case .retry(let seconds, let reason):
      guard
        await tell(key, { () throws(QueueFailure) in try await queue.retry(lease, after: seconds, reason: reason) })
      else { return }
      report(.retried(id: lease.id, attempt: lease.attempt, after: seconds, reason: reason))
    case .release(let seconds, let reason):
      guard await tell(key, { () throws(QueueFailure) in try await queue.release(lease, after: seconds) }) else {
        return
      }
      if isDraining { released += 1 }
      report(.released(id: lease.id, after: seconds, reason: reason))
    case .bury(let reason, let codes, let callback):
      guard await holds(key) else { return }
      if let callback {
        let result = JobResult(
          dead: lease.id, reason: reason, codes: codes, attempts: lease.attempt, endedAt: timestamp)
        guard await enqueue(Callback(to: callback, result, of: lease), for: key) else { return }
      }
      guard await tell(key, { () throws(QueueFailure) in try await queue.bury(lease, reason: reason) }) else { return }
      report(.buried(id: lease.id, attempts: lease.attempt, reason: reason, codes: codes))
    case .calledBack:
      let result = Array(#"{"status":"delivered"}"#.utf8)
      guard await tell(key, { () throws(QueueFailure) in try await queue.complete(lease, result: result) }) else {
        return
      }
      report(.calledBack(id: lease.id, attempt: lease.attempt))
    }
  }

  private func publish(
    _ lease: Lease, _ manifest: Manifest, callback: String?, since start: ContinuousClock.Instant
  ) async {
    let key = LeaseKey(lease)
    guard await holds(key) else { return }
    let location: String
    do throws(Rejection.Reason) {
      location = try await work.publish(manifest)
    } catch {
      return await conclude(lease, refusedManifest(of: lease, error, callback: callback), since: start)
    }
    stored(lease.id)
    let result = JobResult(manifest, at: location, attempts: lease.attempt, endedAt: timestamp)
    // Before the job is complete: a worker that dies in between does both again, and the message is still sent once.
    if let callback {
      guard await enqueue(Callback(to: callback, result, of: lease), for: key) else { return }
    }
    guard let body = try? encodedLine(result),
      await tell(key, { () throws(QueueFailure) in try await queue.complete(lease, result: body) })
    else { return }
    let milliseconds = Int((clock.now - start) / .milliseconds(1))
    let stages = StageTimes.current?.milliseconds ?? [:]
    report(.finished(id: lease.id, result, milliseconds: milliseconds, stages: stages))
  }

  private func enqueue(_ callback: Callback, for key: LeaseKey) async -> Bool {
    guard let job = try? callback.job else { return false }
    return await tell(key) { () throws(QueueFailure) in _ = try await queue.enqueue(job) }
  }
}

/// What a manifest calls the source of a job that could not be read.
private let unnamedSource = "(unreadable job)"

extension Rejection.Reason {
  init(invalid fault: JobDocument.Fault) {
    self.init(.invalidJob, at: .plan, fault.message)
  }
}

extension Job {
  /// Whom its sources are fetched from: scheme, host and port.
  var origins: Set<String> { Set(sources.compactMap(\.location.origin)) }
}

extension JobSource.Location {
  /// Scheme, host and port of what is on the network.
  fileprivate var origin: String? {
    guard case .url = self else { return nil }
    let parts = publicName.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count > 2 ? parts.prefix(3).joined(separator: "/") : nil
  }
}
