import Glibc
import RichPush
import Testing
import Transfer

/// What a spelling of a host has to get.
private enum Verdict {
  /// `blocked_address`, and no dial.
  case blocked
  /// Exactly this address is dialled, and no other.
  case dials(String)
  /// `invalid_job`, and no dial.
  case refused
}

/// Between `http://` and the port.
private let spellings: [(String, Verdict)] =
  blocked.map { ($0, .blocked) } + dialled.map { ($0.0, .dials($0.1)) } + malformed.map { ($0, .refused) }

private let blocked = [
  // Loopback: with fewer parts, as one number, octal, hexadecimal, mixed, with zeros, with a final dot.
  "127.0.0.1", "127.255.255.254", "127.1", "127.0.1", "127.65535", "2130706433", "017700000001", "0x7f000001",
  "0X7F000001",
  "0x7f.1", "0x7f.0.0.1", "0177.0.0.1", "0177.1", "00000177.0.0.01", "0x0000007f.0x0.0x0.0x1", "127.0.0x1", "0x7f.0.01",
  "127.0.0.1.", "127.1.", "2130706433.", "0x7f.1.", "localhost", "LOCALHOST", "LocalHost.", "a.localhost",
  "A.B.LocalHost.",
  // This host.
  "0", "0.", "0.0.0.0", "0.0", "00", "0x0", "0x", "0.1.2.3",
  // The same with other digits, letters and dots, which are mapped to plain ones.
  "１２７.０.０.１", "１２７。０。０。１", "①②⑦.⓪.⓪.①", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "２１３０７０６４３３", "0ｘ7f.1",
  "𝟏𝟐𝟕.𝟎.𝟎.𝟏", "ⓛocalhost", "ｌｏｃａｌｈｏｓｔ", "lo\u{AD}calhost", "⑯⑨.②⑤④.⑯⑨.②⑤④",
  // Percent-encoded.
  "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "127.0.0.1%2E", "%6c%6F%63alhost", "%30x7f.1", "%30177.0.0.1", "2130706%343%33",
  "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1", "127%E3%80%820.0.1",
  // Percent-encoded twice, for who decodes once more.
  "%2531%2532%2537.0.0.1", "%256cocalhost", "%zz.example",
  // Private, shared, link local, and what clouds keep for their machines.
  "10.0.0.1", "10.255.255.255", "10.1", "012.0.0.1", "0xa.0.0.1", "167772161", "172.16.0.1", "172.31.255.255",
  "0xac100001",
  "192.168.0.1", "192.168.1", "0xc0a80001", "3232235521", "0300.0250.0.1", "100.64.0.1", "100.127.255.255",
  "100.100.100.200", "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518",
  "169.16689662",
  "0xa9.254.0251.254", "169.254.169.254.", "168.63.129.16", "0xa83f8110",
  // Of no use to anybody, or to many at once.
  "192.0.0.1", "192.0.0.8", "192.0.0.170", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255",
  "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "4294967295",
  "0xffffffff", "037777777777",
  // Like addresses, and none.
  "256.256.256.256", "1.2.3.4.5", "127.0.0.1.1", "08.8.8.8", "4294967296", "0x100000000", "1.2.3.256", "127.0.0.0x100",
  "example.1", "example.0x7f",
  // IPv6.
  "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[0::0:1]", "[::0.0.0.1]",
  "[::127.0.0.1]", "[::8.8.8.8]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:7F00:0001]",
  "[0:0:0:0:0:ffff:169.254.169.254]", "[::ffff:10.0.0.1]", "[::ffff:8.8.8.8]", "[::ffff:0:127.0.0.1]", "[::1%25lo]",
  "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]", "[64:FF9B::A9FE:A9FE]",
  "[64:ff9b::168.63.129.16]",
  "[64:ff9b::192.88.99.1]", "[64:ff9b::]", "[64:ff9b:1::8.8.8.8]", "[64:ff9b:1::10.0.0.1]", "[64:ff9b:0:1::8.8.8.8]",
  "[2002:7f00:1::]", "[2002:a00:1::1]", "[2002:a9fe:a9fe::1]", "[2002:808:808::1]", "[2001::1]", "[2001:0:7f00:1::]",
  "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[fe80::1]", "[FE80::1%25lo]", "[fe80::1%25]", "[fe80::1%25eth0]",
  "[fe80::1%251]",
  "[fe80::a9fe:a9fe]", "[febf::1]", "[fe80::5efe:127.0.0.1]", "[2606:4700::5efe:10.0.0.1]",
  "[2606:4700::200:5efe:169.254.169.254]", "[2606:4700:4700::1111%25lo]", "[fec0::1]", "[feff::1]", "[fc00::1]",
  "[fd00::1]",
  "[fd00:ec2::254]", "[fd20:ce::254]", "[ff02::1]", "[ff0e::1]", "[100::1]", "[100:0:0:1::1]", "[2001:2::1]",
  "[2001:10::1]", "[2001:40::1]", "[2001:db8::1]", "[3fff::1]", "[3fff:fff::1]", "[5f00::1]", "[1fff::1]", "[4000::1]",
  "[e000::1]", "[fe00::1]",
  // Not the host that it seems to be.
  "8.8.8.8@127.0.0.1", "8.8.8.8:80@127.0.0.1", "example.com@localhost", "example.com%40@[::1]",
]

