import Glibc
import Synchronization

/// An HTTP/1.1 server for tests that does what it is told, faults included.
///
/// It listens on 127.0.0.1, which is also `localhost` where a test needs a second host, on a port of its own, with a
/// thread for each connection. What it saw is there to be asked for.
package final class FaultyOrigin: Sendable {
  /// One request as it came.
  package struct Request: Sendable {
    package var method: String
    package var target: String
    /// Names in lower case, in the order they came.
    package var fields: [(name: String, value: String)]
    /// As much of the body as was taken before the answer.
    package var body: [UInt8] = []
    /// The number of the connection it came on, from 1.
    package var connection: Int
    /// The how manieth request for this target it is, from 1.
    package var attempt: Int

    package subscript(name: String) -> String? {
      fields.first { $0.name == name }?.value
    }
  }

  /// What to do for a request. After the last step the connection waits for another request.
  package enum Step: Sendable {
    case send([UInt8])
    case wait(seconds: Double)
    /// One byte after the other.
    case drip([UInt8], every: Double)
    /// Again and again, until the client has gone.
    case repeatedly([UInt8])
    /// Nothing, until the client has gone.
    case stall
    /// Ends the connection with RST.
    case reset
    case close
  }

  package enum Fault: Error {
    case noSocket(Int32)
  }

  package let port: Int
  private let core: Core

  /// - Parameter taking: how many bytes of a body to take before the answer to its request, which has none yet; all of
  ///   them by default. A body that is awaited (Expect: 100-continue) is called for.
  package init(
    taking: @escaping @Sendable (Request) -> Int = { _ in .max }, _ answer: @escaping @Sendable (Request) -> [Step]
  ) throws {
    core = try Core(taking, answer)
    port = core.port
    core.spawn { core in core.accept() }
  }

  deinit {
    stop()
  }

  /// Closes everything at once.
  package func stop() {
    core.stop()
  }

  package func url(_ target: String = "/", host: String = "127.0.0.1", userInfo: String = "") -> String {
    "http://\(userInfo)\(host):\(port)\(target)"
  }

  package var requests: [Request] { core.seen.withLock { $0.requests } }
  /// How many connections were accepted.
  package var connections: Int { core.seen.withLock { $0.connections } }
  /// How many connections are open now.
  package var openConnections: Int { core.seen.withLock { $0.open.count } }
  /// The most that were open at the same time.
  package var mostConnections: Int { core.seen.withLock { $0.mostOpen } }
  /// All bytes that were handed to the system, headers included.
  package var bytesSent: Int { core.seen.withLock { $0.bytesSent } }

  /// Waits until the origin has seen something.
  ///
  /// - Returns: false when it has not come about after two minutes: long enough for any machine.
  package func reaches(_ condition: @Sendable (FaultyOrigin) -> Bool) async -> Bool {
    for _ in 0..<12_000 {
      if condition(self) { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return condition(self)
  }
}

extension FaultyOrigin {
  /// A whole response, with a Content-Length unless `fields` has one or says how the body is sent.
  package static func response(
    _ status: Int = 200, _ fields: [String] = [], body: [UInt8] = [], length: Int? = nil
  ) -> [Step] {
    let names = fields.map { $0.lowercased() }
    let saysLength = names.contains { $0.hasPrefix("content-length:") || $0.hasPrefix("transfer-encoding:") }
    let lines = ["HTTP/1.1 \(status) Test"] + fields + (saysLength ? [] : ["Content-Length: \(length ?? body.count)"])
    return [.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)]
  }

  package static func redirect(to location: String, status: Int = 302) -> [Step] {
    response(status, ["Location: \(location)"], body: Array("moved".utf8))
  }

  /// One chunk of a chunked body; an empty one ends it.
  package static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
  }
}

/// What the threads share. They keep it alive.
private final class Core: Sendable {
  struct Seen {
    var requests: [FaultyOrigin.Request] = []
    var attempts: [String: Int] = [:]
    var connections = 0
    var open: Set<Int32> = []
    var mostOpen = 0
    var bytesSent = 0
    var isStopped = false
  }

  let port: Int
  let seen = Mutex(Seen())
  private let listener: Int32
  private let taking: @Sendable (FaultyOrigin.Request) -> Int
  private let answer: @Sendable (FaultyOrigin.Request) -> [FaultyOrigin.Step]

  init(
    _ taking: @escaping @Sendable (FaultyOrigin.Request) -> Int,
    _ answer: @escaping @Sendable (FaultyOrigin.Request) -> [FaultyOrigin.Step]
  ) throws {
    self.taking = taking
    self.answer = answer
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 1024) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    guard isBound else { throw FaultyOrigin.Fault.noSocket(errno) }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit {
    close(listener)
  }

