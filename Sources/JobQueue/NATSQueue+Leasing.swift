import Synchronization

extension NATSQueue {
  /// More than any process works on.
  private static let manyLeases = 4_096

  package func lease(_ count: Int, seconds: Double, wait: Double) async throws(QueueFailure) -> [Lease] {
    if client.isClosed { throw .closed }
    guard count > 0 else { return [] }
    let end = ContinuousClock.now.advanced(by: .seconds(min(max(0, wait), 1e9)))
    let subject = "$JS.API.CONSUMER.MSG.NEXT.\(names.stream).\(names.consumer)"
    while true {
      let left = max(0, (end - .now) / .seconds(1))
      let deliveries = try await trying { () async throws(NATSProblem) in
        try await pulls.take(count, seconds: left) { (number, request) throws(NATSProblem) in
          try client.send(subject, reply: number, data: request)
        }
      }
      let leases = try await admit(deliveries, seconds: seconds)
      if client.isClosed { throw .closed }
      if !leases.isEmpty { return leases }
      guard ContinuousClock.now < end, !Task.isCancelled else { return [] }
      // What came were jobs that have ended, or nothing because others wait for more than there is.
      if left < NATSPulls.longestWait || !deliveries.isEmpty { try? await Task.sleep(for: .milliseconds(5)) }
    }
  }

  /// Makes leases of what was handed out, those with the earliest deadline first.
  private func admit(_ deliveries: [NATSDelivery], seconds: Double) async throws(QueueFailure) -> [Lease] {
    guard !deliveries.isEmpty else { return [] }
    var admitted = deliveries.filter(\.isFirst).map(firstLease)
    let again = deliveries.filter { !$0.isFirst }
    var failure: QueueFailure?
    if !again.isEmpty {
      await withTaskGroup(of: (NATSDelivery, Result<NATSHeld?, QueueFailure>).self) { group in
        for delivery in again {
          group.addTask {
            do throws(QueueFailure) { return (delivery, .success(try await self.furtherLease(delivery))) } catch {
              return (delivery, .failure(error))
            }
          }
        }
        for await (delivery, result) in group {
          switch result {
          case .success(let lease): if let lease { admitted.append(lease) }
          case .failure(let error):
            failure = error
            keepGivingBack(delivery)
          }
        }
      }
    }
    if admitted.isEmpty, let failure { throw failure }
    admitted.sort {
      ($0.delivery.deadline ?? .infinity, $0.delivery.sequence) < (
        $1.delivery.deadline ?? .infinity, $1.delivery.sequence
      )
    }
    hold(admitted, seconds: seconds)
    return admitted.map(\.lease)
  }

  private func hold(_ leases: [NATSHeld], seconds: Double) {
    let end = ContinuousClock.now.advanced(by: .seconds(min(max(0, seconds), 1e9)))
    held.withLock { held in
      for lease in leases {
        held[lease.token] = lease
        held[lease.token]?.end = end
      }
      // Those that nobody ended or asked for any more.
      if held.count > 2 * Self.manyLeases { held = held.filter { $0.value.end > .now - .seconds(3_600) } }
    }
    // The consumer's own wait has begun with the delivery.
    guard seconds != ackWait.withLock({ $0 }) else { return }
    for lease in leases { postpone(lease.delivery, seconds: seconds) }
  }

  /// Has the server hand a job out again in some seconds, and not before. A lost message shortens the lease.
  func postpone(_ delivery: NATSDelivery, seconds: Double) {
    tell(delivery.reply, Self.postponement(seconds))
  }

  static func postponement(_ seconds: Double) -> String {
    seconds > 0 ? #"-NAK {"delay":\#(Int64(min(seconds, 1e9) * 1e9))}"# : "-NAK"
  }

  /// Says what becomes of a message. Nothing depends on its arrival but how soon the server hands the job out again.
  func tell(_ reply: String, _ what: String) {
    try? client.send(reply, data: Array(what.utf8))
  }

