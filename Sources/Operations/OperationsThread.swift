import CMicroHTTPD
import Glibc
import Metrics
import Synchronization

/// The endpoint's thread and its loop: accepts, has libmicrohttpd do its work, and cuts off who takes too long.
///
/// Sendable because everything in it is touched by its own thread only, once that has been started; the mailbox is for
/// the others.
final class OperationsThread: @unchecked Sendable {
  let configuration: OperationsConfiguration
  let judge: RequestJudge
  let answerer: RequestAnswerer
  let metrics: EndpointMetrics
  let mailbox: OperationsMailbox
  /// Always there while the loop runs.
  private var listener: ListeningSocket?
  private let daemon: HTTPDaemon
  private let poller: OperationsPoller

  var clients: [OpaquePointer: ClientConnection] = [:]
  /// Requests that wait for the service, by number.
  var asked: [Int: OpaquePointer] = [:]
  /// How many of the service's answers are due, those that nobody waits for any more included.
  var answersDue = 0
  var lastNumber = 0
  var isClosing = false
  private var closingDeadline = Double.infinity
  private var closed: [@Sendable () -> Void] = []
  private var nextSurvey = 0.0
  /// Not before then is anything accepted: the process was short of descriptors.
  private var acceptAgain = 0.0

  static func start(
    _ listener: consuming ListeningSocket, _ configuration: OperationsConfiguration, _ judge: RequestJudge,
    _ answerer: RequestAnswerer, _ metrics: EndpointMetrics
  ) throws(ListenFault) -> OperationsMailbox {
    guard let poller = OperationsPoller(),
      // Those that were cut but are not closed yet count too.
      let daemon = HTTPDaemon(
        connections: configuration.maximumConnections * 2, idleSeconds: Int(configuration.idleSeconds.rounded(.up))),
      poller.watch(daemon.epoll), poller.watch(listener.descriptor)
    else { throw ListenFault("libmicrohttpd cannot be started: \(String(cString: strerror(errno)))") }
    let thread = OperationsThread(listener, configuration, judge, answerer, metrics, daemon, poller)
    daemon.owner = thread
    let context = Unmanaged.passRetained(thread)
    var identifier = pthread_t()
    let status = pthread_create(&identifier, nil, runOperationsThread, context.toOpaque())
    guard status == 0 else {
      context.release()
      throw ListenFault("the endpoint has no thread: \(String(cString: strerror(status)))")
    }
    pthread_detach(identifier)
    return thread.mailbox
  }

  private init(
    _ listener: consuming ListeningSocket, _ configuration: OperationsConfiguration, _ judge: RequestJudge,
    _ answerer: RequestAnswerer, _ metrics: EndpointMetrics, _ daemon: HTTPDaemon, _ poller: OperationsPoller
  ) {
    self.listener = consume listener
    self.configuration = configuration
    self.judge = judge
    self.answerer = answerer
    self.metrics = metrics
    self.daemon = daemon
    self.poller = poller
    mailbox = OperationsMailbox(wakeUp: poller.wakeUp)
  }

  /// - Returns: what to call when the daemon is gone too.
  fileprivate func run() -> [@Sendable () -> Void] {
    while true {
      obey(mailbox.take())
      expire()
      daemon.run()
      if isClosing, clients.isEmpty || Self.now >= closingDeadline { break }
      poller.wait(milliseconds: patience)
      accept()
    }
    // Nothing may be suspended when the daemon is stopped.
    for connection in Array(asked.values) { answer(connection, .unavailable("the service is ending")) }
    daemon.run()
    for case .close(let done) in mailbox.close() { closed.append(done) }
    return closed
  }

  private func obey(_ commands: [OperationsMailbox.Command]) {
    for command in commands {
      switch command {
      case .answer(let answer, let number):
        answersDue -= 1
        // One that comes too late finds nobody.
        if let connection = asked[number] { self.answer(connection, answer) }
      case .close(let done):
        closed.append(done)
        guard !isClosing else { continue }
        isClosing = true
        closingDeadline = Self.now + configuration.closingSeconds
        if let descriptor = listener?.descriptor { poller.forget(descriptor) }
        listener = nil
        for client in clients.values where client.phase == .idle || client.phase == .new { cut(client) }
      }
    }
  }

