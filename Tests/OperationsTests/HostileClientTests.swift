import Glibc
import Metrics
import Operations
import TestSupport
import Testing

@Suite struct HostileClientTests {
  @Test(
    "where it is not clear where a request ends, it is refused and the connection closed",
    arguments: [
      ["Content-Length: 2", "Content-Length: 2"], ["Content-Length: 2", "Content-Length: 3"],
      ["Content-Length: 2", "Transfer-Encoding: chunked"], ["Transfer-Encoding: gzip, chunked"],
      ["Transfer-Encoding: identity"], ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
      ["Content-Length: -1"], ["Content-Length: 2, 2"], ["Content-Length: +2"], ["Content-Length: 0x2"],
      ["Content-Length: 99999999999999999999999999"], ["Content-Length: "],
    ])
  func smuggling(_ lines: [String]) async throws {
    let endpoint = try Endpoint()
    let client = try endpoint.client()
    let fields = (["Host: localhost", "Content-Type: application/json"] + lines).joined(separator: "\r\n")
    await client.send("POST /v1/jobs HTTP/1.1\r\n\(fields)\r\n\r\n{}" + request("GET", "/v1/jobs/smuggled"))
    client.finishSending()
    let text = try #require(await client.end())
    // libmicrohttpd 0.9.75 sends the head of its refusal twice where a length is no number.
    #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"))
    #expect(text.components(of: "HTTP/1.1 ") == text.components(of: "HTTP/1.1 4"))
    #expect(endpoint.service.seen.bodies.isEmpty)
    #expect(endpoint.service.seen.ids.isEmpty)
  }

