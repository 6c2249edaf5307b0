import Glibc
package import Metrics

/// The endpoint for those who run the service: health, metrics, and jobs over HTTP.
///
/// libmicrohttpd lives on one thread of its own; the delegate is asked by tasks. So neither a slow client nor a slow
/// queue holds up anybody else, and nothing here blocks Swift's cooperative threads.
package final class OperationsServer: Sendable {
  /// Where it listens, with the port that the system chose where none was named.
  package let address: ListenAddress
  /// Whether jobs are served: without a token only on loopback.
  package let servesJobs: Bool
  private let mailbox: OperationsMailbox

  /// Listens, and answers from now on.
  /// - Parameter metrics: those that are shown; the endpoint adds its own and the process's.
  package init(
    _ configuration: OperationsConfiguration, metrics: MetricsRegistry, delegate: any OperationsDelegate
  ) throws(ListenFault) {
    let listener = try ListeningSocket(configuration.address)
    address = listener.address
    let judge = RequestJudge(configuration)
    servesJobs = judge.access != .nobody
    mailbox = try OperationsThread.start(
      listener, configuration, judge, RequestAnswerer(delegate, registry: metrics),
      EndpointMetrics(metrics, version: configuration.version))
  }

  deinit {
    mailbox.post(.close {})
  }

  /// Takes no more connections, lets the requests in work end within some seconds, and returns when all is closed.
  package func close() async {
    await withCheckedContinuation { continuation in
      if !mailbox.post(.close { continuation.resume() }) { continuation.resume() }
    }
  }
}
