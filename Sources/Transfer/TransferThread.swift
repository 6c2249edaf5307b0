import CCurl
import Glibc
import Synchronization

/// The thread that owns the multi handle, and its loop. Made and used on that thread alone.
///
/// The loop is libcurl's "socket action" way with epoll: one round costs what there is to do, however many transfers
/// are open. With `curl_multi_perform` and `curl_multi_poll` each round visits all of them.
final class TransferThread {
  private let mailbox: Mailbox
  private let configuration: TransferConfiguration
  private let multi: UnsafeMutableRawPointer
  private let poller: Poller
  /// Those that are in the multi handle, by their easy handles. This is what keeps them alive for the callbacks.
  private var running: [UnsafeMutableRawPointer: any TransferTask] = [:]
  private var waiting: Admission<any TransferTask>
  private var isStopping = false
  /// What each host was found to speak.
  private var protocols: [String: Spoken] = [:]
  /// When to look for slow transfers again, in seconds of the clock.
  private var nextSurvey = 0.0

  private enum Spoken {
    case http1, http2
  }

  /// More hosts than these are forgotten, and found out about again.
  private static let maximumKnownHosts = 10_000

  /// Starts the thread. Where that fails, the mailbox is closed, and so every request fails.
  static func start(_ mailbox: Mailbox, _ configuration: TransferConfiguration) {
    guard curlIsReady else { return abandon(mailbox.close()) }
    let start = Unmanaged.passRetained(Start(mailbox: mailbox, configuration: configuration))
    var thread = pthread_t()
    guard pthread_create(&thread, nil, runTransferThread, start.toOpaque()) == 0 else {
      start.release()
      return abandon(mailbox.close())
    }
    pthread_detach(thread)
  }

  fileprivate final class Start {
    let mailbox: Mailbox
    let configuration: TransferConfiguration

    init(mailbox: Mailbox, configuration: TransferConfiguration) {
      self.mailbox = mailbox
      self.configuration = configuration
    }
  }

