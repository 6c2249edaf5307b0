import Glibc
import Operations

/// A connection to the endpoint that sends whatever a test wants, byte by byte. It never holds a thread.
final class RawClient {
  struct Response: Equatable {
    var status: Int
    /// Names in lower case.
    var fields: [String: String]
    var body: String
  }

  struct Fault: Error {
    let call: String
    let code: Int32
  }

  private let socket: Int32
  private var buffer: [UInt8] = []
  /// The server has sent all it will send.
  private(set) var isAtEnd = false

  init(port: Int, receiveBuffer: Int32? = nil) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw Fault(call: "socket", code: errno) }
    if var size = receiveBuffer { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, 4) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // deinit closes the socket.
    guard connected == 0 else { throw Fault(call: "connect", code: errno) }
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(socket)
  }

  /// Sends, as far as the server takes it.
  /// - Returns: false when the server has gone.
  @discardableResult
  func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) async -> Bool {
    var sent = 0
    for _ in 0..<Self.patience where sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        try? await Task.sleep(for: .milliseconds(2))
      } else {
        return false
      }
    }
    return sent == bytes.count
  }

  /// Ends what this side sends.
  func finishSending() {
    shutdown(socket, Int32(SHUT_WR))
  }

  /// The next response, whole; nil when the server closes before.
  func response(toHead isHead: Bool = false) async -> Response? {
    for _ in 0..<Self.patience {
      if let response = takeResponse(isHead: isHead) { return response }
      if isAtEnd { return nil }
      if !receive() { try? await Task.sleep(for: .milliseconds(2)) }
    }
    return nil
  }

  /// Waits until the server has closed the connection.
  /// - Returns: what came before that; nil when it never closes.
  func end() async -> String? {
    for _ in 0..<Self.patience {
      if isAtEnd { return String(decoding: buffer, as: UTF8.self) }
      if !receive() { try? await Task.sleep(for: .milliseconds(2)) }
    }
    return nil
  }

  /// Two minutes: long enough for any machine.
  private static let patience = 60_000

  private func receive() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(socket, &bytes, bytes.count, 0)
    if count > 0 {
      buffer += bytes.prefix(count)
    } else if count == 0 || errno != EAGAIN {
      isAtEnd = true
    }
    return count > 0
  }

  private func takeResponse(isHead: Bool) -> Response? {
    let text = String(decoding: buffer, as: UTF8.self)
    let marker = "\r\n\r\n"
    guard let headEnd = text.utf8.indices.first(where: { text[$0...].utf8.starts(with: marker.utf8) }) else {
      return nil
    }
    let head = text[..<headEnd]
    var lines = head.split(separator: "\r\n").map(String.init)
    let status = lines.removeFirst().split(separator: " ").dropFirst().first.flatMap { Int($0) }
    let fields = Dictionary(
      lines.compactMap { line -> (String, String)? in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
      }, uniquingKeysWith: { $0 + ", " + $1 })
    let isInterim = status == 100
    let length = isHead || isInterim ? 0 : fields["content-length"].flatMap { Int($0) } ?? 0
    let start = head.utf8.count + 4
    guard buffer.count >= start + length else { return nil }
    let body = String(decoding: buffer[start..<start + length], as: UTF8.self)
    buffer.removeFirst(start + length)
    return Response(status: status ?? 0, fields: fields, body: body)
  }
}

/// A request's text, with Host and, where there is a body, Content-Length.
func request(
  _ method: String, _ target: String, fields: [String: String] = [:], body: String? = nil
) -> String {
  var text = "\(method) \(target) HTTP/1.1\r\n"
  var fields = fields
  if fields["Host"] == nil { fields["Host"] = "localhost" }
  if let body, fields["Content-Length"] == nil { fields["Content-Length"] = "\(body.utf8.count)" }
  for (name, value) in fields.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
  return text + "\r\n" + (body ?? "")
}

/// A request that adds a job.
func submission(_ body: String, fields: [String: String] = [:]) -> String {
  request("POST", "/v1/jobs", fields: fields.merging(["Content-Type": "application/json"]) { $1 }, body: body)
}
