/// The fields of a response that say which version of a body it is and how long it may be kept, as the server wrote
/// them.
package struct ResponseHeaders: Sendable, Equatable, Codable {
  package var etag: String?
  package var lastModified: String?
  /// Several fields of this name are joined by commas.
  package var cacheControl: String?
  package var date: String?
  package var age: String?
  package var expires: String?
  /// Several fields of this name are joined by commas.
  package var vary: String?

  package init(
    cacheControl: String? = nil, date: String? = nil, age: String? = nil, expires: String? = nil, etag: String? = nil,
    lastModified: String? = nil, vary: String? = nil
  ) {
    self.cacheControl = cacheControl
    self.date = date
    self.age = age
    self.expires = expires
    self.etag = etag
    self.lastModified = lastModified
    self.vary = vary
  }

  mutating func take(_ name: String, _ value: String) {
    switch name {
    case "etag": etag = etag ?? value
    case "last-modified": lastModified = lastModified ?? value
    case "cache-control": cacheControl = cacheControl.map { "\($0), \(value)" } ?? value
    case "date": date = date ?? value
    case "age": age = age ?? value
    case "expires": expires = expires ?? value
    case "vary": vary = vary.map { "\($0), \(value)" } ?? value
    default: break
    }
  }

  /// The value for If-Range, with which parts of two versions are never put together: a strong entity tag or, without
  /// any entity tag, a date of modification that is strong because the response is at least a second younger (RFC 9110
  /// sections 13.1.5 and 8.8.2.2). nil when there is neither.
  var rangeValidator: String? {
    guard let etag, etag.isEntityTag else { return dateValidator }
    return etag.isWeak ? nil : etag
  }

  private var dateValidator: String? {
    let now = secondsSince1970()
    guard let lastModified, let modified = seconds(ofHTTPDate: lastModified, now: now),
      let sent = date.flatMap({ seconds(ofHTTPDate: $0, now: now) }), sent >= modified + 1
    else { return nil }
    return lastModified
  }

  /// Whether a part with these fields is of the version with `whole`.
  ///
  /// An entity tag has to be repeated, also where If-Range held it; a date need not be (RFC 9110 section 15.3.7). So a
  /// server that knows nothing of If-Range cannot slip in another version.
  func mayBePart(of whole: ResponseHeaders) -> Bool {
    if let theirs = whole.etag, !theirs.isWeak || etag != nil, etag != theirs { return false }
    if let lastModified, let theirs = whole.lastModified, lastModified != theirs { return false }
    return true
  }
}

extension String {
  /// Whether this entity tag marks what means the same, not what has the same bytes.
  fileprivate var isWeak: Bool { hasPrefix("W/") }
}

/// What makes a request conditional: the validators of a copy that is kept.
package struct RequestConditions: Sendable, Equatable {
  /// The entity tag of the copy, for If-None-Match.
  package var etag: String?
  /// The Last-Modified of the copy, for If-Modified-Since.
  package var lastModified: String?

  package init(etag: String? = nil, lastModified: String? = nil) {
    self.etag = etag
    self.lastModified = lastModified
  }

  var isEmpty: Bool { etag == nil && lastModified == nil }

  var fields: [String] {
    (etag.map { ["If-None-Match: \($0)"] } ?? []) + (lastModified.map { ["If-Modified-Since: \($0)"] } ?? [])
  }
}
