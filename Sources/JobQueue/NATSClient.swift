import CNATS
import Glibc
import Synchronization

/// A connection to NATS servers that comes back by itself, with questions and answers for Swift's tasks.
///
/// The library's calls may block, so one thread of the client makes them all; messages come in on threads of the
/// library, and wake the tasks that wait for them.
final class NATSClient: Sendable {
  enum Event: Sendable { case made, lost, closed }

  struct Handlers: Sendable {
    /// A message for a request that is answered by many. Called on a thread of the library.
    var received: @Sendable (NATSMessage) -> Void
    /// The connection is gone, and with it such requests.
    var lost: @Sendable () -> Void
  }

  private struct Pending {
    var continuation: CheckedContinuation<Result<NATSMessage, NATSProblem>, Never>
    var deadline: ContinuousClock.Instant
  }

  private struct State {
    var isConnected = false
    /// Set when the library has given up, or before it has begun.
    var needsConnection = true
    var isClosed = false
    var isAsleep = false
    var outgoing: [NATSOutgoing] = []
    var pending: [UInt64: Pending] = [:]
    var lastNumber: UInt64 = 0
    /// Why the last attempt to connect failed.
    var failure: QueueFailure?
    /// What the server said last about something it does not permit.
    var lastRefusal: (text: String, time: ContinuousClock.Instant)?
    var opening: CheckedContinuation<Result<Void, QueueFailure>, Never>?
    var closing: [CheckedContinuation<Void, Never>] = []
    var hasEnded = false
  }

  private static let manyPending = 16

  let inbox: String
  private let address: NATSAddress
  private let options: NATSOptions
  private let handlers: Handlers
  private let number: UInt
  private let bell: Int32
  private let state = Mutex(State())

  /// Connects.
  /// - Throws: `unavailable` when there is no server now; `unusable` when none of them lets anybody in like this.
  static func open(
    _ address: NATSAddress, _ options: NATSOptions, handlers: Handlers
  ) async throws(QueueFailure) -> NATSClient {
    let client = try NATSClient(address, options, handlers)
    let result: Result<Void, QueueFailure> = await withCheckedContinuation { continuation in
      client.state.withLock { $0.opening = continuation }
      if !client.startThread() {
        client.state.withLock { state in
          state.opening = nil
          state.hasEnded = true
        }
        continuation.resume(returning: .failure(.unavailable("no thread can be started for NATS")))
      }
    }
    do {
      try result.get()
    } catch {
      await client.close()
      throw error
    }
    return client
  }

  private init(_ address: NATSAddress, _ options: NATSOptions, _ handlers: Handlers) throws(QueueFailure) {
    self.address = address
    self.options = options
    self.handlers = handlers
    bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard bell >= 0 else { throw .unavailable("no file descriptor is left for NATS") }
    inbox = "\(options.inboxPrefix).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    number = NATSClients.add()
    NATSClients.set(self, for: number)
  }

  deinit {
    Glibc.close(bell)
  }

  static func find(_ number: UInt) -> NATSClient? { NATSClients.find(number) }

  // MARK: For tasks

  /// Sends a message, and waits for the first one that answers it.
  func request(
    _ subject: String, headers: [(name: String, value: String)] = [], data: [UInt8] = [], seconds: Double = 3
  ) async throws(NATSProblem) -> NATSMessage {
    let result: Result<NATSMessage, NATSProblem> = await withCheckedContinuation { continuation in
      let problem = state.withLock { state -> NATSProblem? in
        guard !state.isClosed else { return .closed }
        guard state.isConnected else { return .disconnected }
        state.lastNumber += 1
        state.pending[state.lastNumber] = Pending(
          continuation: continuation, deadline: .now.advanced(by: .seconds(seconds)))
        state.outgoing.append(
          NATSOutgoing(subject: subject, reply: "\(inbox).r.\(state.lastNumber)", headers: headers, data: data))
        ring(&state)
        return nil
      }
      if let problem { continuation.resume(returning: .failure(problem)) }
    }
    let answer = try result.get()
    if answer.status == 503 { throw .noResponders }
    return answer
  }

  /// Sends a message that nobody answers, or that `Handlers.received` gets the answers to.
  /// - Parameter reply: the number behind the inbox where answers go.
  func send(_ subject: String, reply: UInt64? = nil, data: [UInt8]) throws(NATSProblem) {
    let problem = state.withLock { state -> NATSProblem? in
      guard !state.isClosed else { return .closed }
      guard state.isConnected else { return .disconnected }
      state.outgoing.append(NATSOutgoing(subject: subject, reply: reply.map { "\(inbox).p.\($0)" }, data: data))
      ring(&state)
      return nil
    }
    if let problem { throw problem }
  }

