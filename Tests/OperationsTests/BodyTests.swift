import Operations
import TestSupport
import Testing

@Suite struct BodyTests {
  private let limit = 1_000

  private func endpoint() throws -> Endpoint {
    try Endpoint { $0.maximumBodyBytes = 1_000 }
  }

  private func chunked(_ chunks: [String]) -> String {
    let head = request(
      "POST", "/v1/jobs", fields: ["Content-Type": "application/json", "Transfer-Encoding": "chunked"])
    return head + chunks.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
  }

  @Test("a body of any size up to the limit arrives as it was sent", arguments: [1, 2, 999, 1_000])
  func wholeBodies(_ size: Int) async throws {
    let body = String((0..<size).map { Character(Unicode.Scalar(UInt8(33 + $0 % 90))) })
    let endpoint = try endpoint()
    #expect(try await endpoint.response(to: submission(body))?.status == 202)
    #expect(try await endpoint.response(to: chunked([body]))?.status == 202)
    let pieces = [String(body.prefix(1))] + (size > 1 ? [String(body.dropFirst())] : [])
    #expect(try await endpoint.response(to: chunked(pieces))?.status == 202)
    #expect(endpoint.service.seen.bodies == Array(repeating: Array(body.utf8), count: 3))
  }

  @Test("a body that comes byte by byte arrives as it was sent")
  func byteByByte() async throws {
    let endpoint = try endpoint()
    for text in [submission("{\"id\":1}"), chunked(["{\"id\"", ":1}"])] {
      let client = try endpoint.client()
      for byte in text.utf8 {
        await client.send([byte])
        await Task.yield()
      }
      #expect(await client.response()?.status == 202)
    }
    #expect(endpoint.service.seen.bodies == Array(repeating: Array("{\"id\":1}".utf8), count: 2))
  }

  @Test("a body over the limit is refused, and the connection goes on", arguments: [1_001, 2_000, 4_000])
  func tooLarge(_ size: Int) async throws {
    let body = String(repeating: "x", count: size)
    let endpoint = try endpoint()
    for text in [submission(body), chunked([body]), chunked([String(body.prefix(500)), String(body.dropFirst(500))])] {
      let client = try endpoint.client()
      await client.send(text)
      let response = await client.response()
      #expect(response?.status == 413)
      #expect(response?.body.contains("1000 bytes") == true)
      await client.send(request("GET", "/healthz"))
      #expect(await client.response()?.status == 200)
    }
    #expect(endpoint.service.seen.bodies.isEmpty)
  }

  @Test("far too much is not read at all")
  func enormous() async throws {
    let endpoint = try endpoint()
    let announced = try endpoint.client()
    await announced.send(
      request("POST", "/v1/jobs", fields: ["Content-Type": "application/json", "Content-Length": "999999999999"]))
    #expect(await announced.response()?.status == 413)
    #expect(await announced.end() != nil)

    let endless = try endpoint.client()
    let head = request(
      "POST", "/v1/jobs", fields: ["Content-Type": "application/json", "Transfer-Encoding": "chunked"])
    await endless.send(head)
    let chunk = "400\r\n" + String(repeating: "x", count: 1_024) + "\r\n"
    var chunks = 0
    while chunks < 100_000, await endless.send(chunk) { chunks += 1 }
    #expect(chunks < 100_000)
    #expect(endpoint.service.seen.bodies.isEmpty)
  }

  @Test("who asks for leave before sending gets it, or the refusal instead")
  func leave() async throws {
    let endpoint = try endpoint()
    let good = try endpoint.client()
    await good.send(
      request(
        "POST", "/v1/jobs",
        fields: ["Content-Type": "application/json", "Content-Length": "2", "Expect": "100-continue"]))
    #expect(await good.response()?.status == 100)
    await good.send("{}")
    #expect(await good.response()?.status == 202)

    let bad = try endpoint.client()
    await bad.send(
      request(
        "POST", "/v1/jobs",
        fields: ["Content-Type": "application/json", "Content-Length": "2000", "Expect": "100-continue"]))
    #expect(await bad.response()?.status == 413)
  }

  @Test(
    "a body has to be JSON, by its type, and to be there",
    arguments: [
      (["Content-Type": "text/plain"], "{}", 415), (["Content-Type": "application/x-www-form-urlencoded"], "{}", 415),
      (["Content-Type": ""], "{}", 415), (["Content-Type": "application/json", "Content-Encoding": "gzip"], "{}", 415),
      (["Content-Type": "application/json"], "", 400), (["Content-Type": "APPLICATION/JSON; charset=UTF-8"], "{}", 202),
      (["Content-Type": "application/json", "Content-Encoding": "identity"], "{}", 202),
    ])
  func bodyTypes(_ fields: [String: String], _ body: String, _ status: Int) async throws {
    let response = try await endpoint().response(to: request("POST", "/v1/jobs", fields: fields, body: body))
    #expect(response?.status == status)
  }

  @Test("a refusal waits for the body, so that the client sees it, and the connection goes on")
  func refusalAfterBody() async throws {
    let endpoint = try Endpoint(tokens: [goodToken]) { $0.maximumBodyBytes = 100_000 }
    let client = try endpoint.client()
    await client.send(submission(String(repeating: "x", count: 100_000)))
    #expect(await client.response()?.status == 401)
    await client.send(submission("{}", fields: ["Authorization": "Bearer \(goodToken)"]))
    #expect(await client.response()?.status == 202)
  }

  @Test("a probe with a body is refused")
  func bodyOfProbe() async throws {
    #expect(try await endpoint().response(to: request("GET", "/healthz", body: "{}"))?.status == 400)
  }
}
