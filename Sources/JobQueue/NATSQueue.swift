import Synchronization

/// A queue in NATS JetStream, for workers on any number of machines.
///
/// A job is a message of a work-queue stream that holds one message for each id, and a durable pull consumer hands it
/// out: its wait for acknowledgements is the lease, which in-progress and negative acknowledgements with a delay
/// prolong. JetStream knows no fencing, so each lease is numbered, and has one ending that is published once
/// (`NATSEnding`); whoever is second has lost the lease. A job that is handed out for the first time needs nothing but
/// its result. Results are messages of a stream of their own, `STREAM.results.<id>`, that forgets.
///
/// What the server has acknowledged survives its end, and with three replicas that of any one of them. Servers leave
/// it to the system when to write to the disk: one alone may lose what it took last when its machine loses power.
package final class NATSQueue: JobQueue {
  let names: NATSNames
  let options: QueueOptions
  let client: NATSClient
  let stream: JetStream
  let pulls: NATSPulls
  /// By their tokens.
  let held = Mutex<[UInt64: NATSHeld]>([:])
  /// How long the consumer waits for acknowledgements, in seconds, as it is set up.
  let ackWait = Mutex(0.0)
  /// Those that were made with fewer replicas than the options name.
  let thin = Mutex<[StreamSettings]>([])
  private let writer = "\(UInt64.random(in: .min ... .max))"
  private let written = Atomic<UInt64>(0)
  private let settingUp = Mutex(ContinuousClock.Instant.now)

  /// Opens the queue, and creates what is missing.
  /// - Parameter url: `nats://HOST:4222,…/STREAM` or `tls://…`.
  package init(_ url: String, options: QueueOptions = QueueOptions()) async throws(QueueFailure) {
    let address = try NATSAddress(url)
    try options.nats.check()
    names = NATSNames(stream: address.stream)
    self.options = options
    let pulls = NATSPulls()
    self.pulls = pulls
    // Set once the queue is there: what comes when nobody waits is given back through it.
    let receiver = NATSReceiver()
    client = try await NATSClient.open(
      address, options.nats,
      handlers: NATSClient.Handlers(
        received: { message in
          if let spare = pulls.receive(message) { receiver.giveBack(spare) }
        },
        lost: { [weak receiver] in pulls.lose(receiver?.isClosed == true ? .closed : .disconnected) }))
    stream = JetStream(client: client)
    receiver.set(self)
    do {
      try await trying { () async throws(NATSProblem) in try await self.setUp() }
    } catch {
      await client.close()
      throw error
    }
  }

  deinit {
    client.stop()
  }

  package func close() async {
    await client.close()
  }

  /// A name for what is written now, that nothing else has.
  func nextWriter() -> String {
    "\(writer).\(written.add(1, ordering: .relaxed).newValue)"
  }

  // MARK: Trying

  /// Does what may have to be done again after a lost connection or while a cluster chooses its leaders. It has to be
  /// such that doing it twice does no harm.
  func trying<Value: Sendable>(
    _ work: () async throws(NATSProblem) -> Value
  ) async throws(QueueFailure) -> Value {
    let start = ContinuousClock.now
    let end = start.advanced(by: .seconds(options.nats.patienceSeconds))
    while true {
      let problem: NATSProblem
      do throws(NATSProblem) {
        return try await work()
      } catch {
        problem = error
      }
      guard problem.isPassing, ContinuousClock.now < end else { throw failure(problem, since: start) }
      try await recover(from: problem, until: end)
    }
  }

  /// Waits until it may go better.
  func recover(from problem: NATSProblem, until end: ContinuousClock.Instant) async throws(QueueFailure) {
    switch problem {
    case .disconnected:
      try await client.waitUntilConnected(until: end)
    case .noResponders, .refused:
      // Perhaps a cluster without a leader; perhaps the stream is gone with its server's disk.
      try? await Task.sleep(for: .milliseconds(100))
      await setUpAgain()
    case .timeout:
      // Questions about a stream that is gone may get no answer at all.
      await setUpAgain()
    default:
      break
    }
  }

  /// Creates what is missing, unless that was tried just now.
  private func setUpAgain() async {
    let isDue = settingUp.withLock { last in
      guard ContinuousClock.now - last > .seconds(1) else { return false }
      last = .now
      return true
    }
    if isDue { try? await setUp() }
  }

  /// - Parameter start: when it was tried first.
  private func failure(_ problem: NATSProblem, since start: ContinuousClock.Instant) -> QueueFailure {
    switch problem {
    case .closed: return .closed
    case .disconnected: return .unavailable("the connection to NATS is lost")
    case .timeout:
      let refusal = client.refusal(since: start).map { "; it said: \($0)" } ?? ""
      return .unavailable("the NATS server does not answer\(refusal)")
    case .noResponders:
      return .unavailable(
        "no NATS server answers for the stream “\(names.stream)”: it has no leader now, or JetStream is not enabled")
    case .tooLarge: return .refused("the job's document is larger than a message of this NATS server may be")
    case .refused(JetStreamCode.notEnabled, _), .refused(JetStreamCode.notEnabledForAccount, _):
      return .unusable("JetStream is not enabled on the NATS server, or not for this account")
    case .refused(let code, let text):
      let words = "the NATS server refuses: \(text) (\(code))"
      return problem.isPassing ? .unavailable(words) : .unusable(words)
    case .library(let text): return .unavailable(text)
    case .unusable(let text): return .unusable(text)
    }
  }
}

/// Gives jobs back that came when nobody waited any more.
private final class NATSReceiver: Sendable {
  private final class Box: Sendable {
    weak let queue: NATSQueue?
    init(_ queue: NATSQueue) { self.queue = queue }
  }

  private let box = Mutex<Box?>(nil)

  func set(_ queue: NATSQueue) { box.withLock { $0 = Box(queue) } }

  var isClosed: Bool { box.withLock { $0?.queue?.client.isClosed ?? false } }

  /// Leaves the job lying for a moment, since most who stop waiting begin again.
  func giveBack(_ delivery: NATSDelivery) {
    Task { [self] in
      try? await Task.sleep(for: .seconds(1))
      await box.withLock { $0?.queue }?.giveBack(delivery)
    }
  }
}
