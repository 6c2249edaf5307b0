import Testing

@testable import Transfer

/// One block: whether its first and last address are global, and the addresses before and behind it.
private struct Row: CustomTestStringConvertible {
  let block: String
  let inside: Bool
  /// Nil where there is none.
  let before: Bool?
  let behind: Bool?

  init(_ block: String, _ inside: Bool, _ before: Bool?, _ behind: Bool?) {
    (self.block, self.inside, self.before, self.behind) = (block, inside, before, behind)
  }

  var testDescription: String { block }
}

/// The registries as they are: "IANA IPv4 Special-Purpose Address Registry" and the one for IPv6.
private let registered = [
  Row("0.0.0.0/8", false, nil, true), Row("0.0.0.0/32", false, nil, false), Row("10.0.0.0/8", false, true, true),
  Row("100.64.0.0/10", false, true, true), Row("127.0.0.0/8", false, true, true),
  Row("169.254.0.0/16", false, true, true), Row("172.16.0.0/12", false, true, true),
  Row("192.0.0.0/24", false, true, true), Row("192.0.0.0/29", false, true, false),
  Row("192.0.0.8/32", false, false, true), Row("192.0.0.9/32", true, false, true),
  Row("192.0.0.10/32", true, true, false), Row("192.0.0.170/31", false, false, false),
  Row("192.0.2.0/24", false, true, true), Row("192.31.196.0/24", true, true, true),
  Row("192.52.193.0/24", true, true, true), Row("192.88.99.0/24", false, true, true),
  Row("192.88.99.2/32", false, false, false), Row("192.168.0.0/16", false, true, true),
  Row("192.175.48.0/24", true, true, true), Row("198.18.0.0/15", false, true, true),
  Row("198.51.100.0/24", false, true, true), Row("203.0.113.0/24", false, true, true),
  Row("240.0.0.0/4", false, false, nil), Row("255.255.255.255/32", false, false, nil),

  Row("::/128", false, nil, false), Row("::1/128", false, false, false), Row("::ffff:0.0.0.0/96", false, false, false),
  Row("64:ff9b::/96", false, false, false), Row("64:ff9b:1::/48", false, false, false),
  Row("100::/64", false, false, false), Row("100:0:0:1::/64", false, false, false),
  Row("2001::/23", false, true, true), Row("2001::/32", false, true, false), Row("2001:1::1/128", true, false, true),
  Row("2001:1::2/128", true, true, true), Row("2001:1::3/128", true, true, false),
  Row("2001:2::/48", false, false, false), Row("2001:3::/32", true, false, false),
  Row("2001:4:112::/48", true, false, false), Row("2001:10::/28", false, false, true),
  Row("2001:20::/28", true, false, true), Row("2001:30::/28", true, true, false),
  Row("2001:db8::/32", false, true, true), Row("2002::/16", false, true, true),
  Row("2620:4f:8000::/48", true, true, true), Row("3fff::/20", false, true, true),
  Row("5f00::/16", false, false, false), Row("fc00::/7", false, false, false), Row("fe80::/10", false, false, false),
]

/// What is in the registries of the whole address spaces, and in none.
private let others = [
  Row("224.0.0.0/4", false, true, false), Row("168.63.129.16/32", false, true, true),
  Row("2000::/3", true, false, false),
  Row("fec0::/10", false, false, false), Row("ff00::/8", false, false, nil),
]

/// What follows from them.
private let derived = [
  // IPv4-compatible, and IPv4-translated (SIIT).
  Row("::/96", false, nil, false), Row("::ffff:0:0:0/96", false, false, false),
  // Behind the well-known NAT64 prefix, what counts is inside.
  Row("64:ff9b::8.8.8.8/128", true, true, true), Row("64:ff9b::0.0.0.0/104", false, false, true),
  Row("64:ff9b::10.0.0.0/104", false, true, true), Row("64:ff9b::127.0.0.0/104", false, true, true),
  Row("64:ff9b::169.254.0.0/112", false, true, true), Row("64:ff9b::192.168.0.0/112", false, true, true),
  Row("64:ff9b::168.63.129.16/128", false, true, true), Row("64:ff9b::224.0.0.0/99", false, true, false),
  Row("64:ff9b:0:0:0:1::/96", false, false, false),
  // ISATAP (RFC 5214 section 6.1): the interface identifier begins with 0:5efe or 200:5efe.
  Row("2606:4700::5efe:0:0/96", false, true, true), Row("2606:4700::200:5efe:0:0/96", false, true, true),
  // Reserved for nobody in particular.
  Row("4000::/2", false, true, false), Row("8000::/1", false, false, nil), Row("fe00::/9", false, false, false),
]

