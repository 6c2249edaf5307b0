import Testing

@testable import Transfer

/// 2025-11-24 16:00:00 UTC.
private let now = 1_764_000_000.0
private let date = "Mon, 24 Nov 2025 16:00:00 GMT"
private let tenMinutesEarlier = "Mon, 24 Nov 2025 15:50:00 GMT"
private let tenMinutesLater = "Mon, 24 Nov 2025 16:10:00 GMT"

@Suite struct FreshnessTests {
  /// What a response says, and for how many seconds from when it came it can be used.
  static let lifetimes: [(ResponseHeaders, Double)] = [
    // Who says nothing gets nothing: no heuristics.
    (ResponseHeaders(), 0), (ResponseHeaders(date: date, lastModified: tenMinutesEarlier), 0),
    (ResponseHeaders(date: date, etag: "\"a\""), 0),
    // max-age
    (ResponseHeaders(cacheControl: "max-age=600"), 600), (ResponseHeaders(cacheControl: "MAX-AGE=600"), 600),
    (ResponseHeaders(cacheControl: "public, max-age=600, immutable"), 600),
    (ResponseHeaders(cacheControl: "private,max-age=600"), 600),
    (ResponseHeaders(cacheControl: " max-age=600 ,,"), 600),
    (ResponseHeaders(cacheControl: "max-age=\"600\""), 600), (ResponseHeaders(cacheControl: "max-age=0"), 0),
    (ResponseHeaders(cacheControl: "max-age=600, must-revalidate"), 600),
    (ResponseHeaders(cacheControl: "max-age=600, stale-while-revalidate=86400, stale-if-error=86400"), 600),
    // A private cache does what the origin says to private ones.
    (ResponseHeaders(cacheControl: "s-maxage=600"), 0), (ResponseHeaders(cacheControl: "max-age=600, s-maxage=0"), 600),
    // Malformed, doubled, enormous.
    (ResponseHeaders(cacheControl: "max-age"), 0), (ResponseHeaders(cacheControl: "max-age="), 0),
    (ResponseHeaders(cacheControl: "max-age=-1"), 0), (ResponseHeaders(cacheControl: "max-age=+5"), 0),
    (ResponseHeaders(cacheControl: "max-age=1.5"), 0), (ResponseHeaders(cacheControl: "max-age=1h"), 0),
    (ResponseHeaders(cacheControl: "max-age=60, max-age=600"), 60),
    (ResponseHeaders(cacheControl: "max-age=600, max-age=soon"), 0),
    (ResponseHeaders(cacheControl: "x-max-age=600"), 0), (ResponseHeaders(cacheControl: "max-age;600"), 0),
    (ResponseHeaders(cacheControl: "x=\"max-age=600\""), 0),
    (ResponseHeaders(cacheControl: "x=\"\\\", max-age=600\""), 0),
    (ResponseHeaders(cacheControl: "x=\"a,b\", max-age=600"), 600),
    (ResponseHeaders(cacheControl: "max-age=99999999999999999999"), 365 * 86_400),
    (ResponseHeaders(cacheControl: "max-age=9223372036854775807"), 365 * 86_400),
    // no-cache beats max-age, with or without names of fields.
    (ResponseHeaders(cacheControl: "no-cache, max-age=600"), 0),
    (ResponseHeaders(cacheControl: "max-age=600, No-Cache"), 0),
    (ResponseHeaders(cacheControl: "max-age=600, no-cache=\"Set-Cookie\""), 0),
    // Expires, by the server's clock.
    (ResponseHeaders(date: date, expires: tenMinutesLater), 600), (ResponseHeaders(expires: tenMinutesLater), 600),
    (ResponseHeaders(date: date, expires: tenMinutesEarlier), 0), (ResponseHeaders(date: date, expires: "0"), 0),
    (ResponseHeaders(date: date, expires: "-1"), 0), (ResponseHeaders(date: date, expires: "tomorrow"), 0),
    (ResponseHeaders(cacheControl: "max-age=60", date: date, expires: tenMinutesLater), 60),
    (ResponseHeaders(cacheControl: "max-age=soon", date: date, expires: tenMinutesLater), 0),
    (ResponseHeaders(date: date, expires: "Fri, 31 Dec 9999 23:59:59 GMT"), 365 * 86_400),
    // What was under way already.
    (ResponseHeaders(cacheControl: "max-age=600", age: "100"), 500),
    (ResponseHeaders(cacheControl: "max-age=600", age: "600"), 0),
    (ResponseHeaders(cacheControl: "max-age=600", age: "100, 500"), 500),
    (ResponseHeaders(cacheControl: "max-age=600", age: "-100"), 600),
    (ResponseHeaders(cacheControl: "max-age=600", age: "old"), 600),
    (ResponseHeaders(cacheControl: "max-age=600", age: ""), 600),
    (ResponseHeaders(cacheControl: "max-age=600", age: "99999999999999999999"), 0),
    (ResponseHeaders(cacheControl: "max-age=900", date: tenMinutesEarlier), 300),
    (ResponseHeaders(cacheControl: "max-age=900", date: tenMinutesEarlier, age: "700"), 200),
    // A server whose clock is ahead, and one that has none.
    (ResponseHeaders(cacheControl: "max-age=600", date: tenMinutesLater), 600),
    (ResponseHeaders(cacheControl: "max-age=600", date: "long ago"), 600),
    (ResponseHeaders(date: tenMinutesEarlier, expires: tenMinutesLater), 600),
  ]

