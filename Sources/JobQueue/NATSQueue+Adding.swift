extension NATSQueue {
  package func enqueue(_ job: NewJob) async throws(QueueFailure) -> Enqueued {
    if client.isClosed { throw .closed }
    try job.check()
    if try await hasEnded(job.id) { return .known }
    let writer = nextWriter()
    var headers = [(name: NATSHeader.writer, value: writer)]
    if let deadline = job.deadline { headers.append((NATSHeader.deadline, String(deadline))) }
    // Keeps out a job that ends between the look above and here.
    let identified = headers + [(name: NATSHeader.messageId, value: NATSNames.encoded(job.id))]
    switch try await add(job.id, headers: identified, body: job.body, writer: writer) {
    case .added: return .added
    case .there: return .known
    case .gone:
      // The server remembers the id of a job that is not there any more: ended just now, or purged.
      if try await hasEnded(job.id) { return .known }
      return try await add(job.id, headers: headers, body: job.body, writer: writer) == .added ? .added : .known
    }
  }

  /// Whether the job has ended, and that is remembered.
  private func hasEnded(_ id: String) async throws(QueueFailure) -> Bool {
    try await trying { () async throws(NATSProblem) in
      async let letter = glance(names.dead, names.letter(id))
      let result = await glance(names.results, names.result(id))
      let isDead = try await letter.get() != nil
      return try result.get() != nil || isDead
    }
  }

  private func glance(_ name: String, _ subject: String) async -> Result<JetStream.Stored?, NATSProblem> {
    do throws(NATSProblem) { return .success(try await stream.glance(name, subject)) } catch { return .failure(error) }
  }

  enum Addition { case added, there, gone }

  /// Adds a job's message unless there is one.
  func add(
    _ id: String, headers: [(name: String, value: String)], body: [UInt8], writer: String
  ) async throws(QueueFailure) -> Addition {
    try await trying { () async throws(NATSProblem) in
      if try await stream.publish(names.job(id), headers: headers, data: body) == .stored { return .added }
      guard let there = try await stream.last(names.stream, names.job(id)) else { return .gone }
      // An answer may have been lost, and this is the second time.
      return there.headers[NATSHeader.writer] == writer ? .added : .there
    }
  }
}
