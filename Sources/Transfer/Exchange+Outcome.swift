import CCurl
import Glibc
import RichPush

extension Exchange {
  /// What came out of the transfer, once libcurl says that it has ended.
  func report(_ code: CURLcode) -> ExchangeReport {
    let retryAfter = easy?.offset(CURLINFO_RETRY_AFTER) ?? 0
    return ExchangeReport(
      outcome: outcome(code), bytesReceived: sink.received, timings: timings,
      retryAfter: retryAfter > 0 ? Double(retryAfter) : nil, headers: response.headers)
  }

  private func outcome(_ code: CURLcode) -> ExchangeReport.Outcome {
    if sink.isPostponed { return .postponed }
    if isPartRefused { return .partRefused }
    if let fault { return .failed(fault) }
    if dialling?.isBlocked == true, response.status == nil {
      return .failed(.blocked(request.url.origin.host, isRedirect: request.isRedirect))
    }
    guard let status = response.status else { return .failed(reason(for: code)) }
    // The body of a redirect or an error does not matter, nor how it ended.
    guard isSuccess(status) else { return outcome(ofStatus: status) }
    guard code == CURLE_OK else { return .failed(reason(for: code)) }
    guard sink.received > 0 else {
      return .failed(Rejection.Reason(.empty, at: .fetch, "the server sent no bytes, with status \(status)"))
    }
    do throws(Rejection.Reason) {
      return try sink.endResponse() ? .body(status: status) : .failed(reason(for: CURLE_PARTIAL_FILE))
    } catch {
      return sink.isPostponed ? .postponed : .failed(error)
    }
  }

  private func outcome(ofStatus status: Int) -> ExchangeReport.Outcome {
    switch status {
    case 301, 302, 303, 307, 308:
      if let target = response.location { return .redirect(target) }
    case 304:
      if !request.conditions.isEmpty { return .notModified }
    case 416:
      if request.part != .whole { return .partRefused }
    default: break
    }
    return .failed(statusReason(status))
  }

  private func statusReason(_ status: Int) -> Rejection.Reason {
    let meanings = [
      401: "authorisation needed", 403: "forbidden", 404: "not found", 408: "request timeout", 410: "gone",
      425: "too early", 429: "too many requests", 500: "server error", 502: "bad gateway", 503: "unavailable",
      504: "gateway timeout",
    ]
    let meaning = meanings[status].map { " (\($0))" } ?? ""
    let mayPass = status >= 500 || [408, 425, 429].contains(status)
    return Rejection.Reason(
      .httpStatus, at: .fetch, "the server answered with status \(status)\(meaning)", measured: Double(status),
      permanent: !mayPass)
  }

  /// - Precondition: no callback has stopped the transfer.
  private func reason(for code: CURLcode) -> Rejection.Reason {
    let origin = request.url.origin
    func failed(_ message: String, permanent: Bool = false) -> Rejection.Reason {
      Rejection.Reason(.fetchFailed, at: .fetch, message, permanent: permanent)
    }
    switch code {
    case CURLE_OPERATION_TIMEDOUT: return timeoutReason()
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      return failed("the host name \(origin.host) could not be resolved")
    case CURLE_COULDNT_CONNECT: return failed("could not connect to \(origin.name)\(easy?.systemCause ?? "")")
    case CURLE_PEER_FAILED_VERIFICATION: return failed(easy?.certificateMessage(origin) ?? "", permanent: true)
    case CURLE_SSL_CONNECT_ERROR:
      // A connection that breaks during the handshake ends here too, so it may be worth another attempt.
      return failed("the TLS handshake with \(origin.name) failed; the port may not speak TLS")
    case CURLE_SSL_CACERT_BADFILE: return failed("the file with trusted certificates cannot be read", permanent: true)
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      return failed("no secure connection to \(origin.name): \(EasyHandle.description(of: code))", permanent: true)
    case CURLE_PARTIAL_FILE:
      let missing = response.declaredBytes.map { "of \($0) bytes" } ?? "bytes, before its last chunk"
      return failed("the body ended after \(sink.received) \(missing)")
    case CURLE_OUT_OF_MEMORY where response.status == nil && (easy?.offset(CURLINFO_PRETRANSFER_TIME_T) ?? 0) > 0:
      // What libcurl says of a line longer than it takes, about 100 KB.
      return failed("the response header has a line that is too long", permanent: true)
    case CURLE_GOT_NOTHING: return failed("\(origin.name) closed the connection without an answer")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_WRITE_ERROR:
      let place = response.status == nil ? "before an answer came" : "after \(sink.received) bytes of the body"
      return failed("the connection to \(origin.name) broke \(place)\(easy?.systemCause ?? "")")
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      return failed("\(origin.name) does not answer in proper HTTP", permanent: true)
    case CURLE_URL_MALFORMAT:
      return Rejection.Reason(.invalidJob, at: .fetch, "the URL is malformed")
    default: return failed("the transfer from \(origin.name) failed: \(EasyHandle.description(of: code))")
    }
  }

  private func timeoutReason() -> Rejection.Reason {
    let limits = request.limits
    let times = timings
    let name = request.url.origin.name
    func late(_ message: String, limit: Double, measured: Double) -> Rejection.Reason {
      Rejection.Reason(.fetchTimeout, at: .fetch, message, limit: limit, measured: measured)
    }
    if limits.isSpent(limits.totalTimeout - request.remainingTime + times.total) {
      return late(
        "the download did not finish within \(limits.totalTimeout.text) s; \(sink.received) bytes had come",
        limit: limits.totalTimeout, measured: limits.totalTimeout - request.remainingTime + times.total)
    }
    if (easy?.offset(CURLINFO_PRETRANSFER_TIME_T) ?? 0) == 0 {
      let step =
        times.nameLookup == 0
        ? "the host name \(request.url.origin.host) was not resolved"
        : request.url.origin.scheme == "https"
          ? "no secure connection to \(name) came about" : "\(name) did not accept a connection"
      return late(
        "\(step) within \(limits.connectTimeout.text) s", limit: limits.connectTimeout, measured: times.total)
    }
    return late(
      "\(name) sent less than \(limits.stallBytesPerSecond) bytes per second for \(limits.stallTimeout) s; "
        + "\(sink.received) bytes had come",
      limit: Double(limits.stallTimeout), measured: times.total)
  }
}

extension Double {
  /// Seconds without a needless fraction.
  var text: String {
    self == rounded() && magnitude < 1e9 ? "\(Int(self))" : "\(self)"
  }
}