  fileprivate init?(_ start: Start) {
    guard let poller = Poller(), let multi = curl_multi_init() else { return nil }
    self.poller = poller
    self.multi = multi
    mailbox = start.mailbox
    configuration = start.configuration
    waiting = Admission(
      overall: configuration.concurrentTransfers, perHost: configuration.concurrentTransfersPerHost,
      asidePerHost: configuration.slowTransfersPerHost)
    // Those in use count too: with fewer, a thousand slow transfers would leave the quick ones no connection to keep.
    enclosure_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, configuration.concurrentTransfers + 128)
    guard poller.serve(multi) else { return nil }
    mailbox.open(wakeUp: poller.wakeUp)
  }

  deinit {
    curl_multi_cleanup(multi)
  }

  fileprivate func run() {
    while true {
      obey(mailbox.take())
      if isStopping { break }
      setSlowAside()
      admit()
      guard poller.round(multi, within: waiting.isEmpty ? nil : 1) else { break }
      collect()
    }
    Self.abandon(mailbox.close())
    for exchange in running.values { end(exchange, .stopped) }
    while let exchange = waiting.next() {
      leave(exchange)
      if !exchange.isOver { exchange.finish(.stopped) }
    }
  }

  private func obey(_ commands: [Mailbox.Command]) {
    for command in commands {
      switch command {
      case .start(let exchange):
        exchange.hasArrived = true
        if exchange.wasCancelled {
          exchange.finish(.cancelled)
        } else {
          let host = exchange.origin.key
          waiting.add(exchange, host: host, limit: places(for: exchange))
        }
      case .cancel(let exchange):
        // Before its start, which will find the flag, or after its end, when its sink is another one's.
        guard exchange.hasArrived, !exchange.isOver else { continue }
        // One that still waits stays in line, and is passed over when its turn comes.
        if exchange.easy == nil { exchange.finish(.cancelled) } else { end(exchange, .cancelled) }
      case .stop: isStopping = true
      }
    }
  }

  /// Starts as many as may run.
  private func admit() {
    while let exchange = waiting.next() {
      guard !exchange.isOver else {
        leave(exchange)
        continue
      }
      guard start(exchange) else {
        leave(exchange)
        exchange.finish(.noHandle)
        continue
      }
    }
  }

  private func start(_ exchange: any TransferTask) -> Bool {
    let mayShare = protocols[exchange.origin.key] != .http1
    guard let easy = exchange.makeHandle(configuration, mayShare: mayShare),
      curl_multi_add_handle(multi, easy.pointer) == CURLM_OK
    else { return false }
    exchange.easy = easy
    exchange.startTime = Poller.seconds
    running[easy.pointer] = exchange
    return true
  }

  /// Ends the exchanges that libcurl is done with.
  private func collect() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let pointer = message.pointee.easy_handle,
        let exchange = running[pointer]
      else { continue }
      // The message is gone once the handle is removed.
      let code = enclosure_message_result(message)
      remove(exchange)
      exchange.finish(code)
    }
  }

  private func end(_ exchange: any TransferTask, _ interruption: Interruption) {
    remove(exchange)
    exchange.finish(interruption)
  }

  private func remove(_ exchange: any TransferTask) {
    guard let easy = exchange.easy else { return }
    learnProtocol(of: exchange, easy)
    curl_multi_remove_handle(multi, easy.pointer)
    running[easy.pointer] = nil
    leave(exchange)
  }

  private func leave(_ exchange: any TransferTask) {
    waiting.finished(host: exchange.origin.key, wasAside: exchange.isAside)
  }

  /// How many may run at the host of an exchange, as far as that is known; nil for the usual number.
  private func places(for exchange: any TransferTask) -> Int? {
    let own = exchange.placesAtHost
    guard protocols[exchange.origin.key] == .http2 else { return own }
    return max(http2Limit, own ?? 0)
  }

  private var http2Limit: Int {
    max(configuration.concurrentStreamsPerHost, configuration.concurrentTransfersPerHost)
  }

  private func learnProtocol(of exchange: any TransferTask, _ easy: EasyHandle) {
    let host = exchange.origin.key
    let version = easy.integer(CURLINFO_HTTP_VERSION)
    guard version != CURL_HTTP_VERSION_NONE else { return }
    let found: Spoken = version == CURL_HTTP_VERSION_2_0 ? .http2 : .http1
    guard protocols[host] != found else { return }
    if protocols.count >= Self.maximumKnownHosts { protocols = [:] }
    protocols[host] = found
    waiting.setLimit(places(for: exchange) ?? configuration.concurrentTransfersPerHost, host: host)
  }

  /// Lets others have the places of slow transfers, at hosts where somebody waits.
  private func setSlowAside() {
    let now = Poller.seconds
    guard now >= nextSurvey, !waiting.isEmpty else { return }
    nextSurvey = now + 1
    for exchange in running.values where !exchange.isAside && now - exchange.startTime >= configuration.slowAfter {
      let host = exchange.origin.key
      if waiting.isWanted(host: host), waiting.setAside(host: host) { exchange.isAside = true }
    }
  }

  /// Answers those whose start will never be obeyed.
  private static func abandon(_ commands: [Mailbox.Command]) {
    for case .start(let exchange) in commands { exchange.finish(.stopped) }
  }
}

private func runTransferThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  // Signals are for other threads; a broken pipe shows as an error of the call that met it.
  var signals = sigset_t()
  sigfillset(&signals)
  pthread_sigmask(SIG_BLOCK, &signals, nil)

  let start = Unmanaged<TransferThread.Start>.fromOpaque(context).takeRetainedValue()
  if let thread = TransferThread(start) {
    thread.run()
  } else {
    for case .start(let exchange) in start.mailbox.close() { exchange.finish(.stopped) }
  }
  return nil
}

/// libcurl is initialised once, and never torn down: other parts of the process may use it too.
private let curlIsReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
