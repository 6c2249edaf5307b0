import CMicroHTTPD
import Glibc

/// A client's connection, as the endpoint's thread knows it.
final class ClientConnection {
  enum Phase {
    /// Nothing has come yet.
    case new
    /// A request has been answered, and another may come.
    case idle
    case receiving
    /// The service is asked; libmicrohttpd leaves the connection alone meanwhile.
    case answering
    case sending
  }

  /// libmicrohttpd's; valid as long as the connection is known to the thread.
  let socket: Int32
  private(set) var phase = Phase.new
  /// When the phase began that deadlines count from, in seconds of the clock: of a request its beginning.
  private(set) var since: Double
  var request: ReceivedRequest?
  /// It was shut down, and libmicrohttpd will notice.
  var isCut = false

  init(socket: Int32, now: Double) {
    self.socket = socket
    since = now
  }

  /// Whether all has been read that the client will ever send.
  var hasLeft: Bool {
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
  }

  func enter(_ phase: Phase, now: Double? = nil) {
    self.phase = phase
    if let now { since = now }
  }

  /// When it has to be cut, in seconds of the clock.
  func deadline(_ configuration: OperationsConfiguration) -> Double {
    since + (phase == .idle ? configuration.idleSeconds : configuration.requestSeconds)
  }
}

/// A request that comes in.
final class ReceivedRequest {
  /// By which an answer finds its request.
  let number: Int
  let target: RequestTarget
  let began: Double
  /// nil until the head is complete.
  var head: RequestHead?
  var ruling: RequestJudge.Ruling?
  var body: [UInt8] = []
  /// Bytes of the body that came, those that were thrown away included.
  var received = 0
  /// What the service said.
  var answer: Answer?
  /// When the service has to have answered, in seconds of the clock.
  var answerDeadline = Double.infinity

  init(number: Int, target: RequestTarget, now: Double) {
    self.number = number
    self.target = target
    began = now
  }

  /// For the label of a metric.
  var routeName: String {
    head?.target.path.flatMap(Route.init(path:))?.name ?? "other"
  }
}
