/// A block of addresses with a meaning of its own.
struct SpecialBlock: Sendable {
  enum Reach: Sendable {
    /// Anybody's packets may go there, and come from there ("Globally Reachable: True").
    case global
    /// Not to be reached from everywhere; also where the registry says "N/A".
    case special
    /// Its last 32 bits are the IPv4 address that a translator passes packets on to.
    case asEmbeddedIPv4
  }

  let block: AddressBlock
  let name: String
  let source: String
  let reach: Reach

  fileprivate init(_ block: AddressBlock, _ name: String, _ source: String, _ reach: Reach = .special) {
    (self.block, self.name, self.source, self.reach) = (block, name, source, reach)
  }
}

extension NetworkAddress {
  /// Whether it is a globally reachable unicast address.
  var isGlobal: Bool {
    guard !isISATAP else { return false }
    let blocks = SpecialBlock.all.filter { $0.block.contains(self) }
    switch blocks.max(by: { $0.block.prefix < $1.block.prefix })?.reach {
    case .global: return true
    case .asEmbeddedIPv4:
      guard case .v6(let number) = self else { return false }
      return NetworkAddress.v4(UInt32(truncatingIfNeeded: number)).isGlobal
    case .special, nil: return false
    }
  }

  /// Whether it is the address of an IPv4 host behind a tunnel: RFC 5214 section 6.1. The prefix may be any.
  private var isISATAP: Bool {
    guard case .v6(let number) = self else { return false }
    let identifier = UInt32(truncatingIfNeeded: number >> 32)
    return identifier == 0x0000_5EFE || identifier == 0x0200_5EFE
  }
}

extension SpecialBlock {
  /// All blocks; of those that hold an address, the smallest one counts.
  ///
  /// From IANA's registries "IPv4 Special-Purpose Address Registry", "IPv6 Special-Purpose Address Registry"
  /// (both set up by RFC 6890), "Internet Protocol Version 6 Address Space" and "IPv4 Address Space" (for what is no
  /// unicast), and one block that no registry has. Transition addresses are special, whatever they embed, except for
  /// those of the well-known NAT64 prefix: on networks without IPv4 all names of IPv4 hosts lead there (RFC 6147).
  static let all = v4Blocks + v6Blocks

  private static let v4Blocks = [
    // What remains is unicast, assigned to somebody or not.
    v4(0, 0, 0, 0, 0, "IPv4", "RFC 791", .global),
    v4(0, 0, 0, 0, 8, "this network", "RFC 791 section 3.2"),
    v4(0, 0, 0, 0, 32, "this host on this network", "RFC 1122 section 3.2.1.3"),
    v4(10, 0, 0, 0, 8, "private use", "RFC 1918"),
    v4(100, 64, 0, 0, 10, "shared address space, behind a carrier's NAT", "RFC 6598"),
    v4(127, 0, 0, 0, 8, "loopback", "RFC 1122 section 3.2.1.3"),
    v4(168, 63, 129, 16, 32, "Azure's services for the machine itself", "Microsoft: What is IP address 168.63.129.16?"),
    v4(169, 254, 0, 0, 16, "link local, with the metadata services of most clouds", "RFC 3927"),
    v4(172, 16, 0, 0, 12, "private use", "RFC 1918"),
    v4(192, 0, 0, 0, 24, "IETF protocol assignments", "RFC 6890 section 2.1"),
    v4(192, 0, 0, 0, 29, "IPv4 service continuity prefix", "RFC 7335"),
    v4(192, 0, 0, 8, 32, "IPv4 dummy address", "RFC 7600"),
    v4(192, 0, 0, 9, 32, "port control protocol anycast", "RFC 7723", .global),
    v4(192, 0, 0, 10, 32, "traversal using relays around NAT anycast", "RFC 8155", .global),
    v4(192, 0, 0, 170, 31, "NAT64/DNS64 discovery", "RFC 8880, RFC 7050 section 2.2"),
    v4(192, 0, 2, 0, 24, "documentation, TEST-NET-1", "RFC 5737"),
    v4(192, 31, 196, 0, 24, "AS112-v4", "RFC 7535", .global),
    v4(192, 52, 193, 0, 24, "automatic multicast tunnelling", "RFC 7450", .global),
    v4(192, 88, 99, 0, 24, "6to4 relay anycast, withdrawn", "RFC 7526"),
    v4(192, 88, 99, 2, 32, "6a44 relay anycast", "RFC 6751"),
    v4(192, 168, 0, 0, 16, "private use", "RFC 1918"),
    v4(192, 175, 48, 0, 24, "direct delegation AS112 service", "RFC 7534", .global),
    v4(198, 18, 0, 0, 15, "benchmarking", "RFC 2544"),
    v4(198, 51, 100, 0, 24, "documentation, TEST-NET-2", "RFC 5737"),
    v4(203, 0, 113, 0, 24, "documentation, TEST-NET-3", "RFC 5737"),
    v4(224, 0, 0, 0, 4, "multicast", "RFC 5771"),
    v4(240, 0, 0, 0, 4, "reserved", "RFC 1112 section 4"),
    v4(255, 255, 255, 255, 32, "limited broadcast", "RFC 8190, RFC 919 section 7"),
  ]

