import Transfer

extension Workplace {
  /// The options of the commands that fetch, beside those that all share.
  static let fetchOptions: [Syntax.Option] = [
    .init("allow-port", .many("N"), "fetch from this port too, not from 80 and 443 only"),
    .init("allow-address", .many("CIDR"), "fetch from these addresses too, though they are not public: 10.1.0.0/16"),
    .init("allow-host", .many("NAME"), "fetch from this host too, whatever address it has"),
    .init("proxy-from-environment", .none, "use http_proxy, https_proxy, all_proxy and no_proxy"),
  ]

  /// What the help of those commands says about it.
  static let fetchDetails = """
    URLs are fetched from public addresses only, and from the ports 80 and 443. What --allow-… adds may be given several
    times, or as a list with commas in its variable. A proxy resolves the names of hosts itself: then it has to see to it
    that they lead to public addresses.
    """
}

extension Arguments {
  /// Where the `--allow-…` options let requests go.
  func addressPolicy() throws(UsageError) -> AddressPolicy {
    var policy = AddressPolicy()
    policy.ports.formUnion(try numbers("allow-port", in: 1...65_535))
    for text in texts("allow-address") {
      do throws(AddressBlock.Malformed) {
        policy.blocks.append(try AddressBlock(text))
      } catch {
        throw UsageError("\(given("allow-address")) takes a block of addresses, but “\(text)” \(error.sentence)")
      }
    }
    for text in texts("allow-host") {
      do throws(HostName.Malformed) {
        policy.hosts.insert(try HostName(text))
      } catch {
        throw UsageError("\(given("allow-host")) takes the name of a host, but “\(text)” \(error.sentence)")
      }
    }
    return policy
  }
}
