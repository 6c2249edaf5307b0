import Digest
import Glibc

/// Keeps whole responses to GET requests; implemented above this module.
///
/// It is a private cache in the sense of RFC 9111: credentials are part of the key, and all that it holds belongs to
/// whoever runs this program. Nothing of it throws: what cannot be kept or found is fetched.
package protocol ResponseCache: Sendable {
  /// The response to exactly this request, whether or not it is fresh; nil when there is none that is whole.
  func response(to key: RequestKey) async -> CachedResponse?

  /// Keeps a response in place of an earlier one.
  /// - Parameter body: the descriptor of a file that holds nothing but the body. It is only read, at given offsets.
  /// - Returns: whether it is kept.
  @discardableResult
  func store(_ response: StoredResponse, body: Int32, for key: RequestKey) async -> Bool

  /// Replaces what is said about the response, whose body stays.
  func update(_ response: StoredResponse, for key: RequestKey) async

  /// Forgets the response to a request.
  func remove(_ key: RequestKey) async
}

/// The name of a request in a cache: equal for equal requests only. It is a hash, so that no secret is in it.
package struct RequestKey: Sendable, Hashable {
  /// SHA-256 in lower-case hex.
  package let sha256: String

  /// - Parameter scope: what else decides what is answered, or who may see it: the fields that are sent with every
  ///   request, and the policy under which the answer was fetched.
  init(_ url: RequestURL, credentials: RequestURL.Credentials?, scope: [String]) {
    // The origin is normalised, the URL's text need not be: what follows it counts.
    let path = url.text.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" && $0 != "?" }
    // Lengths keep the parts apart, whatever characters are in them.
    let parts =
      [url.origin.scheme, url.origin.host, "\(url.origin.port)", String(path)]
      + (credentials.map { ["basic", $0.user, $0.password] } ?? ["none"]) + scope
    sha256 = Digest.sha256(of: parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)
  }

  package init(sha256: String) {
    self.sha256 = sha256
  }
}

/// What is kept about a response besides its body.
package struct StoredResponse: Sendable, Equatable, Codable {
  /// SHA-256 of the body, in lower-case hex.
  package var sha256: String
  /// The size of the body.
  package var bytes: Int
  package var declaredType: String?
  package var fields: ResponseHeaders
  package var times: ExchangeTimes

  package var freshness: Freshness { Freshness(fields, at: times) }
  package var validators: RequestConditions { RequestConditions(fields, at: times.received) }

  /// - Parameter fields: those of a successful response to a GET request, whose whole body is at hand.
  /// - Returns: nil when the response must not be kept, or keeping it would be of no use: it is neither fresh nor can it
  ///   be confirmed.
  package init?(
    _ fields: ResponseHeaders, at times: ExchangeTimes, sha256: String, bytes: Int, declaredType: String?
  ) {
    self.sha256 = sha256
    self.bytes = bytes
    self.declaredType = declaredType
    self.fields = fields
    self.times = times
    guard fields.mayBeKept, !validators.isEmpty || freshness.isFresh(at: times.received) else { return nil }
  }

  /// What a 304 (Not Modified) answer makes of this (RFC 9111 section 4.3.4).
  package func confirmed(by news: ResponseHeaders, at times: ExchangeTimes) -> Confirmation {
    let (own, new) = (validators, RequestConditions(news, at: times.received))
    // A server that confirms something else than it was asked about means another version.
    if let etag = new.etag, let own = own.etag, etag.opaqueTag != own.opaqueTag { return .other }
    if new.etag == nil, let date = new.lastModified, let own = own.lastModified, date != own { return .other }
    var response = self
    response.fields = fields.replaced(by: news)
    response.times = times
    return response.fields.mayBeKept ? .same(response) : .gone
  }

  package enum Confirmation: Sendable, Equatable {
    /// The body can be used, and this is what is to be kept about it now.
    case same(StoredResponse)
    /// The body can be used this once, and must not be kept.
    case gone
    /// The body is not what the server means.
    case other
  }
}

extension ResponseHeaders {
  /// The stored fields, brought up to date by those of a 304: what it does not repeat still holds, except for its age.
  fileprivate func replaced(by news: ResponseHeaders) -> ResponseHeaders {
    ResponseHeaders(
      cacheControl: news.cacheControl ?? cacheControl, date: news.date, age: news.age,
      expires: news.expires ?? expires, etag: news.etag ?? etag, lastModified: news.lastModified ?? lastModified,
      vary: news.vary ?? vary)
  }

  /// A response with `Vary: *` is good for one request only. All requests have the same fields, so other values of Vary
  /// choose the same response again.
  fileprivate var mayBeKept: Bool {
    !CacheControl(cacheControl).noStore
      && !(vary ?? "").split(separator: ",").contains { String($0).withoutBlanks == "*" }
  }
}

extension String {
  /// An entity tag without its mark of weakness: If-None-Match compares weakly.
  fileprivate var opaqueTag: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}

/// A response that is kept, with its body open.
package struct CachedResponse: Sendable {
  package var response: StoredResponse
  package var body: CachedBody

  package init(_ response: StoredResponse, body: CachedBody) {
    self.response = response
    self.body = body
  }
}

/// The open body of a kept response: readable, and whole, also when the cache drops it meanwhile.
package final class CachedBody: Sendable {
  package let descriptor: Int32

  /// Takes the descriptor over; nobody else may close it.
  package init(adopting descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }
}
