import Blocking
import Digest

/// What downloads ask of a cache, and tell it.
struct ResponseMemory: Sendable {
  private let cache: any ResponseCache
  let now: @Sendable () -> Double
  private let scope: [String]

  init(_ cache: any ResponseCache, _ configuration: TransferConfiguration) {
    self.cache = cache
    now = configuration.now
    scope = configuration.cacheScope
  }

  func response(to request: ExchangeRequest) async -> CachedResponse? {
    await cache.response(to: key(of: request))
  }

  func isFresh(_ kept: CachedResponse) -> Bool {
    kept.response.freshness.isFresh(at: now())
  }

  /// Takes note of a 304 answer.
  /// - Returns: nil when it is about something else than what is kept, which is forgotten then.
  func confirm(
    _ kept: CachedResponse, by headers: ResponseHeaders, sent: Double, for request: ExchangeRequest
  ) async -> CachedResponse? {
    let key = key(of: request)
    switch kept.response.confirmed(by: headers, at: ExchangeTimes(requested: sent, received: now())) {
    case .same(let response):
      await cache.update(response, for: key)
      return CachedResponse(response, body: kept.body)
    case .gone:
      await cache.remove(key)
      return kept
    case .other:
      await cache.remove(key)
      return nil
    }
  }

  /// Keeps the whole body in `sink`, if that is allowed.
  /// - Returns: the body's SHA-256 where it is known by now.
  func keep(_ sink: BodySink, sha256 known: String?, for request: ExchangeRequest) async -> String? {
    let times = ExchangeTimes(requested: sink.requested, received: now())
    guard let version = sink.version,
      var response = StoredResponse(
        version.headers, at: times, sha256: known ?? "", bytes: sink.available.contiguous,
        declaredType: version.declaredType)
    else {
      await cache.remove(key(of: request))
      return known
    }
    let descriptor = sink.descriptor
    if known == nil {
      // Its parts did not come in order.
      response.sha256 = await blocking { (try? sha256(ofFile: descriptor).hex) ?? "" }
    }
    await cache.store(response, body: descriptor, for: key(of: request))
    return response.sha256.isEmpty ? nil : response.sha256
  }

  private func key(of request: ExchangeRequest) -> RequestKey {
    RequestKey(request.url, credentials: request.credentials, scope: scope)
  }
}

extension TransferConfiguration {
  /// What decides about answers besides the URL. Who trusts other authorities, may reach other addresses, or goes through
  /// a proxy must not be given what somebody else got, nor the other way round.
  fileprivate var cacheScope: [String] {
    ["accept", acceptedTypes, "agent", userAgent, "authorities", caFile ?? "", "proxy", "\(usesProxyFromEnvironment)"]
      + ["addresses"] + addressPolicy.blocks.map(\.description).sorted()
      + ["hosts"] + addressPolicy.hosts.map(\.text).sorted()
  }
}