  /// Answers a request that waits for it; `handle` is called for it once more.
  private func answer(_ connection: OpaquePointer, _ answer: Answer) {
    guard let request = clients[connection]?.request else { return }
    asked[request.number] = nil
    request.answer = answer
    HTTPDaemon.resume(connection)
  }

  // MARK: Time

  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Milliseconds that the loop may wait.
  private var patience: Int? {
    var limits: [Int] = []
    if let patience = daemon.patience { limits.append(patience) }
    // Deadlines need no precision, and without connections there are none.
    if !clients.isEmpty { limits.append(250) }
    if isClosing || acceptAgain > 0 { limits.append(50) }
    return limits.min()
  }

  private func expire() {
    let now = Self.now
    // Not in every round: there may be thousands of those a second.
    guard now >= nextSurvey else { return }
    nextSurvey = now + 0.1
    for (connection, client) in clients {
      if client.phase == .answering {
        guard let request = client.request, request.answer == nil, now >= request.answerDeadline else { continue }
        answer(connection, .unavailable("the service gave no answer in time"))
      } else if !client.isCut, now >= client.deadline(configuration) {
        if client.phase != .idle { metrics.cut["slow"].add() }
        cut(client)
      } else if !client.isCut, client.phase != .sending, now >= client.since + 1, client.hasLeft {
        // libmicrohttpd waits for the rest of a request that has begun, though there will be none.
        cut(client)
      }
    }
  }

  /// Ends a connection: libmicrohttpd will find it closed.
  private func cut(_ client: ClientConnection) {
    shutdown(client.socket, Int32(SHUT_RDWR))
    client.isCut = true
  }

  // MARK: Accepting

  /// At most so many at a time, so that those who are here get their turn, and those who were cut for them are gone
  /// before libmicrohttpd has as many as it takes.
  private var acceptsPerRound: Int { max(1, min(32, configuration.maximumConnections / 2)) }

  private func accept() {
    guard let listener = listener?.descriptor, poller.isReady(listener) || acceptAgain > 0 else { return }
    guard Self.now >= acceptAgain else { return }
    if acceptAgain > 0 {
      acceptAgain = 0
      _ = poller.watch(listener)
    }
    for _ in 0..<acceptsPerRound {
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let socket = withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          enclosure_http_accept(listener, $0, &length)
        }
      }
      guard socket >= 0 else {
        if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { waitForDescriptors(listener) }
        return
      }
      makeRoom()
      withUnsafePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { daemon.add(socket, from: $0, length) }
      }
    }
  }

  /// A listening socket stays ready as long as somebody waits; without a pause the loop would spin.
  private func waitForDescriptors(_ listener: Int32) {
    poller.forget(listener)
    acceptAgain = Self.now + 0.1
    cutQuietest()
  }

  private func makeRoom() {
    if clients.values.count(where: { !$0.isCut }) >= configuration.maximumConnections { cutQuietest() }
  }

  /// Cuts the connection that has been without an answer the longest. One that waits for the service is left alone.
  private func cutQuietest() {
    let quietest = clients.values.filter { !$0.isCut && $0.phase != .answering }.min { $0.since < $1.since }
    guard let quietest else { return }
    metrics.cut["room"].add()
    cut(quietest)
  }
}

private func runOperationsThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  // Signals are for other threads; a broken pipe shows as an error of the call that met it.
  var signals = sigset_t()
  sigfillset(&signals)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  var thread: OperationsThread? = Unmanaged<OperationsThread>.fromOpaque(context).takeRetainedValue()
  let closed = thread?.run() ?? []
  // Nobody else has it, so this stops the daemon, and with it the last connections.
  thread = nil
  for done in closed { done() }
  return nil
}
