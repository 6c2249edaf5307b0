import PercentEncoding

/// What a request line names: a path, its percent-encoding undone.
struct RequestTarget: Sendable, Equatable {
  /// Bytes that are no UTF-8, or hold NUL, are no path here; nil then, and for a broken encoding.
  let path: String?

  /// - Parameter text: the target as it was sent; in absolute form where the client takes this for a proxy
  ///   (RFC 9112 section 3.2.2).
  init(_ text: String) {
    var rest = text[...]
    for scheme in ["http://", "https://"] where rest.lowercased().hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count)
      rest = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
      if rest.isEmpty { rest = "/" }
    }
    let encoded = rest.prefix { $0 != "?" && $0 != "#" }
    path = percentDecoded(encoded).flatMap { bytes in
      bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }
  }
}
