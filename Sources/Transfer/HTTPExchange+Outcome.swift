import CCurl

extension HTTPExchange {
  /// What came out of the request, once libcurl says that it has ended.
  func outcome(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
    if let fault { return .failure(fault) }
    // A server that refuses a body may close the connection before it has all of it, and an error counts without its
    // page. A success is one when all of it has come.
    if let status, code == CURLE_OK || !isSuccess(status) || !request.readsBody {
      return .success(
        HTTPResponse(status: status, fields: fields, body: body, timings: easy?.timings ?? TransferTimings()))
    }
    if dialling?.isBlocked == true {
      let host = origin.host
      return .failure(HTTPFailure(.blocked, "\(host) is at no public address", mayPass: false))
    }
    return .failure(failure(for: code))
  }

  private func failure(for code: CURLcode) -> HTTPFailure {
    let name = origin.name
    let cause = easy?.systemCause ?? ""
    switch code {
    case CURLE_OPERATION_TIMEDOUT: return late()
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      return HTTPFailure(.notResolved, "the host name \(origin.host) could not be resolved", mayPass: true)
    case CURLE_COULDNT_CONNECT:
      return HTTPFailure(.notConnected, "could not connect to \(name)\(cause)", mayPass: true)
    case CURLE_PEER_FAILED_VERIFICATION:
      return HTTPFailure(.notSecure, easy?.certificateMessage(origin) ?? "", mayPass: false)
    case CURLE_SSL_CONNECT_ERROR:
      // A connection that breaks during the handshake ends here too, so it may be worth another attempt.
      return HTTPFailure(
        .notSecure, "the TLS handshake with \(name) failed; the port may not speak TLS", mayPass: true)
    case CURLE_SSL_CACERT_BADFILE:
      return HTTPFailure(.notSecure, "the file with trusted certificates cannot be read", mayPass: false)
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      let what = EasyHandle.description(of: code)
      return HTTPFailure(.notSecure, "no secure connection to \(name): \(what)", mayPass: false)
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_WRITE_ERROR,
      CURLE_PARTIAL_FILE, CURLE_SEND_FAIL_REWIND:
      return HTTPFailure(.broken, "the connection to \(name) broke \(progress)\(cause)", mayPass: true)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      return HTTPFailure(.notHTTP, "\(name) does not answer in proper HTTP", mayPass: false)
    default:
      let what = EasyHandle.description(of: code)
      return HTTPFailure(.other, "the exchange with \(name) failed: \(what)", mayPass: true)
    }
  }

  /// How far it got.
  private var progress: String {
    if status != nil { return "after \(body.count) bytes of the answer" }
    let total = request.body.count
    // What libcurl has read is what the system has taken, and a little more.
    let sent = min(easy?.offset(CURLINFO_SIZE_UPLOAD_T) ?? 0, total)
    return sent < total ? "after \(sent) of \(total) bytes were sent" : "before an answer came"
  }

  private func late() -> HTTPFailure {
    let limits = request.limits
    let times = easy?.timings ?? TransferTimings()
    let name = origin.name
    func late(_ message: String, limit: Double) -> HTTPFailure {
      HTTPFailure(.timeout, message, mayPass: true, limit: limit, measured: times.total)
    }
    // libcurl's clock and its timers differ by milliseconds.
    if times.total > limits.totalTimeout - 0.01 {
      return late(
        "the exchange with \(name) did not end within \(limits.totalTimeout.text) s; it broke off \(progress)",
        limit: limits.totalTimeout)
    }
    if (easy?.offset(CURLINFO_PRETRANSFER_TIME_T) ?? 0) == 0 {
      let step =
        times.nameLookup == 0
        ? "the host name \(origin.host) was not resolved"
        : origin.scheme == "https"
          ? "no secure connection to \(name) came about" : "\(name) did not accept a connection"
      return late("\(step) within \(limits.connectTimeout.text) s", limit: limits.connectTimeout)
    }
    return late(
      "less than \(limits.stallBytesPerSecond) bytes per second went to or came from \(name) for"
        + " \(limits.stallTimeout) s; it broke off \(progress)",
      limit: Double(limits.stallTimeout))
  }
}
