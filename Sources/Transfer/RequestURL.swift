import CCurl
import Glibc
import RichPush

/// A URL that was found fit to be fetched, taken apart by libcurl's own parser, so that what is judged here and what is
/// dialled later cannot differ.
struct RequestURL: Sendable, Equatable {
  /// What is requested: the host in ASCII, path and query percent-encoded, without user info and fragment.
  let text: String
  let origin: Origin
  /// Whether the host is an address with the zone (interface) that it belongs to.
  let hasZone: Bool
  /// The URL's user info, decoded.
  let credentials: Credentials?
  /// The URL for messages, manifests and logs.
  let redacted: String

  /// Whom a request goes to. Credentials never leave it.
  struct Origin: Sendable, Hashable {
    let scheme: String
    /// The host in ASCII, an IPv6 address in brackets.
    let host: String
    let port: Int

    /// For messages: `host`, or `host:port` where the port is not the scheme's own.
    var name: String {
      port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// What connections are counted by: a host speaks another protocol on its other port.
    var key: String { "\(scheme)://\(host):\(port)" }
  }

  struct Credentials: Sendable, Equatable {
    let user: String
    let password: String
  }

  /// The longest URL that is accepted, in bytes. RFC 9110 section 4.1 asks for at least 8,000; few servers take more.
  static let maximumBytes = 8192

  /// Checks a URL that a job names.
  ///
  /// - Throws: `invalid_job` or `unsupported_scheme`. The messages hold no part of the URL but its scheme.
  init(_ text: String) throws(Rejection.Reason) {
    if text.isEmpty { throw Rejection.Reason(.invalidJob, at: .fetch, "the URL is empty") }
    if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
      throw Rejection.Reason(
        .invalidJob, at: .fetch, "the URL has a space or a control character; in URLs a space is written %20")
    }
    try self.init(parsing: text, subject: givenURL, code: .invalidJob)
  }

  /// Checks where a redirect leads. Servers are allowed what they do in practice: spaces and letters beyond ASCII.
  ///
  /// - Throws: `fetch_failed` or `unsupported_scheme`.
  ///
  /// - Parameter location: the Location field of the response to a request for `base`; it may be relative.
  init(redirect location: String, from base: RequestURL) throws(Rejection.Reason) {
    // Without slashes after the scheme, libcurl takes an absolute URL for a relative one.
    let isOpaque = location.opaqueScheme != nil
    let target = isOpaque ? nil : (try? ParsedURL(base.text))?.resolving(location)
    try self.init(parsing: target ?? location, subject: "the server's redirect", code: .fetchFailed)
  }

  private init(parsing text: String, subject: String, code: Rejection.Code) throws(Rejection.Reason) {
    func refused(_ message: String, limit: Int? = nil, measured: Int? = nil) -> Rejection.Reason {
      Rejection.Reason(
        code, at: .fetch, "\(subject) \(message)", limit: limit.map(Double.init), measured: measured.map(Double.init),
        permanent: true)
    }
    let length = text.utf8.count
    guard length <= Self.maximumBytes else {
      throw refused(
        "is \(length) bytes long; at most \(Self.maximumBytes) are accepted", limit: Self.maximumBytes,
        measured: length)
    }
    if let scheme = text.opaqueScheme { throw Self.unsupported(scheme, subject) }

    let parsed: ParsedURL
    do throws(ParsedURL.Fault) {
      parsed = try ParsedURL(text)
    } catch {
      throw refused(error.sentence)
    }
    guard let scheme = parsed.part(CURLUPART_SCHEME)?.lowercased() else { throw refused("has no scheme") }
    guard scheme == "http" || scheme == "https" else { throw Self.unsupported(scheme, subject) }
    // libcurl, like browsers, takes one to three slashes; with three the first part of the path becomes the host.
    guard text.dropFirst(scheme.count).hasPrefix("://"), !text.dropFirst(scheme.count + 3).hasPrefix("/") else {
      throw refused("has no host, or the wrong number of slashes before it; it should begin like https://example.com/")
    }
    redacted = parsed.redacted ?? unreadableURL
    hasZone = parsed.part(CURLUPART_ZONEID) != nil
    guard let host = parsed.asciiHost() else {
      throw refused("has a host name that is not valid as an internationalised domain name")
    }
    guard let port = parsed.part(CURLUPART_PORT, flags: CURLU_DEFAULT_PORT).flatMap({ Int($0) }),
      (1...65_535).contains(port)
    else { throw refused("has a port that is not a number from 1 to 65535") }
    guard let credentials = parsed.credentials() else {
      throw refused("has user info that cannot be percent-decoded")
    }
    self.credentials = credentials.user.isEmpty && credentials.password.isEmpty ? nil : credentials
    origin = Origin(scheme: scheme, host: host.lowercased(), port: port)
    guard let text = parsed.withoutSecrets(host: host) else { throw refused("cannot be read") }
    self.text = text
  }

  private static func unsupported(_ scheme: String, _ subject: String) -> Rejection.Reason {
    // A redirect is not the caller's to mend.
    let isGiven = scheme == "file" && subject == givenURL
    let advice = isGiven ? "; give a file of this machine by its path" : ""
    return Rejection.Reason(
      .unsupportedScheme, at: .fetch, "\(subject) has the scheme \(scheme); only https and http are fetched\(advice)")
  }
}

/// Judges a URL before anybody requests it, as a request for it would: by what it says, without the network, and without
/// where requests may go.
///
/// - Returns: nil, or what is wrong, to follow what the URL is called: `has no host`. It holds no part of the URL but
///   its scheme.
package func requestFault(of url: String) -> String? {
  do throws(Rejection.Reason) {
    _ = try RequestURL(url)
    return nil
  } catch {
    return String(error.message.dropFirst("\(givenURL) ".count))
  }
}

/// What messages call a URL that a job brought, not a redirect. All of them begin with it.
private let givenURL = "the URL"

/// What stands in place of a URL that cannot even be read.
let unreadableURL = "(unreadable URL)"

/// A URL without what may be secret: `scheme://host[:port]/path`. User info, query and fragment are gone.
///
/// For logs, manifests and messages; safe on garbage, of which nothing is shown.
package func redacted(_ url: String) -> String {
  guard url.utf8.count <= RequestURL.maximumBytes, let parsed = try? ParsedURL(url) else { return unreadableURL }
  return parsed.redacted ?? unreadableURL
}

extension String {
  /// The scheme of a URL without `//` that people do try. Only these are named: in `user:password@host` the part
  /// before the colon would be a secret.
  fileprivate var opaqueScheme: String? {
    guard let colon = firstIndex(of: ":") else { return nil }
    let scheme = self[..<colon].lowercased()
    return ["about", "blob", "cid", "data", "file", "javascript", "mailto"].contains(scheme) ? scheme : nil
  }
}
