import CCurl
import RichPush
import Synchronization

/// What one request needs to know.
struct ExchangeRequest: Sendable {
  var url: RequestURL
  /// Whether a server named the URL.
  var isRedirect = false
  /// Those of the job's URL, as long as the request goes to the same origin, or those of a redirect's URL.
  var credentials: RequestURL.Credentials?
  var part = RequestedPart.whole
  /// The validators of a copy that is kept; with them, the answer may be that it is still good.
  var conditions = RequestConditions()
  /// Belongs to the exchange until it has ended.
  var sink: BodySink
  var limits: TransferLimits
  /// Seconds that are left of the download's total.
  var remainingTime: Double
}

/// How much of a body a request asks for.
enum RequestedPart: Sendable, Equatable {
  case whole
  /// The first bytes of whatever version there is.
  case first(Int)
  /// More of the version that the sink holds, and `isStream` when nothing else is to come.
  case range(Range<Int>, isStream: Bool)

  /// The value of the Range field (RFC 9110 section 14.2).
  var field: String? {
    switch self {
    case .whole: nil
    case .first(let count): "bytes=0-\(count - 1)"
    case .range(let range, _) where range.upperBound == .max: "bytes=\(range.lowerBound)-"
    case .range(let range, _): "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
    }
  }
}

/// One request and its response: what runs on one easy handle.
///
/// `@unchecked Sendable`: it is touched by one side at a time, as `TransferTask` says; `isCancelled` is atomic.
final class Exchange: TransferTask, @unchecked Sendable {
  let request: ExchangeRequest
  /// Set by the task that waits.
  let isCancelled = Atomic(false)
  var wasCancelled: Bool { isCancelled.load(ordering: .acquiring) }
  var origin: RequestURL.Origin { request.url.origin }
  var placesAtHost: Int? { nil }
  var hasArrived = false
  var startTime = 0.0
  var isAside = false

  var continuation: CheckedContinuation<ExchangeReport, Never>?
  var isOver: Bool { continuation == nil }
  var easy: EasyHandle?
  /// Set with `easy`.
  var dialling: Dialling?
  var sink: BodySink { request.sink }
  var response = Response()
  /// Why a callback stopped the transfer.
  var fault: Rejection.Reason?
  /// Whether it was stopped because the server does not send parts as it should.
  var isPartRefused = false

  /// The response as far as its header has been read.
  struct Response {
    var headerBytes = 0
    /// The status of the final response, once its header is complete.
    var status: Int?
    /// Where a redirect leads, as the server writes it.
    var location: String?
    var declaredType: String?
    var declaredBytes: Int?
    var headers = ResponseHeaders()
    /// The value of Content-Range.
    var contentRange: String?
    /// The different values of Content-Length, of which there should be one.
    var lengths: Set<String> = []
    /// Whether there is Transfer-Encoding, which overrides Content-Length (RFC 9112 section 6.3).
    var isFramed = false
    /// The coding that the body comes in although none was asked for.
    var coding: String?
    /// Bytes of a body that is of no use (of a redirect or an error), read so that the connection can be used again.
    var discarded = 0

    /// Whether Content-Length says one thing, or nothing, or does not count.
    var isLengthClear: Bool {
      guard !isFramed, let length = lengths.first else { return true }
      return lengths.count == 1 && length.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int(length) != nil
    }

    /// More is not read for the sake of the connection.
    static let maximumDiscarded = 64 * 1024
  }

  init(_ request: ExchangeRequest) {
    self.request = request
  }

  /// Resumes the task that waits. The exchange belongs to nobody afterwards, and its descriptor is not used any more.
  ///
  /// - Precondition: it is not over.
  func finish(_ report: ExchangeReport) {
    easy = nil
    sink.progress.endRequest()
    let waiting = continuation
    continuation = nil
    waiting?.resume(returning: report)
  }

  func finish(_ code: CURLcode) {
    finish(report(code))
  }

  func finish(_ interruption: Interruption) {
    finish(ExchangeReport(outcome: .failed(interruption.reason), bytesReceived: sink.received, timings: timings))
  }

  var timings: TransferTimings { easy?.timings ?? TransferTimings() }
}

/// How an exchange ended.
struct ExchangeReport: Sendable {
  enum Outcome: Sendable {
    /// What the server sent, the whole or a part, is in the sink.
    case body(status: Int)
    /// The copy whose validators were sent is still good.
    case notModified
    /// A response that is kept and still good; there is nothing in the sink.
    case kept(CachedResponse)
    /// The absolute URL that the server names, unchecked.
    case redirect(String)
    /// The server has another version by now, or does not send parts as it should: ask for the whole.
    case partRefused
    /// There is no room for the body now.
    case postponed
    case failed(Rejection.Reason)
  }

  var outcome: Outcome
  /// Bytes of the body that came, whether or not it is whole.
  var bytesReceived: Int
  var timings: TransferTimings
  /// Seconds, when the server asks for a pause.
  var retryAfter: Double?
  var headers = ResponseHeaders()
}