  /// Waits for the connection.
  /// - Throws: why there is none, when there is none in time.
  func waitUntilConnected(until end: ContinuousClock.Instant) async throws(QueueFailure) {
    while true {
      let (isConnected, isClosed, failure) = state.withLock { ($0.isConnected, $0.isClosed, $0.failure) }
      if isClosed { throw .closed }
      if isConnected { return }
      guard ContinuousClock.now < end, !Task.isCancelled else {
        throw failure ?? .unavailable("the connection to NATS is lost")
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// What the server has said since then about something it does not permit.
  func refusal(since start: ContinuousClock.Instant) -> String? {
    state.withLock { $0.lastRefusal.flatMap { $0.time >= start ? $0.text : nil } }
  }

  /// Ends everything that waits as closed. Returns when the connection is closed as well.
  func close() async {
    stop()
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.closing.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  /// The same without waiting.
  func stop() {
    let pending = state.withLock { state in
      state.isClosed = true
      state.isConnected = false
      defer { state.pending = [:] }
      ring(&state)
      return state.pending.values.map(\.continuation)
    }
    for continuation in pending { continuation.resume(returning: .failure(.closed)) }
    handlers.lost()
  }

  private func ring(_ state: inout State) {
    guard state.isAsleep else { return }
    state.isAsleep = false
    eventfd_write(bell, 1)
  }

  // MARK: For the library's threads

  func noteConnection(_ event: Event) {
    let pending = state.withLock { state in
      state.isConnected = event == .made && !state.isClosed
      guard event != .made else { return [Pending]() }
      if event == .closed, !state.isClosed {
        state.needsConnection = true
        ring(&state)
      }
      // What has not been sent yet is not worth sending later: whoever asked is told, and asks again.
      state.outgoing = []
      defer { state.pending = [:] }
      return Array(state.pending.values)
    }
    for request in pending { request.continuation.resume(returning: .failure(.disconnected)) }
    if event != .made { handlers.lost() }
  }

  func noteRefusal(_ text: String) {
    state.withLock { $0.lastRefusal = (text, .now) }
  }

  func receiveAnswer(_ message: NATSMessage) {
    guard let number = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }) else { return }
    let request = state.withLock { $0.pending.removeValue(forKey: number) }
    request?.continuation.resume(returning: .success(message))
  }

  func receive(_ message: NATSMessage) {
    handlers.received(message)
  }

  // MARK: The client's thread

  private func startThread() -> Bool {
    var thread = pthread_t()
    let client = Unmanaged.passRetained(self)
    guard pthread_create(&thread, nil, runClient, client.toOpaque()) == 0 else {
      client.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private enum Step {
    case connect
    case send([NATSOutgoing])
    case sleep(milliseconds: Int32)
    case end
  }

  fileprivate func run() {
    var link: NATSLink?
    while true {
      let step = state.withLock { state -> Step in
        if state.isClosed { return .end }
        if state.needsConnection { return .connect }
        if state.outgoing.isEmpty {
          state.isAsleep = true
          return .sleep(milliseconds: state.pending.isEmpty ? 1_000 : 100)
        }
        defer { state.outgoing = [] }
        return .send(state.outgoing)
      }
      switch step {
      case .connect:
        link = nil
        link = connect()
      case .send(let messages):
        if let link { send(messages, on: link) }
      case .sleep(let milliseconds):
        sleep(milliseconds)
        endOverdue()
      case .end:
        // What jobs are given back with.
        if let link { send(state.withLock { $0.outgoing }, on: link) }
        link = nil
        finish()
        return
      }
    }
  }

  private func connect() -> NATSLink? {
    do throws(QueueFailure) {
      let link = try NATSLink(address, options, key: number, inbox: inbox)
      let opening = state.withLock { state in
        state.needsConnection = false
        state.isConnected = !state.isClosed
        state.failure = nil
        return state.opening.take()
      }
      opening?.resume(returning: .success(()))
      return link
    } catch {
      let opening = state.withLock { state in
        state.failure = error
        state.isAsleep = true
        return state.opening.take()
      }
      opening?.resume(returning: .failure(error))
      sleep(1_000)
      return nil
    }
  }

  private func send(_ messages: [NATSOutgoing], on link: NATSLink) {
    for message in messages {
      let status = message.publish(on: link.connection)
      guard status != NATS_OK else { continue }
      fail(message, status)
    }
    // The library keeps them back for a millisecond, in case there are more. Where many wait for answers there are, and
    // sending them together costs half; where few do, each wants its answer at once.
    if state.withLock({ $0.pending.count }) < Self.manyPending { natsConnection_FlushTimeout(link.connection, 1_000) }
  }

  private func fail(_ message: NATSOutgoing, _ status: natsStatus) {
    guard let number = message.reply?.split(separator: ".").last.flatMap({ UInt64($0) }),
      message.reply == "\(inbox).r.\(number)"
    else { return }
    let problem: NATSProblem =
      switch status {
      case NATS_MAX_PAYLOAD: .tooLarge
      case NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED, NATS_INSUFFICIENT_BUFFER, NATS_IO_ERROR,
        NATS_TIMEOUT, NATS_STALE_CONNECTION, NATS_DRAINING:
        .disconnected
      default: .library(NATSFailure.text(status))
      }
    let request = state.withLock { $0.pending.removeValue(forKey: number) }
    request?.continuation.resume(returning: .failure(problem))
  }

  private func sleep(_ milliseconds: Int32) {
    var poller = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
    poll(&poller, 1, milliseconds)
    var count: eventfd_t = 0
    eventfd_read(bell, &count)
    state.withLock { $0.isAsleep = false }
  }

  private func endOverdue() {
    let now = ContinuousClock.now
    let overdue = state.withLock { state in
      let numbers = state.pending.filter { $0.value.deadline < now }.map(\.key)
      return numbers.compactMap { state.pending.removeValue(forKey: $0) }
    }
    for request in overdue { request.continuation.resume(returning: .failure(.timeout)) }
  }

  private func finish() {
    NATSClients.remove(number)
    let (opening, closing) = state.withLock { state in
      state.hasEnded = true
      return (state.opening.take(), state.closing)
    }
    opening?.resume(returning: .failure(.closed))
    for continuation in closing { continuation.resume() }
  }
}

private func runClient(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<NATSClient>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
