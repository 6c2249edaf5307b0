import CCurl
import Glibc

/// libcurl's URL handle, with one owner.
struct ParsedURL: ~Copyable {
  private let handle: OpaquePointer

  /// Any scheme is parsed, for messages about it; what needs percent-encoding gets it.
  private static let leniency = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE

  struct Fault: Error {
    /// What is wrong, to follow "the URL".
    let sentence: String
  }

  /// Parses any absolute URL; path and query are percent-encoded where they have to be.
  init(_ text: String) throws(Fault) {
    // C would see the part before a NUL and judge another URL than the caller gave.
    guard !text.utf8.contains(0), let handle = curl_url() else { throw Fault(sentence: "cannot be read") }
    let code = curl_url_set(handle, CURLUPART_URL, text, UInt32(Self.leniency))
    guard code == CURLUE_OK else {
      curl_url_cleanup(handle)
      throw Fault(sentence: Self.sentence(for: code))
    }
    self.handle = handle
  }

  deinit {
    curl_url_cleanup(handle)
  }

  /// One part as text, nil where the URL has none.
  borrowing func part(_ part: CURLUPart, flags: Int32 = 0) -> String? {
    var bytes: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &bytes, UInt32(flags)) == CURLUE_OK, let bytes else { return nil }
    defer { curl_free(bytes) }
    return String(validatingCString: bytes)
  }

  /// `scheme://host[:port]/path`.
  var redacted: String? {
    guard let scheme = part(CURLUPART_SCHEME)?.lowercased(), let host = part(CURLUPART_HOST) else { return nil }
    let port = part(CURLUPART_PORT).map { ":\($0)" } ?? ""
    return "\(scheme)://\(host)\(port)\(part(CURLUPART_PATH) ?? "/")"
  }

  /// The host as the domain name system knows it: `xn--` labels for what is not ASCII.
  borrowing func asciiHost() -> String? {
    guard let host = part(CURLUPART_HOST) else { return nil }
    if host.utf8.allSatisfy({ $0 < 0x80 }) { return host }
    // libidn2 reads the name in the thread's character set, and a program's is ASCII until it calls setlocale.
    guard let unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else { return nil }
    let previous = uselocale(unicode)
    defer {
      uselocale(previous)
      freelocale(unicode)
    }
    return part(CURLUPART_HOST, flags: CURLU_PUNYCODE)
  }

  /// User and password, decoded and empty where absent; nil when they cannot be decoded.
  borrowing func credentials() -> RequestURL.Credentials? {
    func decoded(_ which: CURLUPart) -> String? {
      part(which) == nil ? "" : part(which, flags: CURLU_URLDECODE)
    }
    guard let user = decoded(CURLUPART_USER), let password = decoded(CURLUPART_PASSWORD) else { return nil }
    return RequestURL.Credentials(user: user, password: password)
  }

  /// The whole URL with `host` in place of its own, without user info and fragment. The handle is spent afterwards.
  consuming func withoutSecrets(host: String) -> String? {
    for (part, value) in [
      (CURLUPART_HOST, host), (CURLUPART_USER, nil), (CURLUPART_PASSWORD, nil), (CURLUPART_OPTIONS, nil),
      (CURLUPART_FRAGMENT, nil),
    ] where curl_url_set(handle, part, value, 0) != CURLUE_OK {
      return nil
    }
    return part(CURLUPART_URL)
  }

  /// The absolute URL that a reference stands for, seen from this URL (RFC 3986 section 5). The handle is spent
  /// afterwards.
  consuming func resolving(_ reference: String) -> String? {
    guard !reference.utf8.contains(0),
      curl_url_set(handle, CURLUPART_URL, reference, UInt32(Self.leniency)) == CURLUE_OK
    else { return nil }
    return part(CURLUPART_URL)
  }

  private static func sentence(for code: CURLUcode) -> String {
    switch code {
    case CURLUE_BAD_SCHEME, CURLUE_UNSUPPORTED_SCHEME, CURLUE_BAD_SLASHES: "does not begin with https:// or http://"
    case CURLUE_NO_HOST: "has no host"
    case CURLUE_BAD_PORT_NUMBER: "has a port that is not a number from 1 to 65535"
    case CURLUE_BAD_HOSTNAME: "has a host with characters that no host name may have"
    case CURLUE_BAD_IPV6: "has a host in brackets that is no IPv6 address"
    case CURLUE_BAD_LOGIN, CURLUE_BAD_USER, CURLUE_BAD_PASSWORD: "has user info that cannot be read"
    default: "is malformed"
    }
  }
}
