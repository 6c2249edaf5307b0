/// Opens the queue that a URL names, creating what is missing.
///
/// - `sqlite:PATH`: a file, absolute or relative to the current folder, for the processes of one machine.
/// - `nats://HOST:4222/STREAM`, `tls://…`: a JetStream stream; several servers are separated by commas.
/// - Throws: `unusable` when the URL is none or what it names is no queue; `unavailable` when it may be there later.
package func openQueue(
  _ url: String, options: QueueOptions = QueueOptions()
) async throws(QueueFailure) -> any JobQueue {
  switch try QueueScheme(url) {
  case .sqlite(let path): return try await SQLiteQueue(path: path, options: options)
  case .nats: return try await NATSQueue(url, options: options)
  }
}

/// Makes sure that a URL and options can be those of a queue, as far as that shows without opening it: before something
/// else is waited for.
/// - Throws: `unusable`, or `unavailable` when there is no memory left.
package func checkQueueSettings(_ url: String, options: QueueOptions) throws(QueueFailure) {
  switch try QueueScheme(url) {
  case .sqlite(let path):
    try QueueFile.checkPath(path)
  case .nats:
    try options.nats.check()
    // Reads the files of credentials and certificates; only what asks for a connection makes one.
    _ = try NATSConnectOptions(try NATSAddress(url), options.nats, key: 0)
  }
}

/// Which driver a URL asks for.
private enum QueueScheme {
  case sqlite(path: String)
  case nats

  init(_ url: String) throws(QueueFailure) {
    let (scheme, colon) = (url.prefix { $0 != ":" }, url.contains(":"))
    switch scheme {
    case "sqlite" where colon: self = .sqlite(path: String(url.dropFirst("sqlite:".count)))
    case "nats" where colon, "tls" where colon: self = .nats
    default:
      throw .unusable(
        "“\(withoutCredentials(url))” names no queue; name one as sqlite:FILE or nats://HOST:4222/STREAM")
    }
  }
}

/// A queue's URL as it may be shown: what stands before an `@` is left out.
package func withoutCredentials(_ url: String) -> String {
  guard let scheme = url.firstRange(of: "://") else { return url }
  let servers = url[scheme.upperBound...].split(separator: ",", omittingEmptySubsequences: false).map { server in
    server.lastIndex(of: "@").map { server[server.index(after: $0)...] } ?? server
  }
  return String(url[..<scheme.upperBound]) + servers.joined(separator: ",")
}
