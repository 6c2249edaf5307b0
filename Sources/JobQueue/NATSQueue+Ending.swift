import Synchronization

extension NATSQueue {
  package func complete(_ lease: Lease, result: [UInt8]) async throws(QueueFailure) {
    guard let mine = try find(lease) else { return try await checkCompleted(lease) }
    let isMine = try await end(mine, result: result)
    letGo(mine)
    if !isMine { throw .leaseLost(id: lease.id) }
  }

  /// - Returns: false when the lease has been ended by somebody else.
  private func end(_ lease: NATSHeld, result: [UInt8]) async throws(QueueFailure) -> Bool {
    // What keeps a second ending out is forgotten after a while: who may have lost the lease long ago looks first.
    if lease.end < .now, let known = try await self.ending(ofOrAfter: lease),
      known.headers[NATSHeader.writer] != lease.writer
    {
      return false
    }
    var ending = NATSEnding(
      kind: .completed, attempts: lease.attempt, deliveries: lease.delivery.deliveries, reasons: "")
    ending.result = result
    // A first lease has its result for an ending.
    if lease.number > 1, try await !write(ending, for: lease) { return false }
    return try await finishCompleting(lease.delivery, ending, number: lease.number)
  }

  /// Publishes the result of a completed job, and removes the job. Done again when it was interrupted.
  /// - Returns: false when the job has another result.
  func finishCompleting(
    _ delivery: NATSDelivery, _ ending: NATSEnding, number: UInt64
  ) async throws(QueueFailure) -> Bool {
    let token = String(NATSToken.make(delivery.sequence, number))
    let headers = [
      (name: NATSHeader.token, value: token), (name: NATSHeader.attempts, value: String(ending.attempts)),
      (name: NATSHeader.messageId, value: Self.messageId(delivery, number)),
      (name: NATSHeader.expectedLast, value: "0"),
    ]
    let subject = names.result(delivery.id)
    let isMine = try await trying { () async throws(NATSProblem) in
      switch try await stream.publish(subject, headers: headers, data: ending.result) {
      case .stored: return true
      case .duplicate, .occupied:
        // An answer may have been lost, and this is the second time.
        return try await stream.last(names.results, subject)?.headers[NATSHeader.token] == token
      }
    }
    if isMine || number > 1 { tell(delivery.reply, "+ACK") }
    return isMine
  }

  /// - Throws: `leaseLost` unless this lease has completed its job.
  private func checkCompleted(_ lease: Lease) async throws(QueueFailure) {
    let result = try await trying { () async throws(NATSProblem) in
      try await stream.last(names.results, names.result(lease.id))
    }
    guard result?.headers[NATSHeader.token] == String(lease.token) else { throw .leaseLost(id: lease.id) }
  }

  package func retry(_ lease: Lease, after seconds: Double, reason: String) async throws(QueueFailure) {
    guard let mine = try find(lease) else { throw .leaseLost(id: lease.id) }
    let reasons = NATSReasons.adding(reason, attempt: lease.attempt, to: mine.reasons)
    try await giveBack(mine, after: seconds, attempts: lease.attempt, reasons: reasons)
  }

  package func release(_ lease: Lease, after seconds: Double) async throws(QueueFailure) {
    guard let mine = try find(lease) else { throw .leaseLost(id: lease.id) }
    try await giveBack(mine, after: seconds, attempts: mine.attemptsBefore, reasons: mine.reasons)
  }

  private func giveBack(
    _ lease: NATSHeld, after seconds: Double, attempts: Int, reasons: String
  ) async throws(QueueFailure) {
    let due = Int64((QueueClock.system.now().wall + min(max(0, seconds), 1e9)) * 1000)
    let ending = NATSEnding(
      kind: .returned, attempts: attempts, deliveries: lease.delivery.deliveries, due: due, reasons: reasons)
    guard try await giveBack(lease, ending) else { throw .leaseLost(id: lease.delivery.id) }
  }

  /// Has a job that was given back before come when it is due, as if this delivery had not been.
  func putOff(_ lease: NATSHeld, _ ending: NATSEnding) async throws(QueueFailure) {
    var ending = ending
    ending.deliveries = lease.delivery.deliveries
    _ = try await giveBack(lease, ending)
  }

  /// - Returns: false when the lease has been ended by somebody else.
  private func giveBack(_ lease: NATSHeld, _ ending: NATSEnding) async throws(QueueFailure) -> Bool {
    defer { letGo(lease) }
    guard try await write(ending, for: lease) else { return false }
    await note(lease, due: ending.due)
    let delay = max(0, Double(ending.due) / 1000 - QueueClock.system.now().wall)
    // When that does not arrive, the job stays away until the lease would have run out.
    _ = try? await client.request(lease.delivery.reply, data: Array(Self.postponement(delay).utf8))
    return true
  }

