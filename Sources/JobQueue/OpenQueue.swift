/// Opens the queue that a URL names, creating what is missing.
///
/// - `sqlite:PATH`: a file, absolute or relative to the current folder, for the processes of one machine.
/// - `nats://HOST:4222/STREAM`, `tls://…`: a JetStream stream; several servers are separated by commas.
/// - Throws: `unusable` when the URL is none or what it names is no queue; `unavailable` when it may be there later.
package func openQueue(
  _ url: String, options: QueueOptions = QueueOptions()
) async throws(QueueFailure) -> any JobQueue {
  let scheme = url.prefix { $0 != ":" }
  switch scheme {
  case "sqlite":
    let path = String(url.dropFirst("sqlite:".count))
    return try await SQLiteQueue(path: path, options: options)
  case "nats", "tls":
    return try await NATSQueue(url, options: options)
  default:
    throw .unusable(
      "“\(withoutCredentials(url))” names no queue; name one as sqlite:FILE or nats://HOST:4222/STREAM")
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
