import Glibc

/// The proxies that the environment names.
///
/// libcurl could read the variables itself. But then nothing would tell whether the address that it dials is that of a
/// proxy, which may be anywhere, or of a server, which may not.
struct EnvironmentProxies: Sendable {
  private let variable: @Sendable (String) -> String?

  init(
    _ variable: @escaping @Sendable (String) -> String? = { name in
      getenv(name).map { String(cString: $0) }
    }
  ) {
    self.variable = variable
  }

  /// The proxy for requests to an origin; nil where there is none, or `no_proxy` exempts the host.
  ///
  /// The variables are those that libcurl goes by: `https_proxy`, `all_proxy` and `no_proxy` in small or capital
  /// letters, and `http_proxy` in small letters only, because a CGI program gets HTTP_PROXY from a request's Proxy field.
  func proxy(for origin: RequestURL.Origin) -> String? {
    let own = origin.scheme == "http" ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    guard let proxy = first(of: own + ["all_proxy", "ALL_PROXY"]), !isExempt(origin.host) else { return nil }
    return Self.resolvingNames(proxy)
  }

  private func first(of names: [String]) -> String? {
    names.lazy.compactMap(variable).first { !$0.isEmpty }
  }

  /// With `socks4` and `socks5`, libcurl resolves names itself and tells the proxy an address that nobody has judged.
  /// The kinds that resolve names at the proxy leave us out of it.
  private static func resolvingNames(_ proxy: String) -> String {
    guard let colon = proxy.firstIndex(of: ":"), proxy[colon...].hasPrefix("://") else { return proxy }
    switch proxy[..<colon].lowercased() {
    case "socks", "socks4": return "socks4a\(proxy[colon...])"
    case "socks5": return "socks5h\(proxy[colon...])"
    default: return proxy
    }
  }

  private func isExempt(_ host: String) -> Bool {
    let list = (first(of: ["no_proxy", "NO_PROXY"]) ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
    if list == ["*"] { return true }
    if case .addresses(let addresses) = HostLiteral(host), !host.isLocalhost {
      let blocks = list.compactMap { try? AddressBlock($0.withoutBrackets) }
      return addresses.contains { address in blocks.contains { $0.contains(address) } }
    }
    let name = HostName(ascii: host).text
    return list.contains { entry in
      let domain = HostName(ascii: String(entry.drop { $0 == "." })).text
      return !domain.isEmpty && (name == domain || name.hasSuffix(".\(domain)"))
    }
  }
}

extension String {
  fileprivate var withoutBrackets: String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}