  package func bury(_ lease: Lease, reason: String) async throws(QueueFailure) {
    guard let mine = try find(lease) else { return try await checkBuried(lease) }
    let ending = NATSEnding(
      kind: .buried, attempts: lease.attempt, deliveries: mine.delivery.deliveries,
      reasons: NATSReasons.adding(reason, attempt: lease.attempt, to: mine.reasons))
    guard try await write(ending, for: mine) else {
      letGo(mine)
      throw .leaseLost(id: lease.id)
    }
    try await finishBurying(mine.delivery, ending)
    letGo(mine)
  }

  /// Puts the dead letter of a buried job where it belongs, and removes the job. Done again when it was interrupted.
  func finishBurying(_ delivery: NATSDelivery, _ ending: NATSEnding) async throws(QueueFailure) {
    var headers = [
      (name: NATSHeader.attempts, value: String(ending.attempts)),
      (name: NATSHeader.reasons, value: NATSNames.encoded(ending.reasons)),
    ]
    if let deadline = delivery.headers[NATSHeader.deadline] { headers.append((NATSHeader.deadline, deadline)) }
    let letter = headers
    _ = try await trying { () async throws(NATSProblem) in
      try await stream.publish(names.letter(delivery.id), headers: letter, data: delivery.body)
    }
    tell(delivery.reply, "+TERM")
  }

  /// - Throws: `leaseLost` unless this lease has buried its job.
  private func checkBuried(_ lease: Lease) async throws(QueueFailure) {
    let last = try await lastEnding(of: NATSToken.sequence(lease.token))
    guard let last, last.number == NATSToken.number(lease.token), last.ending.kind == .buried else {
      throw .leaseLost(id: lease.id)
    }
  }

  /// The lease as this process holds it; nil when it does not.
  private func find(_ lease: Lease) throws(QueueFailure) -> NATSHeld? {
    if client.isClosed { throw .closed }
    return held.withLock { $0[lease.token] }
  }

  // MARK: Endings

  /// Ends a lease.
  /// - Returns: false when it has been ended by somebody else.
  func write(_ ending: NATSEnding, for lease: NATSHeld) async throws(QueueFailure) -> Bool {
    let job = lease.delivery.sequence
    if lease.number == 1 {
      guard try await publishOnce(ending, names.results, names.firstEnding(job), after: 0, for: lease) else {
        return false
      }
    }
    return try await publishOnce(ending, names.endings, names.ending(job), after: lease.previous, for: lease)
  }

  /// Publishes the one ending of a lease.
  ///
  /// The number of the lease is the message's id, which keeps a second ending out for as long as the server remembers
  /// ids. After that the number of the subject's last message does. That alone would not be enough: servers in a
  /// cluster check any but 0 too early, and let two pass that come at the same time.
  /// - Returns: false when there is another one.
  private func publishOnce(
    _ ending: NATSEnding, _ name: String, _ subject: String, after last: UInt64, for lease: NATSHeld
  ) async throws(QueueFailure) -> Bool {
    let headers =
      ending.headers + [
        (name: NATSHeader.lease, value: String(lease.number)),
        (name: NATSHeader.messageId, value: Self.messageId(lease.delivery, lease.number)),
        (name: NATSHeader.expectedLast, value: String(last)), (name: NATSHeader.writer, value: lease.writer),
      ]
    return try await trying { () async throws(NATSProblem) in
      if try await stream.publish(subject, headers: headers, data: ending.data) == .stored { return true }
      // An answer may have been lost, and this is the second time.
      return try await stream.last(name, subject)?.headers[NATSHeader.writer] == lease.writer
    }
  }

  private static func messageId(_ delivery: NATSDelivery, _ number: UInt64) -> String {
    "\(delivery.sequence)/\(number)"
  }

  // MARK: Notes

  /// Notes for the status that a job is not worked on, though the consumer has handed it out.
  private func note(_ lease: NATSHeld, due: Int64) async {
    let headers = [(name: NATSHeader.next, value: String(lease.number + 1))]
    _ = try? await trying { () async throws(NATSProblem) in
      try await stream.publish(
        names.note(lease.delivery.sequence, due: due), headers: headers, data: Array(lease.delivery.reply.utf8))
    }
  }

  func removeNotes(about sequence: UInt64) async {
    _ = try? await trying { () async throws(NATSProblem) in
      try await stream.purge(names.waiting, names.notes(sequence))
    }
  }
}
