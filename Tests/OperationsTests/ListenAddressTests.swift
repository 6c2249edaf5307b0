import Metrics
import Operations
import Testing

@Suite struct ListenAddressTests {
  @Test(
    "an address is an IP address, localhost or *, and a port",
    arguments: [
      ("127.0.0.1:9464", "127.0.0.1:9464", true), ("127.8.0.1:1", "127.8.0.1:1", true),
      ("localhost:80", "127.0.0.1:80", true), ("[::1]:0", "[::1]:0", true), ("[0:0:0:0:0:0:0:1]:5", "[::1]:5", true),
      ("0.0.0.0:65535", "0.0.0.0:65535", false), ("*:9464", "*:9464", false), ("[::]:9464", "[::]:9464", false),
      ("10.0.0.7:00080", "10.0.0.7:80", false), ("[2001:DB8::1]:9464", "[2001:db8::1]:9464", false),
      ("[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]:1", false),
    ])
  func addresses(_ text: String, _ description: String, _ isLoopback: Bool) throws {
    let address = try ListenAddress(text)
    #expect(address.description == description)
    #expect(address.isLoopback == isLoopback)
    #expect(try ListenOption(text) == .address(address))
  }

  @Test(
    "anything else is a fault that shows how it is written",
    arguments: [
      "", ":", "9464", ":9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
      "127.0.0.1:http", "127.0.0.1: 80", "::1:9464", "[::1]", "[::1:9464", "[127.0.0.1]:80", "256.0.0.1:80", "1.2.3:80",
      "example.com:80", "none:80", "127.0.0.1:٣", "0x7f.0.0.1:80", "localhost:8080 ",
    ])
  func faults(_ text: String) {
    let fault = #expect(throws: ListenFault.self) { try ListenOption(text) }
    #expect(fault?.message.contains("127.0.0.1:9464") == true)
    #expect(fault?.message.hasSuffix(".") == false)
  }

  @Test("none is none")
  func none() throws {
    #expect(try ListenOption("none") == .none)
  }

  @Test("what listens has the address in its normal form", arguments: ["[::1]:0", "localhost:0", "*:0"])
  func listening(_ text: String) async throws {
    let server = try OperationsServer(
      OperationsConfiguration(address: try ListenAddress(text)), metrics: .init(), delegate: FakeService())
    #expect(!server.address.description.hasSuffix(":0"))
    await server.close()
  }
}
