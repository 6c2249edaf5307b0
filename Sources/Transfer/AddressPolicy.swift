import RichPush

/// Where requests may go: by default, to globally reachable unicast addresses on the ports 80 and 443.
///
/// URLs come from strangers, who may want a look at the network behind us. So every request is judged, also those that
/// redirects ask for: its port and an address in its URL before it starts, and each address that a name has led to at
/// the moment when it is dialled. What was looked up before does not count, so a name may resolve to something else the
/// next time. It is the same for all downloads of a `Downloader`, so a connection or a lookup that is used again has
/// been judged by it.
///
/// What is refused ends as `blocked_address`, without a packet having been sent, and with the same words whatever was
/// behind the name.
package struct AddressPolicy: Sendable, Equatable {
  /// The ports that may be dialled, at any host.
  package var ports: Set<Int> = [80, 443]
  /// Addresses that may be dialled although they are not global, as they are dialled: an IPv4 block does not hold
  /// the IPv6 addresses that stand for its addresses.
  package var blocks: [AddressBlock] = []
  /// Names that may be dialled whatever they resolve to.
  package var hosts: Set<HostName> = []

  package init() {}

  /// Judges what a URL says by itself.
  ///
  /// - Parameter isRedirect: whether a server named the URL, of whose host messages then hold nothing.
  func judge(_ url: RequestURL, isRedirect: Bool) throws(Rejection.Reason) {
    let origin = url.origin
    guard ports.contains(origin.port) else {
      throw Rejection.Reason(
        .blockedAddress, at: .fetch,
        "\(isRedirect ? "the server redirects to" : "the URL has") port \(origin.port), from which nothing is fetched;"
          + " --allow-port \(origin.port) permits it")
    }
    switch HostLiteral(origin.host) {
    case nil: return
    case .addresses(let addresses):
      if addresses.contains(where: { permits($0, zone: url.hasZone, of: origin.host) }) { return }
    case .unreadable:
      if permits(host: origin.host) { return }
    }
    throw .blocked(origin.host, isRedirect: isRedirect)
  }

  /// Whether an address may be dialled for a request to `host`.
  ///
  /// - Parameter zone: whether the address is that of an interface. Global ones need no zone, so it is a trick there.
  func permits(_ address: NetworkAddress, zone: Bool = false, of host: String) -> Bool {
    permits(host: host) || blocks.contains { $0.contains(address) } || (address.isGlobal && !zone)
  }

  private func permits(host: String) -> Bool {
    !hosts.isEmpty && hosts.contains(HostName(ascii: host))
  }
}

extension Rejection.Reason {
  static func blocked(_ host: String, isRedirect: Bool) -> Rejection.Reason {
    Rejection.Reason(
      .blockedAddress, at: .fetch,
      "\(isRedirect ? "the server redirects to a host that" : host) is at no public address;"
        + " --allow-address and --allow-host permit others")
  }
}

/// The name of a host for comparing: in lower case, in ASCII, without the dot that may end it.
package struct HostName: Sendable, Hashable {
  let text: String

  /// - Parameter host: as `RequestURL.Origin` has it.
  init(ascii host: String) {
    text = host.lowercased().withoutFinalDot
  }

  /// What is wrong with a text that should be a name, to follow it.
  package struct Malformed: Error {
    package let sentence: String
  }

  /// Reads a name as it stands in URLs, also in letters beyond ASCII.
  package init(_ name: String) throws(Malformed) {
    if (try? AddressBlock(name)) != nil || name.hasPrefix("[") {
      throw Malformed(sentence: "is an address; those are for --allow-address")
    }
    if name.contains("*") { throw Malformed(sentence: "has a *; names are compared as a whole") }
    // Everything that would end the host in a URL is no part of a name.
    guard !name.utf8.contains(where: { "/?#@:%\\".utf8.contains($0) }), let url = try? RequestURL("http://\(name)/")
    else { throw Malformed(sentence: "is no host name; write it like media.example.com") }
    self.init(ascii: url.origin.host)
    guard !text.isEmpty, text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
    else { throw Malformed(sentence: "is no host name; write it like media.example.com") }
    guard HostLiteral(text) == nil || text.isLocalhost else {
      throw Malformed(sentence: "is an address; those are for --allow-address")
    }
  }
}

extension String {
  /// RFC 6761 section 6.3: such names stand for loopback, and libcurl asks nobody about them.
  var isLocalhost: Bool { self == "localhost" || hasSuffix(".localhost") }

  var withoutFinalDot: String { hasSuffix(".") ? String(dropLast()) : self }
}
