import Synchronization

// What there is, and putting it in order.
extension NATSQueue {
  package func check() async throws(QueueFailure) {
    _ = try await status()
  }

  package func status() async throws(QueueFailure) -> QueueStatus {
    if client.isClosed { throw .closed }
    let (jobs, consumer, notes, dead) = try await trying { () async throws(NATSProblem) in
      let jobs = try await existing(names.stream)
      guard let consumer = try await stream.consumer(names.stream, names.consumer) else {
        throw .refused(code: JetStreamCode.noConsumer, "the consumer “\(names.consumer)” is gone")
      }
      let notes = try await existing(names.waiting, subjects: names.allWaiting)
      return (jobs, consumer, notes, try await existing(names.dead))
    }
    let now = QueueClock.system.now().wall
    let dues = (notes.state.subjects ?? [:]).keys.compactMap { Self.due(of: $0) }
    let due = dues.filter { $0 <= now }
    // A server that was killed may keep messages that were acknowledged, and hands them out to nobody.
    let notHandedOut = max(0, min(jobs.state.messages - consumer.numAckPending, consumer.numPending))
    var oldest = due.min()
    if notHandedOut > 0 {
      let first = try await trying { () async throws(NATSProblem) in
        try await stream.next(names.stream, names.allJobs, from: consumer.delivered.streamSeq + 1)
      }
      if let time = first?.time { oldest = min(oldest ?? time, time) }
    }
    return QueueStatus(
      ready: notHandedOut + due.count, delayed: dues.count - due.count,
      leased: max(0, min(consumer.numAckPending, jobs.state.messages) - dues.count), dead: dead.state.messages,
      oldestReadySeconds: oldest.map { max(0, now - $0) })
  }

  private func existing(_ name: String, subjects: String? = nil) async throws(NATSProblem) -> StreamAnswer {
    guard let found = try await stream.stream(name, subjects: subjects) else {
      throw .refused(code: JetStreamCode.noStream, "the stream “\(name)” is gone")
    }
    return found
  }

  /// From when on the job of a note may be handed out again, in seconds since 1970.
  private static func due(of subject: String) -> Double? {
    subject.split(separator: ".").last.flatMap { Double($0) }.map { $0 / 1000 }
  }

  package func state(of id: String) async throws(QueueFailure) -> JobState? {
    if client.isClosed { throw .closed }
    // In this order: a job is removed when its result or its dead letter is there.
    let job = try await last(names.stream, names.job(id))
    if let result = try await last(names.results, names.result(id)) { return .completed(result: result.data) }
    guard let job else {
      guard let letter = try await last(names.dead, names.letter(id)) else { return nil }
      return .dead(reason: Self.reasons(of: letter))
    }
    guard let ending = try await lastEnding(of: job.sequence)?.ending else {
      let consumer = try await trying { () async throws(NATSProblem) in
        try await stream.consumer(names.stream, names.consumer)
      }
      return consumer?.delivered.streamSeq ?? 0 >= job.sequence ? .leased(attempt: 1) : .waiting(attempts: 0)
    }
    switch ending.kind {
    case .buried: return .dead(reason: ending.reasons)
    case .purged: return nil
    case .completed: return .completed(result: ending.result)
    case .expired: return .leased(attempt: ending.attempts + 1)
    case .returned:
      let note = try await last(names.waiting, names.notes(job.sequence))
      return note == nil ? .leased(attempt: ending.attempts + 1) : .waiting(attempts: ending.attempts)
    }
  }

  private func last(_ name: String, _ subject: String) async throws(QueueFailure) -> JetStream.Stored? {
    try await trying { () async throws(NATSProblem) in try await stream.last(name, subject) }
  }

  // MARK: Dead letters

  package func dead(limit: Int) async throws(QueueFailure) -> [DeadLetter] {
    if client.isClosed { throw .closed }
    var letters: [DeadLetter] = []
    var next: UInt64 = 1
    while letters.count < limit, let message = try await letter(from: next) {
      next = message.sequence + 1
      guard let id = NATSNames.id(of: message.subject) else { continue }
      letters.append(
        DeadLetter(
          id: id, body: message.data, attempts: message.headers[NATSHeader.attempts].flatMap { Int($0) } ?? 0,
          reason: Self.reasons(of: message), buriedAt: message.time))
    }
    return letters
  }

  private func letter(from sequence: UInt64) async throws(QueueFailure) -> JetStream.Stored? {
    try await trying { () async throws(NATSProblem) in
      // A letter that was written just now is meant too.
      try await stream.nextOfAll(names.dead, names.allDead, from: sequence)
    }
  }

  private static func reasons(of letter: JetStream.Stored) -> String {
    letter.headers[NATSHeader.reasons].flatMap { NATSNames.decoded($0[...]) } ?? ""
  }

  package func revive(_ ids: [String]?) async throws(QueueFailure) -> Int {
    if client.isClosed { throw .closed }
    var count = 0
    guard let ids else {
      // Those that are buried meanwhile are not meant: with quick workers this might never end.
      let last = try await lastSequence(names.dead)
      var next: UInt64 = 1
      while next <= last, let message = try await letter(from: next), message.sequence <= last {
        next = message.sequence + 1
        if try await revive(message) { count += 1 }
      }
      return count
    }
    for id in ids {
      if let message = try await last(names.dead, names.letter(id)), try await revive(message) { count += 1 }
    }
    return count
  }

