import CMicroHTTPD
import Glibc

/// What libmicrohttpd tells of its connections.
protocol HTTPDaemonOwner: AnyObject {
  func connectionStarted(_ connection: OpaquePointer)
  func connectionEnded(_ connection: OpaquePointer)
  func requestBegan(_ connection: OpaquePointer, target: String)
  func requestEnded(_ connection: OpaquePointer)
  /// The head is complete, or a piece of the body is there, or the request is.
  /// - Returns: false to cut the connection.
  func handle(_ connection: OpaquePointer, method: String, body: UnsafeRawBufferPointer) -> Bool
}

/// A libmicrohttpd daemon in its "external" mode: no thread and no listening socket of its own.
///
/// Everything about it happens on the thread that calls `run`, the callbacks too, so nothing needs a lock.
final class HTTPDaemon {
  private let pointer: OpaquePointer
  /// Becomes readable when there is something to do.
  let epoll: Int32
  /// What the callbacks' context pointer points to.
  private let context: HTTPDaemonContext

  /// - Returns: nil where the system does not have what it takes.
  init?(connections: Int, idleSeconds: Int) {
    context = HTTPDaemonContext()
    guard
      let pointer = enclosure_http_start(
        UInt32(clamping: connections), UInt32(clamping: idleSeconds), handleRequest, beginRequest, endRequest,
        noteConnection, Unmanaged.passUnretained(context).toOpaque())
    else { return nil }
    self.pointer = pointer
    epoll = enclosure_http_epoll(pointer)
  }

  /// All connections have to be resumed by now: libmicrohttpd ends the process otherwise.
  deinit {
    MHD_stop_daemon(pointer)
  }

  /// Who is told; not retained.
  weak var owner: (any HTTPDaemonOwner)? {
    get { context.owner }
    set { context.owner = newValue }
  }

  /// Takes over an accepted socket, also where that fails.
  func add(_ socket: Int32, from address: UnsafePointer<sockaddr>, _ length: socklen_t) {
    MHD_add_connection(pointer, socket, address, length)
  }

  /// Does what there is to do, without waiting.
  func run() {
    MHD_run(pointer)
  }

  /// Milliseconds after which `run` has something to do though no socket is ready; nil for never.
  var patience: Int? {
    var milliseconds: UInt64 = 0
    return MHD_get_timeout(pointer, &milliseconds) == .YES ? Int(clamping: milliseconds) : nil
  }

  static func socket(of connection: OpaquePointer) -> Int32 { enclosure_http_socket(connection) }

  /// Leaves a connection alone, from within `handle`, until `resume`.
  static func suspend(_ connection: OpaquePointer) { MHD_suspend_connection(connection) }

  /// The next `run` goes on with the connection, and calls `handle` again.
  static func resume(_ connection: OpaquePointer) { MHD_resume_connection(connection) }

  /// The fields of a request's head, names in lower case.
  static func fields(of connection: OpaquePointer) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    withUnsafeMutablePointer(to: &fields) { pointer in
      _ = MHD_get_connection_values(connection, .HEADER_KIND, collectField, pointer)
    }
    return fields
  }

  /// Sends an answer, from within `handle`. Before the request is complete this ends the connection.
  static func send(_ answer: Answer, to connection: OpaquePointer, isLast: Bool) -> Bool {
    let response = answer.body.withUnsafeBytes { bytes in
      // It is copied, though the type does not say so.
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let response else { return false }
    defer { MHD_destroy_response(response) }
    MHD_add_response_header(response, "Content-Type", answer.contentType)
    MHD_add_response_header(response, "Cache-Control", "no-store")
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff")
    for (name, value) in answer.fields { MHD_add_response_header(response, name, value) }
    if isLast { MHD_add_response_header(response, "Connection", "close") }
    return MHD_queue_response(connection, UInt32(answer.status), response) == .YES
  }
}

private final class HTTPDaemonContext {
  weak var owner: (any HTTPDaemonOwner)?
}

// C calls these on the daemon's thread. They capture nothing: the context pointer leads to the owner.

private func owner(_ context: UnsafeMutableRawPointer?) -> (any HTTPDaemonOwner)? {
  context.flatMap { Unmanaged<HTTPDaemonContext>.fromOpaque($0).takeUnretainedValue().owner }
}

private func noteConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
  guard let connection else { return }
  if what == .CONNECTION_NOTIFY_STARTED {
    owner(context)?.connectionStarted(connection)
  } else {
    owner(context)?.connectionEnded(connection)
  }
}

private func beginRequest(
  _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let connection else { return nil }
  owner(context)?.requestBegan(connection, target: target.map { String(cString: $0) } ?? "")
  return nil
}

private func endRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ how: MHD_RequestTerminationCode
) {
  guard let connection else { return }
  owner(context)?.requestEnded(connection)
}

private func handleRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ body: UnsafePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?, _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let connection, let method, let size else { return .NO }
  let bytes = UnsafeRawBufferPointer(start: body, count: body == nil ? 0 : size.pointee)
  // Whatever there is is taken.
  size.pointee = 0
  let goesOn = owner(context)?.handle(connection, method: String(cString: method), body: bytes) ?? false
  return goesOn ? .YES : .NO
}

private func collectField(
  _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ value: UnsafePointer<CChar>?
) -> MHD_Result {
  guard let context, let name else { return .NO }
  context.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
    .append((String(cString: name).lowercased(), value.map { String(cString: $0) } ?? ""))
  return .YES
}
