/// How a queue is used. The same on every process that uses it, as far as the queue itself is concerned.
package struct QueueOptions: Sendable {
  /// How long the id and the result of a completed job are remembered, in seconds. A job that is added again within
  /// that time is known.
  package var rememberedSeconds: Double = 86_400
  /// How many completed jobs are remembered at most.
  package var rememberedCount = 1_000_000
  /// Whether a queue that does not exist is made. Where not, it cannot be opened.
  package var createsQueue = true
  package var nats = NATSOptions()

  package init() {}
}
