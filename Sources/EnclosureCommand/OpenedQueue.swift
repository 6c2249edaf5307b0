import JobQueue

extension Arguments {
  /// Opens the queue that `--queue` names, and tells in what it is not as the settings say.
  /// - Parameter creating: whether to make it where there is none.
  func openedQueue(creating: Bool) async throws -> any JobQueue {
    let url = text("queue") ?? WorkerOptions.defaultQueue
    guard url.contains(":") else {
      throw UsageError("--queue “\(url)” names no queue; name one as sqlite:FILE or nats://HOST:4222/STREAM")
    }
    let queue = try await openQueue(url, options: QueueOptions.fromEnvironment(creating: creating))
    for caveat in queue.caveats { Console.log(.queueDiffers(caveat)) }
    return queue
  }

  static let queueOption = Syntax.Option(
    "queue", .one("URL"), "sqlite:FILE or nats://HOST:4222/STREAM; \(WorkerOptions.defaultQueue) by default")
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
