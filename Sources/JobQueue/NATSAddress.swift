/// Where a queue is: the servers of a cluster, and the stream that holds its jobs.
struct NATSAddress: Sendable, Equatable {
  /// `nats://HOST:PORT` each, without credentials.
  var servers: [String]
  var stream: String
  var credentials: NATSCredentials = .none
  var isSecure: Bool

  /// Short enough for the names that are derived from it, and for the folders that servers make of them.
  private static let maximumStreamBytes = 64

  /// Reads `nats://[USER:PASSWORD@|TOKEN@]HOST[:PORT][,…]/STREAM`, or the same with `tls:`.
  /// - Throws: `unusable`, without credentials in its message.
  init(_ url: String) throws(QueueFailure) {
    isSecure = url.hasPrefix("tls://")
    guard let scheme = ["nats://", "tls://"].first(where: url.hasPrefix) else {
      throw .unusable("a NATS queue is named as nats://HOST:4222/STREAM")
    }
    let parts = url.dropFirst(scheme.count).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.count == 2 ? String(parts[1]) : ""
    guard !name.isEmpty else {
      throw .unusable("the queue's URL names no stream; name one behind the servers, as in nats://HOST:4222/STREAM")
    }
    guard name.utf8.count <= Self.maximumStreamBytes, name.utf8.allSatisfy(NATSNames.isNamePart) else {
      // With credentials in the URL this may be the rest of a password that has a slash.
      let shown = url.contains("@") ? "what stands behind the first slash of the queue's URL" : "“\(name)”"
      throw .unusable(
        "\(shown) is no name for a NATS stream: letters, digits, - and _ are, at most \(Self.maximumStreamBytes)")
    }
    stream = name
    servers = []
    for (index, server) in parts[0].split(separator: ",", omittingEmptySubsequences: false).enumerated() {
      let (shown, host) = Self.split(server)
      if let shown {
        guard credentials == .none || credentials == shown else {
          throw .unusable("the servers in the queue's URL have different credentials")
        }
        credentials = shown
      }
      servers.append("nats://\(try Self.checked(host, number: index + 1))")
    }
  }

  /// The part before the last `@`, if there is one, and the one behind.
  private static func split(_ server: Substring) -> (NATSCredentials?, Substring) {
    guard let at = server.lastIndex(of: "@") else { return (nil, server) }
    let shown = server[..<at]
    let host = server[server.index(after: at)...]
    guard let colon = shown.firstIndex(of: ":") else { return (.token(decoded(shown)), host) }
    return (.user(decoded(shown[..<colon]), password: decoded(shown[shown.index(after: colon)...])), host)
  }

  private static func decoded(_ text: Substring) -> String { NATSNames.decoded(text) ?? String(text) }

  /// Makes sure that it is a host, and perhaps a port, and adds the port that NATS has.
  private static func checked(_ server: Substring, number: Int) throws(QueueFailure) -> String {
    // Not what stands there: it may be a part of a password that has a comma.
    let failure = QueueFailure.unusable(
      "no server can be read from part \(number) of those that the queue's URL names; write HOST:4222, several with"
        + " commas, and in a password %2C for a comma, %2F for a slash")
    var host = server
    var port = "4222"
    let behindHost: Substring.Index
    if server.hasPrefix("["), let end = server.firstIndex(of: "]") {
      behindHost = server.index(after: end)
    } else {
      behindHost = server.firstIndex(of: ":") ?? server.endIndex
    }
    if behindHost < server.endIndex {
      host = server[..<behindHost]
      let text = server[behindHost...]
      guard text.hasPrefix(":"), let number = UInt16(text.dropFirst()), number > 0 else { throw failure }
      port = String(number)
    }
    let isHost = host.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7F && !#"/?#"<>\^`{|}"#.utf8.contains($0) }
    guard !host.isEmpty, host != "[]", isHost else { throw failure }
    return "\(host):\(port)"
  }
}