  private func lastSequence(_ name: String) async throws(QueueFailure) -> UInt64 {
    try await trying { () async throws(NATSProblem) in try await existing(name).state.lastSeq }
  }

  /// Adds the job of a dead letter again, and removes the letter.
  private func revive(_ letter: JetStream.Stored) async throws(QueueFailure) -> Bool {
    guard let id = NATSNames.id(of: letter.subject) else { return false }
    let writer = "letter \(letter.sequence)"
    let reasons = NATSReasons.adding("put back after that", to: Self.reasons(of: letter))
    var headers = [
      (name: NATSHeader.writer, value: writer), (name: NATSHeader.reasons, value: NATSNames.encoded(reasons)),
    ]
    if let deadline = letter.headers[NATSHeader.deadline] { headers.append((NATSHeader.deadline, deadline)) }
    // It may have been put back and completed before, by somebody who did not come to remove the letter.
    if try await last(names.results, names.result(id)) == nil {
      guard try await add(id, headers: headers, body: letter.data, writer: writer) == .added else {
        // Its burial is not over yet: the job is still there.
        return false
      }
    }
    try await trying { () async throws(NATSProblem) in try await stream.delete(names.dead, letter.sequence) }
    return true
  }

  // MARK: Forgetting

  package func purge(_ what: Purge) async throws(QueueFailure) -> Int {
    if client.isClosed { throw .closed }
    switch what {
    case .dead:
      return try await trying { () async throws(NATSProblem) in try await stream.purge(names.dead, names.allDead) }
    case .completed:
      // A job whose end has not arrived yet would begin again without its result.
      let end = ContinuousClock.now.advanced(by: .seconds(options.nats.patienceSeconds))
      while try await hasEndingJobs(), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
      return try await trying { () async throws(NATSProblem) in
        try await stream.purge(names.results, names.allResults)
      }
    case .waiting:
      let ready = try await purgeReady()
      return try await purgeDelayed() + ready
    }
  }

  /// Whether there are jobs that have a result.
  private func hasEndingJobs() async throws(QueueFailure) -> Bool {
    let handedOut = try await trying { () async throws(NATSProblem) in
      try await stream.consumer(names.stream, names.consumer)
    }?.delivered.streamSeq
    var next: UInt64 = 1
    while true {
      let sequence = next
      let job = try await trying { () async throws(NATSProblem) in
        try await stream.next(names.stream, names.allJobs, from: sequence)
      }
      guard let job, job.sequence <= handedOut ?? 0 else { return false }
      if let id = NATSNames.id(of: job.subject), try await last(names.results, names.result(id)) != nil { return true }
      next = job.sequence + 1
    }
  }

  /// Removes jobs as a worker does who ends them without a result.
  private func purgeReady() async throws(QueueFailure) -> Int {
    // What is added meanwhile is not meant: this might never end.
    let last = try await lastSequence(names.stream)
    var count = 0
    var isOver = false
    while !isOver {
      let leases = try await lease(100, seconds: ackWait.withLock { $0 }, wait: 0)
      isOver = leases.isEmpty
      for lease in leases {
        guard let mine = held.withLock({ $0[lease.token] }) else { continue }
        guard mine.delivery.sequence <= last else {
          isOver = true
          try await release(lease)
          continue
        }
        try await end(mine.delivery.reply)
        letGo(mine)
        count += 1
      }
    }
    return count
  }

  /// Removes jobs that are due later: takes the lease that is next before anybody else can.
  private func purgeDelayed() async throws(QueueFailure) -> Int {
    let notes = try await trying { () async throws(NATSProblem) in
      try await existing(names.waiting, subjects: names.allWaiting)
    }
    var count = 0
    for subject in (notes.state.subjects ?? [:]).keys {
      guard let note = try await last(names.waiting, subject), try await purge(note) else { continue }
      count += 1
    }
    return count
  }

  private func purge(_ note: JetStream.Stored) async throws(QueueFailure) -> Bool {
    let reply = String(decoding: note.data, as: UTF8.self)
    let message = NATSMessage(subject: names.job(""), reply: reply, headers: [:], data: [])
    guard let delivery = NATSDelivery(message), let number = note.headers[NATSHeader.next].flatMap({ UInt64($0) })
    else { return false }
    let last = try await lastEnding(of: delivery.sequence)
    guard let last, last.number + 1 == number else { return false }
    let lease = NATSHeld(
      delivery: delivery, number: number, attemptsBefore: 0, reasons: "", previous: last.sequence, end: .now,
      writer: nextWriter())
    let ending = NATSEnding(kind: .purged, attempts: 0, deliveries: delivery.deliveries, reasons: "")
    guard try await write(ending, for: lease) else { return false }
    try await end(reply)
    await removeNotes(about: delivery.sequence)
    return true
  }

  /// Has the server remove a job, and waits until it has.
  private func end(_ reply: String) async throws(QueueFailure) {
    _ = try await trying { () async throws(NATSProblem) in try await client.request(reply, data: Array("+TERM".utf8)) }
  }
}
