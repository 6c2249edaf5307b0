import CCurl

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

  /// The value for If-Range, with which parts of two versions are never put together: a strong entity tag, else a date
  /// of modification that is strong because the response is at least a second younger (RFC 9110 sections 13.1.5 and
  /// 8.8.2.2). nil when there is neither.
  var rangeValidator: String? {
    if let etag { return isStrong(etag) ? etag : dateValidator }
    return dateValidator
  }

  private var dateValidator: String? {
    guard let lastModified, let date, lastModified.utf8.count <= 64 else { return nil }
    let (modified, sent) = (curl_getdate(lastModified, nil), curl_getdate(date, nil))
    return modified > 0 && sent >= modified + 1 ? lastModified : nil
  }

  /// Whether a later response with `other` cannot be of the same version.
  func contradicts(_ other: ResponseHeaders) -> Bool {
    if let etag, let theirs = other.etag, etag != theirs { return true }
    if let lastModified, let theirs = other.lastModified, lastModified != theirs { return true }
    return false
  }
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

/// `"…"`, and neither `W/"…"` nor what would be no field's value.
private func isStrong(_ etag: String) -> Bool {
  let bytes = Array(etag.utf8)
  return (2...512).contains(bytes.count) && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
    && bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") }
}
