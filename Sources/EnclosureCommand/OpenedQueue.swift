import JobQueue

/// The option that names the queue, and what it takes to open it.
enum QueueChoice {
  static let option = Syntax.Option(
    "queue", .one("URL"), "sqlite:FILE or nats://HOST:4222/STREAM; \(standard) by default")
  static let standard = "sqlite:\(WorkerOptions.defaultFolder)/queue.db"

  /// What the help of the commands with a queue says about it.
  static let details = """
    --queue takes sqlite:FILE, for the processes of one machine, or the servers of a NATS cluster and a stream, for any
    number of machines: nats://A:4222,B:4222/STREAM, with TLS tls://…. Variables say the rest about NATS:
    ENCLOSURE_NATS_REPLICAS on how many servers a new queue keeps each job (1, 3 or 5); ENCLOSURE_NATS_CREDS,
    ENCLOSURE_NATS_NKEY, ENCLOSURE_NATS_TOKEN, or ENCLOSURE_NATS_USER and ENCLOSURE_NATS_PASSWORD who this is;
    ENCLOSURE_NATS_CA_FILE, ENCLOSURE_NATS_CERT_FILE and ENCLOSURE_NATS_KEY_FILE what TLS goes by; and
    ENCLOSURE_NATS_INBOX_PREFIX what the subjects of answers begin with.
    """
}

extension Arguments {
  /// The URL of the queue.
  var queue: String { text("queue") ?? QueueChoice.standard }

  /// Opens the queue that `--queue` names, and tells in what it is not as the settings say.
  /// - Parameter creating: whether to make it where there is none.
  func openedQueue(creating: Bool) async throws(QueueFailure) -> any JobQueue {
    let queue = try await openQueue(queue, options: QueueOptions.fromEnvironment(creating: creating))
    for caveat in queue.caveats { Console.log(.queueDiffers(caveat)) }
    return queue
  }

  /// Judges what is said about the queue, as far as that is possible without opening it.
  func checkQueue() throws(QueueFailure) {
    try checkQueueSettings(queue, options: QueueOptions.fromEnvironment(creating: true))
  }
}

extension QueueOptions {
  /// What the environment says about the servers of a queue; there are no options for that, since the command line can
  /// be read by everybody.
  static func fromEnvironment(creating: Bool) throws(QueueFailure) -> QueueOptions {
    var options = QueueOptions()
    options.createsQueue = creating
    var variables: [String: String] = [:]
    for name in NATSOptions.variables {
      variables[name] = environmentVariable(name).map { String(decoding: $0, as: UTF8.self) }
    }
    options.nats = try NATSOptions(environment: variables)
    return options
  }
}
