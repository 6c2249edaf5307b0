/// When a request was sent and its response came, by this machine's clock: seconds since 1970.
package struct ExchangeTimes: Sendable, Equatable, Codable {
  package var requested: Double
  package var received: Double

  package init(requested: Double, received: Double) {
    self.requested = requested
    self.received = received
  }
}

/// How long a response can be used without asking the server (RFC 9111 section 4.2). Seconds.
///
/// There are no heuristics: a response that says nothing about it is stale at once, and costs a conditional request.
package struct Freshness: Sendable, Equatable {
  /// When the response came, since 1970.
  package var received: Double
  /// How old it was then.
  package var age: Double
  /// How old it may become.
  package var lifetime: Double

  /// More than a year is not believed: it is mostly a slip, and the request for a confirmation is cheap.
  static let maximumLifetime = 365 * 86_400.0

  init(_ fields: ResponseHeaders, at times: ExchangeTimes) {
    received = times.received
    let control = CacheControl(fields.cacheControl)
    let date = fields.date.flatMap { seconds(ofHTTPDate: $0, now: times.received) }
    // Section 4.2.3. A server whose clock is ahead has responses of age 0, one whose clock is behind has old ones.
    let apparentAge = max(0, times.received - (date ?? times.received))
    let delay = max(0, times.received - times.requested)
    // Of several values the first counts, and one that is no number is ignored (section 5.1).
    let declaredAge = fields.age?.split(separator: ",").first.flatMap { deltaSeconds(String($0).withoutBlanks) }
    age = max(apparentAge, (declaredAge ?? 0) + delay)

    var lifetime = 0.0
    if control.noCache || control.noStore {
      lifetime = 0
    } else if let maxAge = control.maxAge {
      lifetime = maxAge
    } else if let expires = fields.expires, let end = seconds(ofHTTPDate: expires, now: times.received) {
      // By the server's clock both: what counts is the difference. An invalid date means the past (section 5.3).
      lifetime = end - (date ?? times.received)
    }
    self.lifetime = max(0, min(lifetime, Self.maximumLifetime))
  }

  /// Whether the response can be used at `now` without asking.
  ///
  /// A clock that was set back tells nothing about how much time has gone by, so nothing is fresh then.
  package func isFresh(at now: Double) -> Bool {
    now >= received && age + (now - received) < lifetime
  }
}

extension RequestConditions {
  /// The validators of a response, as far as they are well-formed, to be sent back as the server wrote them.
  init(_ fields: ResponseHeaders, at received: Double) {
    self.init(
      etag: fields.etag.flatMap { $0.isEntityTag ? $0 : nil },
      lastModified: fields.lastModified.flatMap { seconds(ofHTTPDate: $0, now: received) == nil ? nil : $0 })
  }
}

extension String {
  /// Whether this is an entity tag (RFC 9110 section 8.8.3), of moderate length and in ASCII.
  var isEntityTag: Bool {
    let tag = hasPrefix("W/") ? dropFirst(2) : self[...]
    guard tag.utf8.count >= 2, utf8.count <= 1024, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return false }
    return tag.dropFirst().dropLast().utf8.allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) }
  }
}