  private func firstLease(_ delivery: NATSDelivery) -> NATSHeld {
    let reasons = delivery.headers[NATSHeader.reasons].flatMap { NATSNames.decoded($0[...]) } ?? ""
    return NATSHeld(delivery: delivery, number: 1, attemptsBefore: 0, reasons: reasons, end: .now, writer: nextWriter())
  }

  /// Makes a lease of a job that has been handed out before, so that nobody else holds one.
  /// - Returns: nil when the job has ended, is not due yet, or is taken by somebody else at the same time.
  private func furtherLease(_ delivery: NATSDelivery) async throws(QueueFailure) -> NATSHeld? {
    let result = try await trying { () async throws(NATSProblem) in
      try await stream.last(names.results, names.result(delivery.id))
    }
    guard result == nil else {
      tell(delivery.reply, "+ACK")
      return nil
    }
    let last = try await lastEnding(of: delivery.sequence)
    var lease = firstLease(delivery)
    if let last {
      let ending = last.ending
      if delivery.isKept, delivery.deliveries <= ending.deliveries { return nil }
      lease.number = last.number + 1
      lease.previous = last.sequence
      lease.attemptsBefore = ending.attempts
      lease.reasons = ending.reasons
      switch ending.kind {
      case .purged:
        tell(delivery.reply, "+TERM")
        return nil
      case .buried:
        try await finishBurying(delivery, ending)
        return nil
      case .completed:
        _ = try await finishCompleting(delivery, ending, number: last.number)
        return nil
      case .returned, .expired: break
      }
      let delay = Double(ending.due) / 1000 - QueueClock.system.now().wall
      if delay > 0.1 {
        // A server that has just become the consumer's leader may not know of the delay. This delivery has to have an
        // ending like all others, or whoever gets the next one takes it for one of a worker that was killed.
        try await putOff(lease, ending)
        return nil
      }
    }
    if !isNext(delivery, after: last?.ending) {
      // Somebody got the job in between, or the servers don't know any more.
      guard try await expire(&lease) else { return nil }
    }
    await removeNotes(about: delivery.sequence)
    return lease
  }

  /// Whether nobody can have got the job between the end of its last lease and this delivery.
  private func isNext(_ delivery: NATSDelivery, after ending: NATSEnding?) -> Bool {
    guard let ending else { return delivery.deliveries == 1 }
    // A new leader of the consumer may count a delivery again that came to nothing.
    return delivery.deliveries == ending.deliveries + 1
      || ending.kind == .returned && delivery.deliveries == ending.deliveries
  }

  /// Ends the lease that somebody else has or had, and makes `lease` the one behind.
  /// - Returns: false when it was ended in another way at the same time.
  private func expire(_ lease: inout NATSHeld) async throws(QueueFailure) -> Bool {
    let reasons = NATSReasons.adding(
      "its lease ran out; the worker was killed or cut off", attempt: lease.attempt, to: lease.reasons)
    let ending = NATSEnding(
      kind: .expired, attempts: lease.attempt, deliveries: lease.delivery.deliveries - 1, reasons: reasons)
    guard try await write(ending, for: lease) else { return false }
    let last = try await lastEnding(of: lease.delivery.sequence)
    guard let last, last.number == lease.number else { return false }
    lease.number += 1
    lease.previous = last.sequence
    lease.attemptsBefore = ending.attempts
    lease.reasons = reasons
    lease.writer = nextWriter()
    return true
  }

  /// Finds the ending of the last lease of a job's message that has ended.
  func lastEnding(of sequence: UInt64) async throws(QueueFailure) -> NATSLastEnding? {
    let message = try await trying { () async throws(NATSProblem) in
      try await stream.last(names.endings, names.ending(sequence))
    }
    if let message, let ending = NATSEnding(message), let number = Self.number(of: message) {
      return NATSLastEnding(number: number, sequence: message.sequence, ending: ending)
    }
    // Whoever ended the first lease may not have come to copy that.
    let first = try await trying { () async throws(NATSProblem) in
      try await stream.last(names.results, names.firstEnding(sequence))
    }
    return first.flatMap(NATSEnding.init).map { NATSLastEnding(number: 1, sequence: 0, ending: $0) }
  }

