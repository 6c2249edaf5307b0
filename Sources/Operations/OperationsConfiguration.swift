/// Where the endpoint listens, and what it lets its clients do.
package struct OperationsConfiguration: Sendable {
  package var address: ListenAddress
  /// The tokens that clients may bring, several while they are changed. Without one, jobs are served on loopback only.
  package var tokens: [BearerToken] = []
  /// For the metric `enclosure_build_info`.
  package var version: String
  /// The largest body of a request. A job is four URLs and a push of 4 KB.
  package var maximumBodyBytes = 256 << 10
  /// Connections at once. When another comes, the one that has been quiet the longest has to go.
  package var maximumConnections = 128
  /// Seconds from a request's first line to the end of its answer, and from a connection's start to the first line.
  /// Whoever takes longer is cut off, however busily it sends.
  package var requestSeconds = 20.0
  /// Seconds that a connection may wait for a further request.
  package var idleSeconds = 60.0
  /// Seconds that the service has to answer.
  package var answerSeconds = 10.0
  /// Seconds that requests have to end when the endpoint is closed.
  package var closingSeconds = 5.0

  package init(address: ListenAddress = .standard, tokens: [BearerToken] = [], version: String = "development") {
    self.address = address
    self.tokens = tokens
    self.version = version
  }
}
