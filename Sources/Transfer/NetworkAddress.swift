import Glibc

/// An IPv4 or IPv6 address. The two never equal each other: `::ffff:10.0.0.1` stays the IPv6 address that it is.
package enum NetworkAddress: Sendable, Hashable {
  case v4(UInt32)
  case v6(UInt128)

  /// The address in a socket address; nil for another family.
  init?(_ address: UnsafePointer<sockaddr>, length: Int) {
    let raw = UnsafeRawPointer(address)
    // The family comes first in all of them. Which module the field belongs to depends on the kind of build.
    switch Int32(raw.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      self = .v4(UInt32(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      self = .v6(UInt128(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr))
    default: return nil
    }
  }

  /// The address that a text in its usual form stands for: four decimal numbers, or RFC 4291 section 2.2.
  package init?(_ text: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      self = .v4(UInt32(bigEndian: v4.s_addr))
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      self = .v6(UInt128(v6))
    } else {
      return nil
    }
  }

  /// How many bits an address of its family has.
  var width: Int {
    switch self {
    case .v4: 32
    case .v6: 128
    }
  }
}

extension UInt128 {
  fileprivate init(_ address: in6_addr) {
    self = withUnsafeBytes(of: address) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
  }
}

extension NetworkAddress: CustomStringConvertible {
  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch self {
    case .v4(let number):
      var address = in_addr(s_addr: number.bigEndian)
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    case .v6(let number):
      var address = number.bigEndian
      inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// All addresses that begin with the same bits: `10.0.0.0/8`.
package struct AddressBlock: Sendable, Hashable, CustomStringConvertible {
  /// Its first address; the bits behind the prefix are 0.
  let first: NetworkAddress
  /// How many leading bits its addresses share.
  let prefix: Int

  /// - Precondition: `prefix` is not longer than an address; a longer one counts as that.
  init(around address: NetworkAddress, prefix: Int) {
    self.prefix = min(max(prefix, 0), address.width)
    switch address {
    case .v4(let number): first = .v4(number & ~(UInt32.max >> UInt32(self.prefix)))
    case .v6(let number): first = .v6(number & ~(UInt128.max >> UInt128(self.prefix)))
    }
  }

  func contains(_ address: NetworkAddress) -> Bool {
    address.width == first.width && AddressBlock(around: address, prefix: prefix).first == first
  }

  package var description: String { "\(first)/\(prefix)" }
}

extension AddressBlock {
  /// What is wrong with a text that should be a block, to follow it.
  package struct Malformed: Error {
    package let sentence: String
  }

  /// Reads CIDR notation (RFC 4632 section 3.1); an address without a prefix is a block of its own.
  package init(_ text: String) throws(Malformed) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = NetworkAddress(String(parts[0])) else {
      throw Malformed(sentence: "is no IP address; write it like 10.0.0.0/8 or fd00::/8")
    }
    guard parts.count == 2 else {
      self.init(around: address, prefix: address.width)
      return
    }
    guard parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let prefix = Int(parts[1]), prefix <= address.width
    else {
      throw Malformed(sentence: "has no prefix from 0 to \(address.width) behind the slash")
    }
    self.init(around: address, prefix: prefix)
    guard first == address else {
      throw Malformed(sentence: "has bits behind its prefix; the block around it is \(description)")
    }
  }
}