  /// The number of the lease that an ending is of.
  private static func number(of ending: JetStream.Stored) -> UInt64? {
    ending.headers[NATSHeader.lease].flatMap { UInt64($0) }
  }

  package func extend(_ leases: [Lease], seconds: Double) async throws(QueueFailure) -> [Lease] {
    if client.isClosed { throw .closed }
    let mine = held.withLock { held in leases.map { held[$0.token] } }
    var isLost = mine.map { $0 == nil }
    let outcomes = await withTaskGroup(of: (Int, Result<Bool, QueueFailure>).self) { group in
      for (index, lease) in mine.enumerated() {
        guard let lease else { continue }
        group.addTask {
          do throws(QueueFailure) {
            let isLost = try await self.isEnded(lease)
            // At once: another question may go unanswered for longer than this lease lasts.
            if !isLost { self.prolong(lease, seconds: seconds) }
            return (index, .success(isLost))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    var failure: QueueFailure?
    for (index, outcome) in outcomes {
      switch outcome {
      case .success(let outcome): isLost[index] = outcome
      case .failure(let error): failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return zip(leases, isLost).filter(\.1).map(\.0)
  }

  /// Whether somebody has ended the lease.
  private func isEnded(_ lease: NATSHeld) async throws(QueueFailure) -> Bool {
    let isEnded = try await ending(ofOrAfter: lease) != nil
    if isEnded { letGo(lease) }
    return isEnded
  }

  /// The ending of a lease or of a later one of the same job, as any of the servers knows it.
  func ending(ofOrAfter lease: NATSHeld) async throws(QueueFailure) -> JetStream.Stored? {
    let last = try await trying { () async throws(NATSProblem) in
      try await stream.glance(names.endings, names.ending(lease.delivery.sequence))
    }
    guard let last, let number = Self.number(of: last), number >= lease.number else { return nil }
    return last
  }

  private func prolong(_ lease: NATSHeld, seconds: Double) {
    let now = ContinuousClock.now
    let hasRunOut = lease.end <= now
    held.withLock { held in
      held[lease.token]?.end = now.advanced(by: .seconds(min(max(0, seconds), 1e9)))
    }
    // Progress does not call back what the server is about to hand out; a delay does.
    if !hasRunOut, seconds == ackWait.withLock({ $0 }) {
      tell(lease.delivery.reply, "+WPI")
    } else {
      postpone(lease.delivery, seconds: seconds)
    }
  }

  func letGo(_ lease: NATSHeld) {
    held.withLock { $0[lease.token] = nil }
  }

  /// Gives a job back that came when nobody waited for it, without spending an attempt.
  func giveBack(_ delivery: NATSDelivery) async {
    guard let delivery = pulls.withdraw(delivery) else { return }
    if await !hasGivenBack(delivery) { keepGivingBack(delivery) }
  }

  /// Gives a job back as soon as the servers answer questions about it. Dropping it would spend an attempt: whoever got
  /// it next could not tell that from a worker that was killed.
  func keepGivingBack(_ delivery: NATSDelivery) {
    var delivery = delivery
    delivery.isKept = true
    Task { [weak self, delivery] in
      repeat {
        try? await Task.sleep(for: .seconds(1))
      } while await self?.hasGivenBack(delivery) == false
    }
  }

  /// - Returns: false when that is worth another try.
  func hasGivenBack(_ delivery: NATSDelivery) async -> Bool {
    do throws(QueueFailure) {
      let lease = delivery.isFirst ? firstLease(delivery) : try await furtherLease(delivery)
      guard let lease else { return true }
      hold([lease], seconds: options.nats.ackWaitSeconds)
      try await release(lease.lease, after: 0)
      return true
    } catch .unavailable {
      return false
    } catch {
      return true
    }
  }
}
