import CCurl
import Glibc
import Synchronization

/// One request that is no download, and its response: what runs on one easy handle.
///
/// `@unchecked Sendable`: it is touched by one side at a time, as `TransferTask` says; `isCancelled` is atomic.
final class HTTPExchange: TransferTask, @unchecked Sendable {
  let request: HTTPRequest
  let url: RequestURL
  /// Set by the task that waits.
  let isCancelled = Atomic(false)
  var wasCancelled: Bool { isCancelled.load(ordering: .acquiring) }
  var origin: RequestURL.Origin { url.origin }
  var placesAtHost: Int? { request.limits.concurrentPerHost }
  var hasArrived = false
  var startTime = 0.0
  var isAside = false
  var isOver: Bool { continuation == nil }

  var continuation: CheckedContinuation<Result<HTTPResponse, HTTPFailure>, Never>?
  var easy: EasyHandle?
  /// Set with `easy`.
  var dialling: Dialling?
  /// How much of the body was given to libcurl.
  var bytesSent = 0
  /// Why a callback stopped the transfer.
  var fault: HTTPFailure?

  private var headerBytes = 0
  /// The status of the final response, once its header is complete.
  private(set) var status: Int?
  private(set) var fields: [String: String] = [:]
  private(set) var body: [UInt8] = []

  init(_ request: HTTPRequest, _ url: RequestURL) {
    self.request = request
    self.url = url
  }

  func finish(_ code: CURLcode) {
    finish(outcome(code))
  }

  func finish(_ interruption: Interruption) {
    switch interruption {
    case .stopped: fail(.cancelled, "the request was stopped: Enclosure is ending")
    case .cancelled: fail(.cancelled, "the request was cancelled")
    case .noHandle: fail(.other, "libcurl could not start the request")
    }
  }

  private func fail(_ kind: HTTPFailure.Kind, _ message: String) {
    finish(.failure(HTTPFailure(kind, message, mayPass: true)))
  }

  private func finish(_ result: Result<HTTPResponse, HTTPFailure>) {
    easy = nil
    let waiting = continuation
    continuation = nil
    waiting?.resume(returning: result)
  }

  // MARK: The request's body

  /// Fills `room` with what comes next of the body; 0 at its end.
  ///
  /// - Returns: nil when it cannot be read.
  func give(_ room: UnsafeMutableRawBufferPointer) -> Int? {
    let wanted = min(room.count, request.body.count - bytesSent)
    guard wanted > 0 else { return 0 }
    switch request.body {
    case .none: return 0
    case .bytes(let bytes):
      bytes[bytesSent..<bytesSent + wanted].withUnsafeBytes { room.copyMemory(from: $0) }
      bytesSent += wanted
      return wanted
    case .file(let descriptor, let total):
      var count = 0
      repeat {
        count = pread(descriptor, room.baseAddress, wanted, off_t(bytesSent))
      } while count < 0 && errno == EINTR
      guard count > 0 else {
        let cause = count < 0 ? systemMessage(errno) : "it ends after \(bytesSent) of \(total) bytes"
        fault = HTTPFailure(.unreadableBody, "the file to be sent cannot be read: \(cause)", mayPass: count < 0)
        return nil
      }
      bytesSent += count
      return count
    }
  }

  /// Begins the body anew at some place: on a fresh connection, when a kept one turned out to be dead.
  func rewind(to offset: Int) -> Bool {
    guard (0...request.body.count).contains(offset) else { return false }
    bytesSent = offset
    return true
  }

  // MARK: The response

  /// Takes one line of a header, its line end included.
  ///
  /// - Returns: whether to go on.
  func take(headerLine line: UnsafeRawBufferPointer) -> Bool {
    headerBytes += line.count
    let limit = request.limits.maximumHeaderBytes
    guard headerBytes <= limit else {
      fault = HTTPFailure(
        .tooLarge, "the response header is larger than \(limit) bytes", mayPass: false, limit: Double(limit),
        measured: Double(headerBytes))
      return false
    }
    // After the body come trailers, which say nothing about it.
    guard status == nil else { return true }
    let text = String(decoding: line, as: UTF8.self).trimmed
    if text.isEmpty {
      let code = easy?.integer(CURLINFO_RESPONSE_CODE) ?? 0
      // 100 Continue and 103 Early Hints come before the response itself; so does a proxy's answer to CONNECT.
      if code >= 200 { status = code }
    } else if text.hasPrefix("HTTP/") {
      fields = [:]
    } else if let colon = text.firstIndex(of: ":") {
      let value = String(text[text.index(after: colon)...]).trimmed
      let name = text[..<colon].lowercased()
      fields[name] = fields[name].map { "\($0), \(value)" } ?? value
    }
    return true
  }

  /// Takes some bytes of the response's body.
  ///
  /// - Returns: whether to go on.
  func take(body chunk: UnsafeRawBufferPointer) -> Bool {
    guard request.readsBody else { return false }
    let limit = request.limits.maximumResponseBytes
    guard body.count + chunk.count <= limit else {
      // What an error page says at its end is not missed.
      if let status, isSuccess(status) {
        fault = HTTPFailure(
          .tooLarge, "the answer is larger than \(limit) bytes", mayPass: false, limit: Double(limit),
          measured: Double(body.count + chunk.count))
      }
      return false
    }
    body += chunk
    return true
  }
}
