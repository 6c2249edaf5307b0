import JobQueue

extension Arguments {
  /// Opens the queue that `--queue` names.
  /// - Parameter creating: whether to make it where there is none.
  func openedQueue(creating: Bool) async throws -> any JobQueue {
    let url = text("queue") ?? WorkerOptions.defaultQueue
    var options = QueueOptions()
    options.createsQueue = creating
    do throws(QueueFailure) {
      return try await openQueue(url, options: options)
    } catch .unusable(let message) where url.isEmpty || !url.contains(":") {
      throw UsageError("--queue: \(message)")
    }
  }

  static let queueOption = Syntax.Option(
    "queue", .one("URL"), "sqlite:FILE or nats://HOST:4222/STREAM; \(WorkerOptions.defaultQueue) by default")
}