private let dialled = [
  ("8.8.8.8", "8.8.8.8"), ("134744072", "8.8.8.8"), ("0x08080808", "8.8.8.8"), ("010.8.8.8", "8.8.8.8"),
  ("8.8.2056", "8.8.8.8"), ("８.８.８.８", "8.8.8.8"), ("8。8。8。8", "8.8.8.8"), ("%38.8.8.8", "8.8.8.8"),
  ("127.0.0.1@8.8.8.8", "8.8.8.8"), ("1.0.0.0", "1.0.0.0"), ("9.255.255.255", "9.255.255.255"),
  ("11.0.0.0", "11.0.0.0"),
  ("100.63.255.255", "100.63.255.255"), ("100.128.0.0", "100.128.0.0"), ("126.255.255.255", "126.255.255.255"),
  ("128.0.0.0", "128.0.0.0"), ("168.63.129.17", "168.63.129.17"), ("169.253.255.255", "169.253.255.255"),
  ("172.15.255.255", "172.15.255.255"), ("172.32.0.0", "172.32.0.0"), ("192.0.0.9", "192.0.0.9"),
  ("192.31.196.1", "192.31.196.1"), ("192.167.255.255", "192.167.255.255"), ("192.175.48.1", "192.175.48.1"),
  ("198.17.255.255", "198.17.255.255"), ("198.20.0.0", "198.20.0.0"), ("223.255.255.255", "223.255.255.255"),
  ("[2606:4700:4700::1111]", "2606:4700:4700::1111"), ("[2606:4700:4700:0:0:0:0:1111]", "2606:4700:4700::1111"),
  ("[2001:4860:4860::8888]", "2001:4860:4860::8888"), ("[64:ff9b::8.8.8.8]", "64:ff9b::808:808"),
  ("[64:ff9b::808:808]", "64:ff9b::808:808"), ("[2001:1::1]", "2001:1::1"), ("[2001:200::1]", "2001:200::1"),
  ("[2620:4f:8000::1]", "2620:4f:8000::1"), ("[2003::1]", "2003::1"),
]

private let malformed = [
  "[::1", "::1", "[127.0.0.1]", "[::ffff:999.0.0.1]", "[::1::]", "[12345::1]", "127.0.0.1%00", "127.0.0.1%20",
  "127.0.0.1 ", "127.0.0.1\t", "exa<mple.com", "127.0.0.1%0a", "a\\b.example", "",
]

/// What names resolve to. Of several addresses, only those that are public are dialled.
private let answers: [([String], dialled: [String])] =
  [
    ["127.0.0.1"], ["0.0.0.0"], ["10.0.0.1"], ["172.16.0.1"], ["192.168.0.1"], ["169.254.169.254"], ["100.64.0.1"],
    ["168.63.129.16"], ["192.0.0.1"], ["198.18.0.1"], ["203.0.113.1"], ["224.0.0.1"], ["255.255.255.255"], ["::"],
    ["::1"],
    ["::ffff:127.0.0.1"], ["::127.0.0.1"], ["64:ff9b::7f00:1"], ["64:ff9b:1::808:808"], ["2002:7f00:1::"], ["2001::1"],
    ["fe80::1"], ["fd00:ec2::254"], ["fec0::1"], ["ff02::1"], ["2001:db8::1"], ["3fff::1"], ["5f00::1"],
    ["2606:4700::5efe:a00:1"], ["2606:4700:4700::1111%1"], ["127.0.0.1", "10.0.0.1"], ["::1", "127.0.0.1"],
    ["fd00::1", "10.0.0.1", "10.0.0.2", "fe80::1"],
  ].map { ($0, []) } + [
    (["8.8.8.8"], ["8.8.8.8"]), (["10.0.0.1", "8.8.8.8"], ["8.8.8.8"]), (["8.8.8.8", "10.0.0.1"], ["8.8.8.8"]),
    (["10.0.0.1", "8.8.8.8", "127.0.0.1", "9.9.9.9", "::1"], ["8.8.8.8", "9.9.9.9"]),
    (["::1", "8.8.8.8"], ["8.8.8.8"]),
    (["127.0.0.1", "2606:4700:4700::1111"], ["2606:4700:4700::1111"]),
    (["2606:4700:4700::1111", "10.0.0.1"], ["2606:4700:4700::1111"]),
  ]