  @Test("a response is fresh for as long as it says, and no longer", arguments: lifetimes)
  func lifetime(fields: ResponseHeaders, expected: Double) {
    let freshness = Freshness(fields, at: ExchangeTimes(requested: now, received: now))
    #expect(freshness.isFresh(at: now) == (expected > 0))
    if expected > 0 {
      #expect(freshness.isFresh(at: now + expected - 1))
    }
    #expect(!freshness.isFresh(at: now + expected))
    #expect(!freshness.isFresh(at: now + 1e12))
  }

  @Test("the time that the response took counts as age")
  func delay() {
    let fields = ResponseHeaders(cacheControl: "max-age=600", age: "100")
    let freshness = Freshness(fields, at: ExchangeTimes(requested: now - 50, received: now))
    #expect(freshness.isFresh(at: now + 449) && !freshness.isFresh(at: now + 450))
  }

  @Test("nothing is fresh before it came: the clock was set back, and tells nothing")
  func clockSetBack() {
    let freshness = Freshness(
      ResponseHeaders(cacheControl: "max-age=600"), at: ExchangeTimes(requested: now, received: now))
    #expect(!freshness.isFresh(at: now - 1))
    // A clock that is set back while the response comes must not make it younger.
    let odd = Freshness(
      ResponseHeaders(cacheControl: "max-age=600"), at: ExchangeTimes(requested: now + 1000, received: now))
    #expect(odd.age == 0 && odd.isFresh(at: now + 599) && !odd.isFresh(at: now + 600))
  }

  @Test(
    "what must not be kept, or would be of no use, is not",
    arguments: [
      (ResponseHeaders(cacheControl: "max-age=600"), true), (ResponseHeaders(etag: "\"a\""), true),
      (ResponseHeaders(etag: "W/\"a\""), true), (ResponseHeaders(lastModified: tenMinutesEarlier), true),
      (ResponseHeaders(cacheControl: "no-cache", etag: "\"a\""), true),
      (ResponseHeaders(cacheControl: "private, max-age=600"), true),
      (ResponseHeaders(cacheControl: "max-age=600", vary: "Accept, Accept-Encoding"), true),
      (ResponseHeaders(), false), (ResponseHeaders(cacheControl: "max-age=0"), false),
      (ResponseHeaders(cacheControl: "no-cache"), false), (ResponseHeaders(cacheControl: "no-store"), false),
      (ResponseHeaders(cacheControl: "max-age=600, NO-STORE", etag: "\"a\""), false),
      (ResponseHeaders(cacheControl: "no-store=\"x\", max-age=600"), false),
      (ResponseHeaders(cacheControl: "max-age=600, x=\"open, no-store", etag: "\"a\""), false),
      (ResponseHeaders(cacheControl: "max-age=600", vary: "*"), false),
      (ResponseHeaders(cacheControl: "max-age=600", vary: "Accept, *"), false),
      (ResponseHeaders(lastModified: "yesterday"), false), (ResponseHeaders(etag: "abc"), false),
      (ResponseHeaders(etag: ""), false),
      (ResponseHeaders(etag: "\""), false),
      (ResponseHeaders(etag: "w/\"a\""), false),
      (ResponseHeaders(etag: "\"a\"b\""), false), (ResponseHeaders(etag: "\"a\r\nX: y\""), false),
      (ResponseHeaders(etag: "\"\(String(repeating: "a", count: 2000))\""), false),
    ])
  func keeping(fields: ResponseHeaders, isKept: Bool) {
    #expect((stored(fields) != nil) == isKept)
  }

