/// A request without its body, and what in it matters here.
struct RequestHead: Sendable {
  let method: String
  let target: RequestTarget
  /// In the order they came, names in lower case.
  let fields: [(name: String, value: String)]

  init(method: String, target: RequestTarget, fields: [(name: String, value: String)] = []) {
    self.method = method
    self.target = target
    self.fields = fields
  }

  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Bytes of the body, where the client said it.
  var declaredLength: Int? { self["content-length"].flatMap { Int($0) } }

  var hasBody: Bool { self["transfer-encoding"] != nil || (self["content-length"].map { $0 != "0" } ?? false) }

  /// Whether the client waits for leave to send its body.
  var waitsForLeave: Bool { self["expect"]?.lowercased() == "100-continue" }

  /// Why nobody can be sure where the body ends; nil when all is well.
  ///
  /// Where a proxy and this server disagree on that, one client's bytes become another's request (RFC 9112 section 11.2).
  var framingFault: String? {
    let lengths = fields.count { $0.name == "content-length" }
    let codings = fields.count { $0.name == "transfer-encoding" }
    if lengths > 1 { return "there is more than one Content-Length" }
    if codings > 0, lengths > 0 { return "there are both Content-Length and Transfer-Encoding" }
    if codings > 1 || (self["transfer-encoding"].map { $0.lowercased() != "chunked" } ?? false) {
      return "the only Transfer-Encoding understood is chunked"
    }
    return nil
  }

  /// The token of `Authorization: Bearer …`; the scheme in any case (RFC 9110 section 11.1).
  var bearerToken: Substring? {
    guard let value = self["authorization"], let blank = value.firstIndex(of: " "),
      value[..<blank].lowercased() == "bearer"
    else { return nil }
    return value[blank...].drop { $0 == " " }
  }

  /// Whether the Host field names this machine and nothing else.
  ///
  /// A web page can make a browser on this machine send requests to loopback. What it cannot do is to have it send
  /// another host's name than its own, or to leave out the Origin.
  var isFromThisMachine: Bool {
    guard self["origin"] == nil, let host = self["host"]?.lowercased() else { return false }
    if host.hasPrefix("[") { return host.hasPrefix("[::1]") }
    let name = host.prefix { $0 != ":" }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return name == "localhost" || (numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil))
  }

  /// The media type of the body in lower case, without parameters.
  var contentType: String? {
    self["content-type"].map { $0.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased() }
  }
}