/// The battery, through libcurl itself: what would be dialled is what counts. Each spelling has a port of its own, by
/// which its dials are told apart.
struct AddressBatteryTests {
  @Test("has more than enough spellings")
  func size() {
    #expect(spellings.count + answers.count >= 120)
    #expect(Set(spellings.map(\.0)).count == spellings.count)
  }

  @Test("each spelling of a host gets its verdict", arguments: spellings.indices)
  func spelling(index: Int) async throws {
    let (host, verdict) = spellings[index]
    let port = 20_000 + index
    if case .dials(let address) = verdict, address.contains(":"), !hasIPv6 { return }
    let reason = try await publicOnly(port).refusal("http://\(host):\(port)/", limits: oneAttempt)
    switch verdict {
    case .blocked:
      #expect(reason.code == .blockedAddress && reason.permanent && reason.stage == .fetch, "\(host): \(reason)")
      #expect(reason.message.hasSuffix(" is at no public address; --allow-address and --allow-host permit others"))
      #expect(ScriptedNetwork.dialled(port: port) == [], "\(host)")
    case .dials(let address):
      #expect(reason.code == .fetchFailed && !reason.permanent, "\(host): \(reason)")
      #expect(ScriptedNetwork.dialled(port: port) == [address], "\(host)")
    case .refused:
      #expect(reason.code == .invalidJob, "\(host): \(reason)")
      #expect(ScriptedNetwork.dialled(port: port) == [], "\(host)")
    }
  }

  @Test("a name gets what its addresses get", arguments: answers.indices)
  func name(index: Int) async throws {
    let (addresses, dialled) = answers[index]
    let (name, port) = ("name-\(index).battery.test", 21_000 + index)
    if dialled.contains(where: { $0.contains(":") }), !hasIPv6 { return }
    ScriptedNetwork.name(name, resolvesTo: addresses)
    let reason = try await publicOnly(port).refusal("http://\(name):\(port)/", limits: oneAttempt)
    #expect(ScriptedNetwork.lookups(of: name) == 1)
    #expect(ScriptedNetwork.dialled(port: port) == dialled)
    if dialled.isEmpty {
      #expect(reason.code == .blockedAddress && reason.permanent)
      #expect(reason.message == "\(name) is at no public address; --allow-address and --allow-host permit others")
    } else {
      #expect(reason.code == .fetchFailed && !reason.permanent)
      #expect(reason.message == "could not connect to \(name):\(port): connection refused")
    }
  }

  @Test("URLs whose parts are told apart differently by different parsers dial what was judged")
  func confusing() async throws {
    for (number, (url, dialled)) in [
      ("http://8.8.8.8:PORT#@127.0.0.1:PORT/", ["8.8.8.8"]), ("http://8.8.8.8:PORT?@127.0.0.1:PORT/", ["8.8.8.8"]),
      ("http://8.8.8.8:PORT/@127.0.0.1:PORT/", ["8.8.8.8"]), ("http://127.0.0.1:PORT#@8.8.8.8:PORT/", []),
      ("http://8.8.8.8:PORT\\@127.0.0.1:PORT/", []), ("http://127.0.0.1:PORT\\@8.8.8.8:PORT/", ["8.8.8.8"]),
      ("http://a@8.8.8.8:PORT@127.0.0.1:PORT/", []), ("http://8.8.8.8%23@127.0.0.1:PORT/", []),
      ("http://8.8.8.8%2f@127.0.0.1:PORT/", []), ("http:127.0.0.1:PORT/", []), ("http:///127.0.0.1:PORT/", []),
      ("//127.0.0.1:PORT/", []), ("HTTP://127.0.0.1:PORT/", []),
    ].enumerated() {
      let port = 22_000 + number
      let url = url.split(separator: "PORT").joined(separator: "\(port)")
      let reason = try await publicOnly(port).refusal(url, limits: oneAttempt)
      #expect(ScriptedNetwork.dialled(port: port) == dialled, "\(url): \(reason)")
      #expect(dialled.isEmpty == [.blockedAddress, .invalidJob].contains(reason.code), "\(url): \(reason)")
    }
  }

  private func publicOnly(_ port: Int) -> QuickDownloader {
    QuickDownloader { configuration in
      configuration.addressPolicy = AddressPolicy()
      configuration.addressPolicy.ports.insert(port)
    }
  }
}

/// Whether this machine lets a program try to dial IPv6 addresses.
private let hasIPv6: Bool = {
  let socket = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
  close(socket)
  return socket >= 0
}()