  private static let v6Blocks = [
    // Of all IPv6 addresses, one eighth is for global unicast. The rest holds the IPv4-compatible ones (::/96) too.
    v6([], 0, "not for global unicast", "RFC 4291 section 2.4"),
    v6([0x2000], 3, "global unicast", "RFC 4291 section 2.4, RFC 3587", .global),
    v6([], 128, "unspecified", "RFC 4291 section 2.5.2"),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback", "RFC 4291 section 2.5.3"),
    v6([0, 0, 0, 0, 0, 0xFFFF], 96, "IPv4-mapped", "RFC 4291 section 2.5.5.2"),
    v6([0x64, 0xFF9B], 96, "IPv4-IPv6 translation", "RFC 6052", .asEmbeddedIPv4),
    v6([0x64, 0xFF9B, 1], 48, "IPv4-IPv6 translation, local use", "RFC 8215"),
    v6([0x100], 64, "discard only", "RFC 6666"),
    v6([0x100, 0, 0, 1], 64, "dummy prefix", "RFC 9780"),
    v6([0x2001], 23, "IETF protocol assignments", "RFC 2928"),
    v6([0x2001], 32, "Teredo", "RFC 4380, RFC 8190"),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 1], 128, "port control protocol anycast", "RFC 7723", .global),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 2], 128, "traversal using relays around NAT anycast", "RFC 8155", .global),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 3], 128, "DNS-SD service registration anycast", "RFC 9665", .global),
    v6([0x2001, 2], 48, "benchmarking", "RFC 5180"),
    v6([0x2001, 3], 32, "automatic multicast tunnelling", "RFC 7450", .global),
    v6([0x2001, 4, 0x112], 48, "AS112-v6", "RFC 7535", .global),
    v6([0x2001, 0x10], 28, "ORCHID, withdrawn", "RFC 4843"),
    v6([0x2001, 0x20], 28, "ORCHIDv2", "RFC 7343", .global),
    v6([0x2001, 0x30], 28, "drone remote ID tags", "RFC 9374", .global),
    v6([0x2001, 0xDB8], 32, "documentation", "RFC 3849"),
    v6([0x2002], 16, "6to4", "RFC 3056"),
    v6([0x2620, 0x4F, 0x8000], 48, "direct delegation AS112 service", "RFC 7534", .global),
    v6([0x3FFF], 20, "documentation", "RFC 9637"),
    v6([0x5F00], 16, "segment routing (SRv6) identifiers", "RFC 9602"),
    v6([0xFC00], 7, "unique local", "RFC 4193, RFC 8190"),
    v6([0xFE80], 10, "link local", "RFC 4291 section 2.5.6"),
    v6([0xFEC0], 10, "site local, withdrawn", "RFC 3879"),
    v6([0xFF00], 8, "multicast", "RFC 4291 section 2.7"),
  ]

  private static func v4(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ prefix: Int, _ name: String, _ source: String,
    _ reach: Reach = .special
  ) -> SpecialBlock {
    let address = NetworkAddress.v4(a << 24 | b << 16 | c << 8 | d)
    return SpecialBlock(AddressBlock(around: address, prefix: prefix), name, source, reach)
  }

  /// - Parameter groups: the leading groups of 16 bits; those left out are 0.
  private static func v6(
    _ groups: [UInt128], _ prefix: Int, _ name: String, _ source: String, _ reach: Reach = .special
  ) -> SpecialBlock {
    let leading = groups.reduce(0) { $0 << 16 | $1 }
    let address = NetworkAddress.v6(leading << UInt128(128 - 16 * groups.count))
    return SpecialBlock(AddressBlock(around: address, prefix: prefix), name, source, reach)
  }
}