  @Test(
    "what is no HTTP is refused or cut, and the next client is served",
    arguments: [
      "\r\n\r\n\r\n\r\n", "GET\r\n\r\n", "GET /healthz\r\n\r\n", "GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n\r\n", "GET /heal thz HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n: empty\r\nHost: a\r\n\r\n", "\u{0}\u{0}\u{0}\u{0}\r\n\r\n",
      "GET /healthz HTTP/1.1\nHost: a\n\n", "GET " + String(repeating: "/", count: 100_000) + " HTTP/1.1\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 100_000) + "\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 20_000) + "\r\n",
      "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "zz\r\n{}\r\n0\r\n\r\n",
      "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "ffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
      "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "-2\r\n{}\r\n0\r\n\r\n",
    ])
  func noHTTP(_ text: String) async throws {
    let endpoint = try Endpoint()
    let client = try endpoint.client()
    await client.send(text)
    client.finishSending()
    _ = await client.end()
    #expect(endpoint.service.seen.bodies.isEmpty)
    #expect(try await endpoint.response(to: request("GET", "/healthz"))?.status == 200)
  }

  @Test("random damage to requests takes nothing down", arguments: [1, 2, 3, 4])
  func damage(_ seed: UInt64) async throws {
    // Where the damaged request is not complete, only time tells.
    let endpoint = try Endpoint {
      $0.maximumBodyBytes = 1_000
      $0.requestSeconds = 0.3
      $0.idleSeconds = 0.3
    }
    var random = SmallRandom(state: seed)
    let templates = [
      submission("{\"id\":\"a\"}"), request("GET", "/v1/jobs/a%20b?c=d"), request("GET", "/metrics"),
      request("POST", "/v1/jobs", fields: ["Content-Type": "application/json", "Transfer-Encoding": "chunked"])
        + "3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n",
    ].map { Array($0.utf8) }
    for _ in 0..<40 {
      var bytes = templates.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
        case 1: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: index)
        case 2: bytes.removeSubrange(index..<min(bytes.count, index + 5))
        default: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      let client = try endpoint.client()
      await client.send(bytes)
      client.finishSending()
      #expect(await client.end() != nil)
    }
    // The time is short; a busy machine may need another attempt.
    for _ in 0..<100 {
      if try await endpoint.response(to: request("GET", "/healthz"))?.status == 200 { return }
    }
    Issue.record("the endpoint does not answer any more")
  }

  @Test(
    "who sends a request ever so slowly is cut off",
    arguments: [
      "", "GET /healthz HTTP/1.1\r\n", submission("", fields: ["Content-Length": "30000"]),
    ])
  func slowSenders(_ beginning: String) async throws {
    let endpoint = try Endpoint { $0.requestSeconds = 0.5 }
    let client = try endpoint.client()
    await client.send(beginning)
    // Each byte is activity; it is the request as a whole that takes too long.
    let letters = beginning.isEmpty ? "GET /healthz" : "X-Field: very long"
    var sent = 0
    while sent < 10_000, await client.send(String(letters.dropFirst(sent % letters.count).prefix(1))) {
      sent += 1
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(sent < 10_000)
    #expect(
      try await endpoint.shows { $0.value("enclosure_http_connections_cut_total", ["reason": "slow"]) == 1 })
    #expect(try await endpoint.shows { $0.value("enclosure_http_connections") == 0 })
  }

  @Test("who never reads the answer is cut off")
  func neverReads() async throws {
    let result = Array(("\"" + String(repeating: "x", count: 8_000_000) + "\"").utf8)
    let endpoint = try Endpoint(FakeService { $0.report = .completed(result: result) }) { $0.requestSeconds = 0.5 }
    let client = try RawClient(port: endpoint.port, receiveBuffer: 4_096)
    await client.send(request("GET", "/v1/jobs/a"))
    #expect(
      try await endpoint.shows { $0.value("enclosure_http_connections_cut_total", ["reason": "slow"]) == 1 })
    #expect(try await endpoint.shows { $0.value("enclosure_http_connections") == 0 })
  }

  @Test("a connection that has been quiet for long is closed")
  func quiet() async throws {
    let endpoint = try Endpoint { $0.idleSeconds = 0.3 }
    let client = try endpoint.client()
    await client.send(request("GET", "/healthz"))
    #expect(await client.response()?.status == 200)
    #expect(await client.end() == "")
  }

  @Test("however many connections say nothing, those who ask are answered")
  func crowd() async throws {
    let endpoint = try Endpoint { $0.maximumConnections = 8 }
    var crowd: [RawClient] = []
    for number in 0..<200 {
      crowd.append(try endpoint.client())
      if number % 3 == 0 { await crowd.last?.send("GET /heal") }
      if number % 20 == 19 {
        #expect(try await endpoint.response(to: request("GET", "/healthz"))?.status == 200)
      }
    }
    let text = try PrometheusText(endpoint.metrics.text())
    #expect((text.value("enclosure_http_connections_cut_total", ["reason": "room"]) ?? 0) >= 150)
    #expect((text.value("enclosure_http_connections") ?? 0) <= 16)
    withExtendedLifetime(crowd) {}
  }

  @Test("clients that leave in the middle leave nothing behind")
  func leaving() async throws {
    let endpoint = try Endpoint(FakeService { $0.delay = 0.01 })
    let before = openDescriptors()
    for number in 0..<100 {
      let client = try endpoint.client()
      let text = submission("{}")
      await client.send(String(text.prefix(number % 2 == 0 ? text.count : 1 + number)))
    }
    #expect(try await endpoint.shows { $0.value("enclosure_http_connections") == 0 })
    // Other tests of this process open and close files too.
    for _ in 0..<1_000 where openDescriptors() > before + 20 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(openDescriptors() <= before + 20)
  }
}

private func openDescriptors() -> Int {
  (0..<4_096).count { fcntl($0, F_GETFD) != -1 }
}

/// A generator with a seed (SplitMix64), so that what fails once fails again.
struct SmallRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension String {
  /// How often a text is in it.
  fileprivate func components(of text: String) -> Int {
    var (count, rest) = (0, self[...])
    while let range = rest.firstRange(of: text) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
