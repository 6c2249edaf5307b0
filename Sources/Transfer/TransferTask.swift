import CCurl
import RichPush

/// One request and its response: what the transfer thread runs on one easy handle.
///
/// A task of Swift makes it, hands it over with a `start` command and waits. From then until it is over only the
/// transfer thread touches it, except for `wasCancelled`. A cancellation may overtake the start: then the thread looks
/// at nothing but `hasArrived`, which only it writes.
protocol TransferTask: AnyObject, Sendable {
  /// Whom the request goes to.
  var origin: RequestURL.Origin { get }
  /// How many requests of its kind may run at the same time at one host; nil for the usual number.
  var placesAtHost: Int? { get }
  /// Whether nobody waits for it any more. Safe to ask for from any thread.
  var wasCancelled: Bool { get }

  /// Whether the transfer thread has taken it over.
  var hasArrived: Bool { get set }
  /// When it began to run, in seconds of the transfer thread's clock.
  var startTime: Double { get set }
  /// Whether it no longer counts against its host's limit.
  var isAside: Bool { get set }
  /// Whether it has been answered, and belongs to nobody.
  var isOver: Bool { get }
  /// Set while it runs.
  var easy: EasyHandle? { get set }

  /// Makes the easy handle for this request.
  ///
  /// - Parameter mayShare: whether the host may speak HTTP/2: then it is better to wait for the first connection, and
  ///   to share it, than to open more.
  /// - Returns: nil when libcurl lacks memory or an option.
  func makeHandle(_ configuration: TransferConfiguration, mayShare: Bool) -> EasyHandle?

  /// Answers, after libcurl has ended the transfer. Nothing of it is used any more afterwards.
  ///
  /// - Precondition: it is not over.
  func finish(_ code: CURLcode)

  /// Answers, without libcurl or in spite of it.
  ///
  /// - Precondition: it is not over.
  func finish(_ interruption: Interruption)
}

/// Why a transfer was ended from outside.
enum Interruption: Sendable {
  /// The engine ends.
  case stopped
  case cancelled
  /// libcurl could not start it.
  case noHandle

  /// What a download says about it.
  var reason: Rejection.Reason {
    switch self {
    case .stopped: .stopped
    case .cancelled: .cancelled
    case .noHandle: .noHandle
    }
  }
}