  /// Runs `work` on a thread of its own, with a small stack: there may be a thousand of them.
  func spawn(_ work: @escaping @Sendable (Core) -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 256 * 1024)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    let context = Unmanaged.passRetained(Job(core: self, work: work))
    var thread = pthread_t()
    if pthread_create(&thread, &attributes, runJob, context.toOpaque()) != 0 { context.release() }
  }

  func stop() {
    seen.withLock { seen in
      seen.isStopped = true
      // Under the lock, so that none of the numbers is closed and used anew meanwhile.
      for connection in seen.open { shutdown(connection, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  func accept() {
    while true {
      let connection = Glibc.accept(listener, nil, nil)
      if connection < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        return
      }
      let number: Int? = seen.withLock { seen in
        guard !seen.isStopped else { return nil }
        seen.connections += 1
        seen.open.insert(connection)
        seen.mostOpen = max(seen.mostOpen, seen.open.count)
        return seen.connections
      }
      guard let number else {
        close(connection)
        return
      }
      spawn { core in core.serve(connection, number) }
    }
  }

  private func serve(_ connection: Int32, _ number: Int) {
    var on: Int32 = 1
    setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    var pending: [UInt8] = []
    while var request = readRequest(connection, number, &pending) {
      guard readBody(of: &request, connection, &pending), obey(answer(request), on: connection) else { break }
    }
    seen.withLock { seen in
      seen.open.remove(connection)
      close(connection)
    }
  }

  private func readRequest(_ connection: Int32, _ number: Int, _ pending: inout [UInt8]) -> FaultyOrigin.Request? {
    let end = Array("\r\n\r\n".utf8)
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      if let range = pending.firstRange(of: end) {
        let head = String(decoding: pending[..<range.lowerBound], as: UTF8.self)
        pending.removeSubrange(..<range.upperBound)
        return parse(head, number)
      }
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return nil }
      pending += buffer[..<count]
    }
  }

  /// Takes as much of a body as is wanted.
  /// - Returns: false when the client has gone.
  private func readBody(of request: inout FaultyOrigin.Request, _ connection: Int32, _ pending: inout [UInt8]) -> Bool {
    guard let length = request["content-length"].flatMap({ Int($0) }) else { return true }
    let wanted = min(length, taking(request))
    if wanted > 0, request["expect"]?.lowercased() == "100-continue" {
      guard send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), on: connection) else { return false }
    }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while pending.count < wanted {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return false }
      pending += buffer[..<count]
    }
    let body = Array(pending.prefix(wanted))
    pending.removeFirst(wanted)
    request.body = body
    seen.withLock { seen in
      // A connection's requests come one after the other.
      guard let index = seen.requests.lastIndex(where: { $0.connection == request.connection }) else { return }
      seen.requests[index].body = body
    }
    return true
  }

  private func parse(_ head: String, _ number: Int) -> FaultyOrigin.Request {
    let lines = head.split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ").map(String.init)
    let target = words.count > 1 ? words[1] : ""
    let fields = lines.dropFirst().map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      return (name: line[..<colon].lowercased(), value: String(line[colon...].dropFirst().drop { $0 == " " }))
    }
    return seen.withLock { seen in
      seen.attempts[target, default: 0] += 1
      let request = FaultyOrigin.Request(
        method: words.first ?? "", target: target, fields: fields, connection: number,
        attempt: seen.attempts[target, default: 1])
      seen.requests.append(request)
      return request
    }
  }

  /// - Returns: whether the connection can serve another request.
  private func obey(_ steps: [FaultyOrigin.Step], on connection: Int32) -> Bool {
    for step in steps {
      switch step {
      case .send(let bytes):
        guard send(bytes, on: connection) else { return false }
      case .wait(let seconds):
        if hasGone(connection, within: seconds) { return false }
      case .drip(let bytes, let interval):
        for byte in bytes {
          guard send([byte], on: connection), !hasGone(connection, within: interval) else { return false }
        }
      case .repeatedly(let bytes):
        while send(bytes, on: connection) {}
        return false
      case .stall:
        while !hasGone(connection, within: 60) {}
        return false
      case .reset:
        var hard = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        return false
      case .close: return false
      }
    }
    return true
  }

  private func send(_ bytes: [UInt8], on connection: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        Glibc.send(
          connection, UnsafeRawBufferPointer(rebasing: bytes[sent...]).baseAddress, bytes.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
      seen.withLock { $0.bytesSent += count }
    }
    return true
  }

  /// Waits, and tells whether the client has closed the connection meanwhile.
  private func hasGone(_ connection: Int32, within seconds: Double) -> Bool {
    var descriptor = pollfd(fd: connection, events: Int16(pollReadHangUp), revents: 0)
    return poll(&descriptor, 1, Int32(seconds * 1000)) != 0
  }
}

/// `POLLRDHUP`, which Swift does not see without _GNU_SOURCE.
private let pollReadHangUp = 0x2000

private final class Job: Sendable {
  let core: Core
  let work: @Sendable (Core) -> Void

  init(core: Core, work: @escaping @Sendable (Core) -> Void) {
    self.core = core
    self.work = work
  }
}

private func runJob(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let job = Unmanaged<Job>.fromOpaque(context).takeRetainedValue()
  job.work(job.core)
  return nil
}
