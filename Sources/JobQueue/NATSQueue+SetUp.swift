import Synchronization

extension NATSQueue {
  private static let second: Int64 = 1_000_000_000
  /// How long the server remembers the ids of messages, in seconds: longer than anything is on its way.
  private static let duplicateWindow: Int64 = 120
  /// Notes about jobs that wait longer than that are forgotten, and the status takes these jobs for leased.
  private static let notesAge: Int64 = 30 * 86_400

  /// A job that waits longer than that for its next attempt begins with the first one again.
  private static let endingsAge: Int64 = 14 * 86_400

  /// Creates streams and consumer where they are missing, and makes sure that they are what they have to be.
  func setUp() async throws(NATSProblem) {
    var thinner: [StreamSettings] = []
    for wanted in settings {
      let found = try await find(wanted)
      guard found.subjects == wanted.subjects, found.retention == wanted.retention,
        found.discardNewPerSubject ?? false == wanted.discardNewPerSubject ?? false, found.allowDirect == true
      else {
        throw .unusable(
          "the NATS stream “\(wanted.name)” is not one that was made for a queue; name another stream")
      }
      if found.numReplicas < wanted.numReplicas { thinner.append(found) }
    }
    thin.withLock { [thinner] in $0 = thinner }
    let consumer = try await findConsumer()
    ackWait.withLock { $0 = Double(consumer.ackWait) / Double(Self.second) }
  }

  package var caveats: [String] {
    let streams = thin.withLock(\.self)
    guard let least = streams.map(\.numReplicas).min() else { return [] }
    return [
      "these NATS streams keep messages on as few servers as \(least), not on \(options.nats.replicas): "
        + streams.map(\.name).joined(separator: ", ") + "; whoever made them asked for no more; "
        + "nats stream edit NAME --replicas=\(options.nats.replicas) changes that"
    ]
  }

  private func find(_ wanted: StreamSettings) async throws(NATSProblem) -> StreamSettings {
    if let found = try await stream.stream(wanted.name) { return found.config }
    guard options.createsQueue else {
      throw .unusable("there is no queue on the NATS server: the stream “\(wanted.name)” is missing")
    }
    do throws(NATSProblem) {
      try await stream.create(wanted)
    } catch .refused(JetStreamCode.nameTaken, _) {
      // Another process was faster.
    }
    guard let made = try await stream.stream(wanted.name) else {
      throw .refused(code: JetStreamCode.noStream, "the stream “\(wanted.name)” is not there yet")
    }
    return made.config
  }

  private func findConsumer() async throws(NATSProblem) -> ConsumerSettings {
    if let found = try await stream.consumer(names.stream, names.consumer) { return found.config }
    var settings = ConsumerSettings(
      durableName: names.consumer, ackWait: Int64(options.nats.ackWaitSeconds * Double(Self.second)))
    // Jobs that are to be retried later count as handed out, and may be very many: one origin that is down must not
    // keep all other jobs waiting.
    settings.maxAckPending = -1
    settings.maxWaiting = 4_096
    do throws(NATSProblem) {
      try await stream.create(settings, on: names.stream)
    } catch .refused(JetStreamCode.consumerTaken, _) {
    }
    guard let made = try await stream.consumer(names.stream, names.consumer) else {
      throw .refused(code: JetStreamCode.noConsumer, "the consumer “\(names.consumer)” is not there yet")
    }
    return made.config
  }

  private var settings: [StreamSettings] {
    let replicas = options.nats.replicas
    var jobs = StreamSettings(name: names.stream, subjects: [names.allJobs], replicas: replicas)
    jobs.retention = "workqueue"
    // A job that waits or is worked on keeps others with its id out, for however long.
    jobs.discard = "new"
    jobs.discardNewPerSubject = true
    jobs.maxMsgsPerSubject = 1

    let age = max(1, Int64(min(options.rememberedSeconds, 1e9)))
    var results = StreamSettings(
      name: names.results, subjects: [names.allResults, names.allFirstEndings], replicas: replicas)
    results.maxAge = age * Self.second
    // Of a job there is one ending besides, however often it is given back.
    results.maxMsgs = 2 * max(1, options.rememberedCount)

    var endings = StreamSettings(name: names.endings, subjects: [names.allEndings], replicas: replicas)
    endings.maxMsgsPerSubject = 1
    endings.maxAge = Self.endingsAge * Self.second

    var dead = StreamSettings(name: names.dead, subjects: [names.allDead], replicas: replicas)
    dead.maxMsgsPerSubject = 1

    var waiting = StreamSettings(name: names.waiting, subjects: [names.allWaiting], replicas: replicas)
    waiting.maxMsgsPerSubject = 1
    waiting.maxAge = Self.notesAge * Self.second
    return [jobs, results, endings, dead, waiting].map { stream in
      var stream = stream
      stream.duplicateWindow = min(Self.duplicateWindow, age) * Self.second
      stream.allowDirect = true
      return stream
    }
  }
}
