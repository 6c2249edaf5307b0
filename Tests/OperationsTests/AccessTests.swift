import Operations
import Testing

@Suite struct AccessTests {
  private static let wrongTokens: [[String: String]] = [
    [:], ["Authorization": "Bearer"], ["Authorization": "Bearer "], ["Authorization": "Bearer wrong"],
    ["Authorization": "Basic \(goodToken)"], ["Authorization": goodToken],
    ["Authorization": "Bearer \(goodToken)0"], ["Authorization": "Bearer \(goodToken.dropLast())"],
    ["Authorization": "Bearer \(goodToken.uppercased())"], ["Cookie": "token=\(goodToken)"],
    ["Authorization": "Bearer \(goodToken) \(goodToken)"], ["Authorization": "Bearer \(goodToken),x"],
  ]

  @Test("with a token set, jobs need it, wherever the client is", arguments: wrongTokens)
  func tokenNeeded(_ fields: [String: String]) async throws {
    let endpoint = try Endpoint(tokens: [goodToken])
    for text in [submission("{}", fields: fields), request("GET", "/v1/jobs/a", fields: fields)] {
      let response = try await endpoint.response(to: text)
      #expect(response?.status == 401)
      #expect(response?.fields["www-authenticate"]?.hasPrefix("Bearer") == true)
      #expect(response?.body.contains(goodToken) == false)
    }
    #expect(endpoint.service.seen.bodies.isEmpty)
    #expect(endpoint.service.seen.ids.isEmpty)
  }

  @Test("any of the tokens will do, the scheme in any case", arguments: ["Bearer", "bearer", "BEARER"])
  func rightToken(_ scheme: String) async throws {
    let other = String(goodToken.reversed())
    let endpoint = try Endpoint(tokens: [goodToken, other])
    for token in [goodToken, other] {
      // With a token it does not matter how the client names this machine.
      let fields = [
        "Authorization": "\(scheme) \(token)", "Host": "worker.example.com", "Origin": "https://example.com",
      ]
      #expect(try await endpoint.response(to: submission("{}", fields: fields))?.status == 202)
    }
  }

  @Test("probes and metrics need no token", arguments: ["/healthz", "/readyz", "/metrics"])
  func openPaths(_ path: String) async throws {
    #expect(try await Endpoint(tokens: [goodToken]).response(to: request("GET", path))?.status == 200)
  }

  @Test("beyond loopback, without a token, there is everything but jobs", arguments: ["*:0", "0.0.0.0:0"])
  func beyondLoopback(_ address: String) async throws {
    let endpoint = try Endpoint(address: address)
    #expect(!endpoint.server.servesJobs)
    #expect(try await endpoint.response(to: submission("{}"))?.status == 403)
    #expect(try await endpoint.response(to: request("GET", "/v1/jobs/a"))?.status == 403)
    #expect(try await endpoint.response(to: request("GET", "/healthz"))?.status == 200)
    #expect(endpoint.service.seen.bodies.isEmpty)
    let guarded = try Endpoint(address: address, tokens: [goodToken])
    #expect(guarded.server.servesJobs)
    let fields = ["Authorization": "Bearer \(goodToken)"]
    #expect(try await guarded.response(to: submission("{}", fields: fields))?.status == 202)
  }

  @Test(
    "without a token, web pages in a browser on this machine cannot add jobs",
    arguments: [
      ["Host": "evil.example.com"], ["Host": "localhost", "Origin": "http://evil.example.com"],
      ["Host": "127.0.0.1.evil.example.com"], ["Host": "localhost.evil.example.com"], ["Host": "[2001:db8::1]"],
      ["Host": "127.0.0.1", "Origin": "null"], ["Host": ""], ["Host": "127.1.2.3.4"], ["Host": "192.168.0.1"],
    ])
  func webPages(_ fields: [String: String]) async throws {
    let endpoint = try Endpoint()
    #expect(try await endpoint.response(to: submission("{}", fields: fields))?.status == 403)
    #expect(endpoint.service.seen.bodies.isEmpty)
  }

  @Test(
    "without a token, programs on this machine can",
    arguments: ["localhost", "LOCALHOST:9464", "127.0.0.1:80", "[::1]:9464", "127.3.2.1"])
  func localPrograms(_ host: String) async throws {
    #expect(try await Endpoint().response(to: submission("{}", fields: ["Host": host]))?.status == 202)
  }

  @Test(
    "what can be no token is refused before anybody listens",
    arguments: ["", "short", "with blank 0123456789", "größe0123456789abc"])
  func uselessTokens(_ text: String) {
    #expect(throws: TokenFault.self) { try BearerToken(text) }
  }

  @Test("a file of tokens has one on each line")
  func tokenFiles() throws {
    let other = String(goodToken.reversed())
    let tokens = try BearerToken.tokens(inText: "# old\n\(goodToken)\r\n\n  \(other)\t\n")
    #expect(tokens == [try BearerToken(goodToken), try BearerToken(other)])
    #expect(throws: TokenFault.self) { try BearerToken.tokens(inText: "\n# none\n") }
    #expect(throws: TokenFault.self) { try BearerToken.tokens(inText: "\(goodToken)\nshort\n") }
  }
}