  @Test("validators are sent back as the server wrote them, and only when they are well-formed")
  func validators() {
    let response = stored(ResponseHeaders(etag: "W/\"x y\"", lastModified: tenMinutesEarlier))
    #expect(response?.validators.etag == nil)
    #expect(response?.validators.lastModified == tenMinutesEarlier)
    #expect(stored(ResponseHeaders(etag: "W/\"x\""))?.validators == RequestConditions(etag: "W/\"x\""))
  }

  @Test("a confirmation brings the fields up to date, and what it does not repeat still holds")
  func confirmation() throws {
    let first = try #require(
      stored(ResponseHeaders(cacheControl: "max-age=600", date: date, age: "50", etag: "\"a\"")))
    let later = ExchangeTimes(requested: now + 1000, received: now + 1000)
    guard case .same(let second) = first.confirmed(by: ResponseHeaders(etag: "W/\"a\""), at: later) else {
      Issue.record("not the same")
      return
    }
    #expect(second.sha256 == first.sha256 && second.validators.etag == "W/\"a\"")
    #expect(second.freshness.isFresh(at: now + 1599) && !second.freshness.isFresh(at: now + 1600))
    guard case .same(let third) = second.confirmed(by: ResponseHeaders(cacheControl: "max-age=5"), at: later) else {
      Issue.record("not the same")
      return
    }
    #expect(third.freshness.isFresh(at: now + 1004) && !third.freshness.isFresh(at: now + 1005))
  }

  @Test("a confirmation of another version is none, and one that forbids keeping ends it")
  func otherVersion() throws {
    let times = ExchangeTimes(requested: now, received: now)
    let tagged = try #require(stored(ResponseHeaders(etag: "\"a\"", lastModified: tenMinutesEarlier)))
    #expect(tagged.confirmed(by: ResponseHeaders(etag: "\"b\""), at: times) == .other)
    #expect(tagged.confirmed(by: ResponseHeaders(lastModified: date), at: times) == .other)
    #expect(tagged.confirmed(by: ResponseHeaders(cacheControl: "no-store"), at: times) == .gone)
    #expect(tagged.confirmed(by: ResponseHeaders(vary: "*"), at: times) == .gone)
    guard case .same = tagged.confirmed(by: ResponseHeaders(), at: times) else {
      Issue.record("not the same")
      return
    }
  }

  private func stored(_ fields: ResponseHeaders) -> StoredResponse? {
    StoredResponse(
      fields, at: ExchangeTimes(requested: now, received: now), sha256: "00", bytes: 1, declaredType: nil)
  }
}

@Suite struct RequestKeyTests {
  private func key(_ url: String, scope: [String] = ["Accept: */*"]) throws -> RequestKey {
    let url = try RequestURL(url)
    return RequestKey(url, credentials: url.credentials, scope: scope)
  }

  @Test("requests that differ in anything have keys of their own")
  func differ() throws {
    let urls = [
      "http://example.com/a", "https://example.com/a", "http://example.com:8080/a", "http://example.org/a",
      "http://example.com/A", "http://example.com/a?x", "http://example.com/a?x=1", "http://example.com/a?x=2",
      "http://example.com/a?x=1&", "http://u@example.com/a", "http://u:p@example.com/a", "http://up@example.com/a",
      "http://u:q@example.com/a", "http://example.com/a/", "http://example.com/a%20b", "http://example.com/a+b",
    ]
    #expect(Set(try urls.map { try key($0) }).count == urls.count)
    #expect(try key(urls[0]) != key(urls[0], scope: ["Accept: image/png"]))
    #expect(try key(urls[0], scope: ["ab", "c"]) != key(urls[0], scope: ["a", "bc"]))
  }

  @Test("ways to write the same request have the same key")
  func same() throws {
    #expect(try key("http://example.com/a") == key("HTTP://EXAMPLE.com:80/a#top"))
    #expect(try key("http://u:p@example.com/a") == key("http://%75:p@example.com/a"))
  }

  @Test("nothing of a URL is in its key")
  func secrets() throws {
    let key = try key("http://user:password@example.com/path?token=secret").sha256
    #expect(key.utf8.count == 64 && key.utf8.allSatisfy { $0 < 0x67 })
  }
}
