import Metrics

/// What becomes of requests, step by step. Called by libmicrohttpd, on the thread.
extension OperationsThread: HTTPDaemonOwner {
  func connectionStarted(_ connection: OpaquePointer) {
    clients[connection] = ClientConnection(socket: HTTPDaemon.socket(of: connection), now: Self.now)
    metrics.connections.set(Double(clients.count))
  }

  func connectionEnded(_ connection: OpaquePointer) {
    clients[connection] = nil
    metrics.connections.set(Double(clients.count))
  }

  func requestBegan(_ connection: OpaquePointer, target: String) {
    lastNumber += 1
    let now = Self.now
    clients[connection]?.request = ReceivedRequest(number: lastNumber, target: RequestTarget(target), now: now)
    clients[connection]?.enter(.receiving, now: now)
  }

  func requestEnded(_ connection: OpaquePointer) {
    clients[connection]?.request = nil
    clients[connection]?.enter(.idle, now: Self.now)
  }

  func handle(_ connection: OpaquePointer, method: String, body: UnsafeRawBufferPointer) -> Bool {
    guard let client = clients[connection], let request = client.request else { return false }
    guard let ruling = request.ruling else {
      return judge(request, of: client, connection, method: method)
    }
    if !body.isEmpty { return take(body, request) }
    if let answer = request.answer { return send(answer, for: request, of: client, connection) }
    switch ruling {
    case .refused(let answer): return send(answer, for: request, of: client, connection)
    case .admitted(let route, let isTrusted):
      ask(route, isTrusted: isTrusted, request, of: client, connection)
      return true
    }
  }

  /// The head is complete.
  private func judge(
    _ request: ReceivedRequest, of client: ClientConnection, _ connection: OpaquePointer, method: String
  ) -> Bool {
    let head = RequestHead(method: method, target: request.target, fields: HTTPDaemon.fields(of: connection))
    let ruling = judge.ruling(on: head)
    request.head = head
    request.ruling = ruling
    guard case .refused(let answer) = ruling, head.hasBody else { return true }
    // A refusal waits until the body has come: whoever is still sending when the connection is closed may never see
    // it. It does not wait where nothing is sent yet, where there is too much, or where nobody knows how much.
    let isWaitedFor =
      !head.waitsForLeave && head.framingFault == nil && (head.declaredLength ?? 0) <= maximumIgnoredBytes
    return isWaitedFor || send(answer, for: request, of: client, connection)
  }

  /// Bytes of a refused body that are read and thrown away.
  private var maximumIgnoredBytes: Int { configuration.maximumBodyBytes * 4 }

  private func take(_ bytes: UnsafeRawBufferPointer, _ request: ReceivedRequest) -> Bool {
    request.received += bytes.count
    guard request.received <= maximumIgnoredBytes else { return false }
    guard case .admitted = request.ruling else { return true }
    if request.received > configuration.maximumBodyBytes {
      request.body = []
      request.ruling = .refused(.bodyTooLarge(limit: configuration.maximumBodyBytes))
    } else {
      request.body += bytes
    }
    return true
  }

  /// Asks the service, on a task; the connection is left alone until there is an answer.
  private func ask(
    _ route: Route, isTrusted: Bool, _ request: ReceivedRequest, of client: ClientConnection,
    _ connection: OpaquePointer
  ) {
    client.enter(.answering)
    HTTPDaemon.suspend(connection)
    asked[request.number] = connection
    request.answerDeadline = Self.now + configuration.answerSeconds
    // Where the service does not answer at all, what waits for it must not pile up.
    guard answersDue < configuration.maximumConnections * 2 else {
      request.answerDeadline = 0
      return
    }
    answersDue += 1
    let (number, body) = (request.number, request.body)
    request.body = []
    Task { [answerer, mailbox] in
      let answer = await answerer.answer(route, body: body, isTrusted: isTrusted)
      mailbox.post(.answer(answer, request: number))
    }
  }

  private func send(
    _ answer: Answer, for request: ReceivedRequest, of client: ClientConnection, _ connection: OpaquePointer
  ) -> Bool {
    client.enter(.sending)
    metrics.answered(request, answer, now: Self.now)
    return HTTPDaemon.send(answer, to: connection, isLast: isClosing)
  }
}
