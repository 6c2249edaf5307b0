import Glibc
import Synchronization
import TestSupport
import Testing
import Transfer

@Suite struct HTTPClientTests {
  let client = HTTPClient()

  private func request(_ method: HTTPRequest.Method, _ url: String, body: HTTPRequest.Body = .none) -> HTTPRequest {
    var request = HTTPRequest(method, url)
    request.body = body
    return request
  }

  private func failure(_ request: HTTPRequest) async -> HTTPFailure? {
    await #expect(throws: HTTPFailure.self) { try await client.send(request) }
  }

  @Test("each method sends what it should", arguments: [HTTPRequest.Method.get, .head, .put, .post])
  func sendsMethods(_ method: HTTPRequest.Method) async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(201, ["X-One: a", "x-one: b", "Retry-After: 7"], body: method == .head ? [] : [1, 2])
    }
    var request = request(method, origin.url("/a%2Fb/../c?d"))
    request.fields = [("X-Test", "1")]
    if method == .put || method == .post { request.body = .bytes([9, 8, 7]) }
    let response = try await client.send(request)
    #expect(response.status == 201 && response.isSuccess)
    #expect(response.fields["x-one"] == "a, b" && response.retryAfter == 7)
    #expect(response.body == (method == .head ? [] : [1, 2]))
    let seen = try #require(origin.requests.first)
    #expect(seen.method == method.rawValue && seen["x-test"] == "1")
    #expect(seen.target == "/a%2Fb/../c?d" || seen.target == "/c?d")
    #expect(seen.body == (request.body.isNone ? [] : [9, 8, 7]))
  }

  @Test("a file is sent from its start, whatever its position, and that stays")
  func sendsFiles() async throws {
    let file = try ScratchFile()
    let content = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    var offset = 0
    while offset < content.count {
      offset += content[offset...].withUnsafeBytes { pwrite(file.descriptor, $0.baseAddress, $0.count, off_t(offset)) }
    }
    lseek(file.descriptor, 5, SEEK_SET)
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(200) }
    let body = HTTPRequest.Body.file(descriptor: file.descriptor, bytes: content.count)
    for _ in 0..<2 { _ = try await client.send(request(.put, origin.url(), body: body)) }
    #expect(origin.requests.count == 2 && origin.requests.allSatisfy { $0.body == content })
    #expect(file.position == 5)
    // The connection was kept.
    #expect(origin.connections == 1)
  }

  @Test("a body is sent anew when a kept connection turns out to be dead")
  func rewinds() async throws {
    let origin = try FaultyOrigin { request in
      FaultyOrigin.response(200) + (request.attempt == 1 ? [.close] : [])
    }
    for _ in 0..<3 {
      let response = try await client.send(request(.put, origin.url(), body: .bytes([1, 2, 3])))
      #expect(response.status == 200)
    }
    #expect(origin.requests.allSatisfy { $0.body == [1, 2, 3] })
  }

  @Test("a server that says no before it has taken the body is heard", arguments: [403, 503])
  func hearsEarlyAnswers(status: Int) async throws {
    let origin = try FaultyOrigin(
      taking: { _ in 0 }, { _ in FaultyOrigin.response(status, body: [1]) + [.wait(seconds: 0.2), .close] })
    let body = HTTPRequest.Body.bytes([UInt8](repeating: 1, count: 3_000_000))
    #expect(try await client.send(request(.put, origin.url(), body: body)).status == status)
  }

  @Test(
    "a body goes over TLS and HTTP/2 too, and to no server whose certificate is not trusted",
    .enabled(if: Nginx.isInstalled, "nginx and openssl are needed"))
  func usesHTTP2() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(200, ["X-Seen: yes"]) }
    let nginx = try await Nginx.serving([:], proxying: origin.port)
    let content = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    let request = request(.put, "https://localhost:\(nginx.tlsPort)/origin/x", body: .bytes(content))
    var configuration = TransferConfiguration()
    configuration.caFile = nginx.caFile
    let trusting = HTTPClient(configuration: configuration)
    let response = try await trusting.send(request)
    #expect(response.status == 200 && response.fields["x-seen"] == "yes")
    #expect(origin.requests.map(\.body) == [content])
    #expect(await eventually { nginx.log.map(\.protocolVersion) == ["HTTP/2.0"] })
    let failure = await failure(request)
    #expect(failure?.kind == .notSecure && failure?.mayPass == false)
    #expect(failure?.message.contains("is self-signed") == true, "\(failure?.message ?? "")")
  }

  @Test("no redirect is followed")
  func followsNothing() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.redirect(to: "/elsewhere", status: 307) }
    let response = try await client.send(request(.get, origin.url()))
    #expect(response.status == 307 && response.fields["location"] == "/elsewhere")
    #expect(origin.requests.count == 1)
  }

  @Test("a URL that is none, and an address that is not allowed, are refused without a request")
  func refuses() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(200) }
    #expect(await failure(request(.get, "example.com"))?.kind == .invalidURL)
    var blocked = request(.post, origin.url(), body: .bytes([1]))
    blocked.addressPolicy = AddressPolicy()
    #expect(await failure(blocked)?.kind == .blocked)
    blocked.addressPolicy?.ports = [origin.port]
    #expect(await failure(blocked)?.kind == .blocked)
    blocked.url = origin.url(host: "localhost")
    let failure = await failure(blocked)
    #expect(failure?.kind == .blocked && failure?.mayPass == false, "\(failure?.message ?? "")")
    #expect(origin.connections == 0)
  }

  @Test("what fails on the way is told apart")
  func failures() async throws {
    let origin = try FaultyOrigin { request in
      switch request.target {
      case "/reset": [.reset]
      case "/silent": [.close]
      case "/half": FaultyOrigin.response(200, body: [1], length: 2) + [.close]
      default: [.send(Array("220 mail.example.com ESMTP\r\n".utf8)), .close]
      }
    }
    for target in ["/reset", "/silent", "/half"] {
      let failure = await failure(request(.get, origin.url(target)))
      #expect(failure?.kind == .broken && failure?.mayPass == true, "\(target): \(failure?.message ?? "")")
    }
    #expect(await failure(request(.get, origin.url("/mail")))?.kind == .notHTTP)
    let closed = origin.url()
    origin.stop()
    let refused = await failure(request(.get, closed))
    #expect(refused?.kind == .notConnected)
    #expect(refused?.message == "could not connect to 127.0.0.1:\(origin.port): connection refused")
  }

  @Test("an answer that is too large is no answer, an error page is cut")
  func boundsAnswers() async throws {
    let origin = try FaultyOrigin { request in
      FaultyOrigin.response(request.target == "/ok" ? 200 : 500, body: [UInt8](repeating: 1, count: 200_000))
    }
    var large = request(.get, origin.url("/ok"))
    large.limits.maximumResponseBytes = 100_000
    let failure = await failure(large)
    #expect(failure?.kind == .tooLarge && failure?.limit == 100_000)
    large.url = origin.url("/error")
    let response = try await client.send(large)
    #expect(response.status == 500 && response.body.count <= 100_000)
    large.url = origin.url("/ok")
    large.readsBody = false
    let unread = try await client.send(large)
    #expect(unread.status == 200 && unread.body.isEmpty, "of no interest, it decides nothing")
  }

  @Test("a server that takes nothing or says nothing is given up", .timeLimit(.minutes(2)))
  func givesUp() async throws {
    let origin = try FaultyOrigin(taking: { _ in 1000 }, { _ in [.stall] })
    var stalled = request(.put, origin.url(), body: .bytes([UInt8](repeating: 1, count: 30_000_000)))
    stalled.limits.stallTimeout = 1
    let stall = await failure(stalled)
    #expect(stall?.kind == .timeout && stall?.mayPass == true)
    #expect(stall?.message.contains("of 30000000 bytes were sent") == true, "\(stall?.message ?? "")")
    var late = request(.get, origin.url())
    late.limits.totalTimeout = 0.5
    let lateness = await failure(late)
    #expect(lateness?.kind == .timeout && lateness?.limit == 0.5)
    #expect(lateness?.message.contains("did not end within 0.5 s; it broke off before an answer came") == true)
  }

  @Test("a file that is shorter than promised is told", .timeLimit(.minutes(2)))
  func noticesShortFiles() async throws {
    let file = try ScratchFile()
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(200) }
    let failure = await failure(request(.put, origin.url(), body: .file(descriptor: file.descriptor, bytes: 10)))
    #expect(failure?.kind == .unreadableBody)
    #expect(failure?.message == "the file to be sent cannot be read: it ends after 0 of 10 bytes")
  }

  @Test("cancelling the task ends a request at once", .timeLimit(.minutes(2)))
  func cancels() async throws {
    let origin = try FaultyOrigin { _ in [.stall] }
    let client = client
    let url = origin.url()
    let task = Task { try await client.send(HTTPRequest(.get, url)) }
    #expect(await origin.reaches { $0.requests.count == 1 })
    task.cancel()
    let failure = await #expect(throws: HTTPFailure.self) { try await task.value }
    #expect(failure?.kind == .cancelled)
  }

  @Test("a client that shares a downloader's thread ends with it")
  func shares() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(200) }
    let downloader = Downloader()
    let shared = HTTPClient(sharing: downloader)
    #expect(try await shared.send(HTTPRequest(.get, origin.url())).status == 200)
    downloader.shutdown()
    let failure = await #expect(throws: HTTPFailure.self) { try await shared.send(HTTPRequest(.get, origin.url())) }
    #expect(failure?.kind == .cancelled)
  }

  @Test("pauses grow, and a server's wish is on top", arguments: [(1, 0.5), (2, 1), (3, 2), (6, 10), (100, 10)])
  func backsOff(attempt: Int, bound: Double) {
    let backoff = Backoff(first: 0.5, maximum: 10, maximumRetryAfter: 30)
    #expect(backoff.seconds(afterAttempt: attempt, jitter: { $0 }) == bound)
    #expect(backoff.seconds(afterAttempt: attempt, retryAfter: 3, jitter: { $0 }) == bound + 3)
    #expect(backoff.seconds(afterAttempt: attempt, retryAfter: 300, jitter: { _ in 0 }) == 30)
    #expect((0...bound).contains(backoff.seconds(afterAttempt: attempt)))
  }
}

extension HTTPRequest.Body {
  fileprivate var isNone: Bool {
    if case .none = self { true } else { false }
  }
}
