import Metrics
import Operations
import TestSupport
import Testing

@Suite struct LifetimeTests {
  @Test("a service that does not answer in time costs its client a 503, and nobody else anything")
  func stuckService() async throws {
    let service = FakeService { $0.isStuck = true }
    let endpoint = try Endpoint(service) { $0.answerSeconds = 0.3 }
    let client = try endpoint.client()
    await client.send(submission("late"))
    let response = await client.response()
    #expect(response?.status == 503)
    #expect(response?.body.contains("no answer in time") == true)
    // The late answer is nobody's.
    service.change { $0.isStuck = false }
    for _ in 0..<1_000 {
      await client.send(submission("next"))
      if await client.response()?.body.contains("\"next\"") == true { return }
    }
    Issue.record("the endpoint does not recover")
  }

  @Test("questions to a service that never answers do not pile up")
  func stuckForLong() async throws {
    let service = FakeService { $0.isStuck = true }
    let endpoint = try Endpoint(service) {
      $0.answerSeconds = 0
      $0.maximumConnections = 4
    }
    for number in 0..<40 {
      #expect(try await endpoint.response(to: submission("\(number)"))?.status == 503)
    }
    #expect(service.seen.bodies.count <= 8)
    service.change { $0.isStuck = false }
    for _ in 0..<12_000 {
      if try await endpoint.response(to: submission("again"))?.status == 202 { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("the endpoint does not recover")
  }

  @Test("closing lets requests in work end, and takes no more")
  func closing() async throws {
    let service = FakeService { $0.isStuck = true }
    let endpoint = try Endpoint(service) {
      $0.answerSeconds = 600
      $0.requestSeconds = 600
      $0.closingSeconds = 600
    }
    let (idle, client) = (try endpoint.client(), try endpoint.client())
    await client.send(submission("last"))
    for _ in 0..<12_000 where service.seen.bodies.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    async let closed: Void = endpoint.server.close()
    #expect(await idle.end() != nil)
    #expect(throws: RawClient.Fault.self) { try endpoint.client() }
    service.change { $0.isStuck = false }
    let response = await client.response()
    #expect(response?.status == 202)
    #expect(response?.fields["connection"] == "close")
    await closed
    await endpoint.server.close()
  }

  @Test("closing does not wait for a service that never answers, nor for slow clients")
  func closingWithoutAnswer() async throws {
    let service = FakeService { $0.isStuck = true }
    let endpoint = try Endpoint(service) { $0.closingSeconds = 0.2 }
    let (stuck, slow) = (try endpoint.client(), try endpoint.client())
    await stuck.send(submission("{}"))
    await slow.send("POST /v1/jobs HTTP/1.1\r\n")
    for _ in 0..<12_000 where service.seen.bodies.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    await endpoint.server.close()
    #expect(await stuck.response()?.status == 503)
    #expect(await slow.end() != nil)
    service.change { $0.isStuck = false }
  }

  @Test("endpoints come and go, closed or dropped, and the port is free again")
  func comingAndGoing() async throws {
    var again = 0
    for number in 0..<20 {
      let first = try Endpoint()
      #expect(try await first.response(to: request("GET", "/healthz"))?.status == 200)
      let address = first.server.address.description
      await first.server.close()
      do {
        let second = try Endpoint(address: address)
        #expect(try await second.response(to: request("GET", "/healthz"))?.status == 200)
        again += 1
        if number % 2 == 0 { await second.server.close() }
      } catch let fault as ListenFault where fault.isAddressInUse {
        // Somebody else on this machine may have got the port now and then.
      }
    }
    #expect(again > 10)
  }

  @Test("a port that somebody has is a fault that says so")
  func portInUse() throws {
    let endpoint = try Endpoint()
    let fault = #expect(throws: ListenFault.self) { try Endpoint(address: endpoint.server.address.description) }
    #expect(fault?.isAddressInUse == true)
    #expect(fault?.message.contains(endpoint.server.address.description) == true)
  }

  @Test("an address that is not this machine's is a fault that says so")
  func foreignAddress() throws {
    let fault = #expect(throws: ListenFault.self) { try Endpoint(address: "192.0.2.1:0") }
    #expect(fault?.isAddressInUse == false)
    #expect(fault?.message.contains("192.0.2.1:0") == true)
  }
}
