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
      "“\(url)” names no queue; name one as sqlite:FILE or nats://HOST:4222/STREAM")
  }
}
