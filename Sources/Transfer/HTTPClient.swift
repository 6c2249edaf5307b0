import RichPush

/// Sends single requests: no redirects are followed, and nothing is sent twice.
package final class HTTPClient: Sendable {
  private let engine: Engine

  /// A client with a transfer thread of its own.
  package init(configuration: TransferConfiguration = TransferConfiguration()) {
    engine = Engine(configuration)
  }

  /// A client on a downloader's thread, with its proxies and authorities. It ends with that.
  package init(sharing downloader: Downloader) {
    engine = downloader.engine
  }

  /// Sends a request and waits for the answer, whatever its status.
  ///
  /// Cancelling the task ends it at once. When this returns or throws, the body's descriptor is not used any more.
  package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let url: RequestURL
    do throws(Rejection.Reason) {
      url = try RequestURL(request.url)
      try request.addressPolicy?.judge(url, isRedirect: false)
    } catch {
      let kind: HTTPFailure.Kind = error.code == .blockedAddress ? .blocked : .invalidURL
      throw HTTPFailure(kind, error.message, mayPass: false)
    }
    return try await engine.run(HTTPExchange(request, url)).get()
  }
}