struct SpecialAddressTests {
  @Test("what is global begins and ends where the registries say", arguments: registered + others + derived)
  fileprivate func boundaries(row: Row) throws {
    let block = try AddressBlock(row.block)
    #expect(block.first.isGlobal == row.inside, "\(block.first)")
    #expect(block.last.isGlobal == row.inside, "\(block.last)")
    #expect(block.first.neighbour(-1)?.isGlobal == row.before, "before \(block.first)")
    #expect(block.last.neighbour(1)?.isGlobal == row.behind, "behind \(block.last)")
  }

  @Test("the table has all blocks of the registries, each with its source, and no other")
  func complete() {
    let blocks = SpecialBlock.all.map(\.block.description)
    #expect(Set(blocks) == Set((registered + others).map(\.block) + ["0.0.0.0/0", "::/0"]))
    #expect(blocks.count == Set(blocks).count)
    #expect(SpecialBlock.all.allSatisfy { !$0.name.isEmpty && $0.source.contains(/RFC \d|168\.63\.129\.16/) })
  }

  @Test(
    "a block is read from CIDR notation",
    arguments: [
      ("10.0.0.0/8", "10.0.0.0/8"), ("10.1.2.3", "10.1.2.3/32"), ("0.0.0.0/0", "0.0.0.0/0"), ("::1", "::1/128"),
      ("FD00::/8", "fd00::/8"), ("::ffff:10.0.0.0/104", "::ffff:10.0.0.0/104"),
      ("255.255.255.255/32", "255.255.255.255/32"),
    ])
  func blocks(text: String, description: String) throws {
    #expect(try AddressBlock(text).description == description)
  }

  @Test(
    "what is no block is refused with a hint",
    arguments: [
      ("", "is no IP address"), ("10", "is no IP address"), ("10.0.0/8", "is no IP address"),
      ("010.0.0.0/8", "is no IP address"), ("0x0a.0.0.0/8", "is no IP address"), ("[::1]", "is no IP address"),
      ("fe80::1%lo", "is no IP address"), ("media.example", "is no IP address"), (" 10.0.0.0/8", "is no IP address"),
      ("/8", "is no IP address"), ("10.0.0.0/", "has no prefix from 0 to 32"),
      ("10.0.0.0/33", "has no prefix from 0 to 32"),
      ("10.0.0.0/+8", "has no prefix from 0 to 32"), ("10.0.0.0/8/8", "has no prefix from 0 to 32"),
      ("fd00::/129", "has no prefix from 0 to 128"),
      ("10.0.0.0/255.0.0.0", "has no prefix from 0 to 32"),
      ("fd00::/99999999999999999999", "has no prefix from 0 to 128"),
      ("10.1.2.3/8", "has bits behind its prefix; the block around it is 10.0.0.0/8"),
      ("fd00::1/8", "has bits behind its prefix; the block around it is fd00::/8"),
    ])
  func malformedBlocks(text: String, sentence: String) throws {
    let error = try #require(throws: AddressBlock.Malformed.self) { _ = try AddressBlock(text) }
    #expect(error.sentence.hasPrefix(sentence), "\(error.sentence)")
  }

  @Test("an address of one family is in no block of the other")
  func families() throws {
    #expect(!(try AddressBlock("0.0.0.0/0").contains(.v6(0))))
    #expect(!(try AddressBlock("::/0").contains(.v4(0))))
    #expect(!(try AddressBlock("::ffff:0:0/96").contains(.v4(0x0A00_0001))))
  }
}

extension AddressBlock {
  fileprivate var last: NetworkAddress {
    switch first {
    case .v4(let number): .v4(number | UInt32.max >> UInt32(prefix))
    case .v6(let number): .v6(number | UInt128.max >> UInt128(prefix))
    }
  }
}

extension NetworkAddress {
  fileprivate func neighbour(_ step: Int) -> NetworkAddress? {
    switch self {
    case .v4(let number): UInt32(exactly: Int(number) + step).map { .v4($0) }
    case .v6(let number):
      step > 0
        ? number.addingReportingOverflow(1).overflow ? nil : .v6(number + 1)
        : number == 0 ? nil : .v6(number - 1)
    }
  }
}
