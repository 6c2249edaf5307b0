import Testing

@testable import Transfer

struct EnvironmentProxiesTests {
  @Test(
    "the proxy is the one that the variables name",
    arguments: [
      ("http://a.example/", ["http_proxy": "http://p:1"], "http://p:1"),
      ("https://a.example/", ["http_proxy": "http://p:1"], nil),
      ("https://a.example/", ["https_proxy": "p:1"], "p:1"), ("https://a.example/", ["HTTPS_PROXY": "p:1"], "p:1"),
      ("http://a.example/", ["HTTP_PROXY": "http://p:1"], nil),
      ("http://a.example/", ["all_proxy": "http://p:1"], "http://p:1"),
      ("https://a.example/", ["ALL_PROXY": "http://p:1"], "http://p:1"), ("http://a.example/", [:], nil),
      ("http://a.example/", ["http_proxy": ""], nil), ("http://a.example/", ["http_proxy": "", "all_proxy": "q"], "q"),
      ("https://a.example/", ["https_proxy": "p", "HTTPS_PROXY": "q", "all_proxy": "r"], "p"),
      // Names are left to the proxy.
      ("http://a.example/", ["http_proxy": "socks5://p:1"], "socks5h://p:1"),
      ("http://a.example/", ["http_proxy": "SOCKS4://p:1"], "socks4a://p:1"),
      ("http://a.example/", ["http_proxy": "socks://p:1"], "socks4a://p:1"),
      ("http://a.example/", ["http_proxy": "socks5h://u:w@p:1"], "socks5h://u:w@p:1"),
    ] as [(String, [String: String], String?)])
  func choice(url: String, variables: [String: String], proxy: String?) throws {
    let origin = try RequestURL(url).origin
    #expect(EnvironmentProxies { variables[$0] }.proxy(for: origin) == proxy)
  }

  @Test(
    "no_proxy exempts hosts, domains and blocks of addresses",
    arguments: [
      ("a.example", "a.example", true), ("a.example", "A.Example.", true), ("a.example.", "a.example", true),
      ("b.a.example", "a.example", true), ("b.a.example", ".a.example", true), ("ba.example", "a.example", false),
      ("a.example", "b.example,a.example", true), ("a.example", "b.example a.example", true), ("a.example", "*", true),
      ("a.example", "b.example, *", false), ("a.example", "", false), ("a.example", ",", false),
      ("a.example", ".", false),
      ("10.1.2.3", "10.0.0.0/8", true), ("11.1.2.3", "10.0.0.0/8", false), ("10.1.2.3", "10.1.2.3", true),
      ("0xa.1.2.3", "10.0.0.0/8", true), ("[fd00::1]", "fd00::/8", true), ("[fd00::1]", "[fd00::1]", true),
      ("10.1.2.3", "2.3", false), ("localhost", "localhost", true), ("localhost", "127.0.0.1", false),
    ])
  func exemptions(host: String, list: String, isExempt: Bool) throws {
    let origin = try RequestURL("http://\(host)/").origin
    for name in ["no_proxy", "NO_PROXY"] {
      let proxies = EnvironmentProxies { [name: list, "http_proxy": "p:1"][$0] }
      #expect((proxies.proxy(for: origin) == nil) == isExempt)
    }
  }
}
