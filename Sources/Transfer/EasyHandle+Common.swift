import CCurl

/// How long a request may take. Times are in seconds.
struct Patience {
  /// For looking up the name, connecting, and the TLS handshake together.
  var connect: Double
  /// For everything.
  var total: Double
  /// A transfer that stays below this for `stall` seconds has stalled.
  var bytesPerSecond: Int
  /// In whole seconds: libcurl measures no finer.
  var stall: Int
}

extension EasyHandle {
  /// Sets what all requests have in common.
  ///
  /// - Parameter policy: which addresses may be dialled; nil for all.
  /// - Returns: what the handle's `openSocket` callback has to ask for each address.
  func setCommon(
    _ url: RequestURL, policy: AddressPolicy?, _ configuration: TransferConfiguration, mayShare: Bool,
    _ patience: Patience
  ) -> Dialling {
    set(CURLOPT_URL, url.text)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    // Every hop is a request of its own: see `Downloader`.
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(CURLOPT_USERAGENT, configuration.userAgent)
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    set(CURLOPT_PIPEWAIT, mayShare && url.origin.scheme == "https" ? 1 : 0)
    let proxy = configuration.usesProxyFromEnvironment ? EnvironmentProxies().proxy(for: url.origin) : nil
    // Both are set always: otherwise libcurl asks the environment.
    set(CURLOPT_PROXY, proxy ?? "")
    set(CURLOPT_NOPROXY, proxy == nil ? "*" : "")
    if let file = configuration.caFile { set(CURLOPT_CAINFO, file) }

    set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(patience.connect))
    set(CURLOPT_TIMEOUT_MS, milliseconds(patience.total))
    set(CURLOPT_LOW_SPEED_LIMIT, patience.bytesPerSecond)
    set(CURLOPT_LOW_SPEED_TIME, patience.stall)
    set(CURLOPT_NOSIGNAL, 1)
    // Without it, ending a transfer whose name is being looked up waits for getaddrinfo, and everybody with it
    // (curl issue 8515). The lookup's thread then cleans up after itself.
    set(CURLOPT_QUICK_EXIT, 1)
    // Each open transfer has one of these.
    set(CURLOPT_BUFFERSIZE, 16 * 1024)
    return Dialling(policy: policy, host: url.origin.host, isThroughProxy: proxy != nil)
  }
}

/// libcurl takes 0 for "no limit" or its default.
private func milliseconds(_ seconds: Double) -> Int {
  max(1, Int((min(seconds, 1e6) * 1000).rounded(.up)))
}
