import Glibc
import Synchronization

/// A DNS server for one name, whose address changes from one question to the next.
///
/// The C library asks at port 53 only, so this needs the rights to take that, and whoever shall ask here needs a
/// resolv.conf of its own.
final class NameServer: Sendable {
  static let address = "127.7.7.7"

  private let core: Core

  struct Fault: Error {
    let errno: Int32
  }

  /// Whether this process may listen there, and hide a file from a program that it starts.
  static func isPossible() async -> Bool {
    guard access("/usr/bin/unshare", X_OK) == 0, access("/etc/resolv.conf", R_OK) == 0,
      let socket = try? boundSocket()
    else { return false }
    close(socket)
    // Root may do so, but not in every container.
    return (try? await tool("/usr/bin/unshare", ["-m", "true"]).status) == 0
  }

  /// - Parameter answers: the address for the first question, for the second, and so on; the last one stays.
  init(name: String, answers: [[UInt8]]) throws {
    core = Core(socket: try Self.boundSocket(), name: name, answers: answers)
    let context = Unmanaged.passRetained(core)
    var thread = pthread_t()
    guard pthread_create(&thread, nil, serve, context.toOpaque()) == 0 else {
      context.release()
      throw Fault(errno: EAGAIN)
    }
    pthread_detach(thread)
  }

  deinit {
    core.isStopped.store(true, ordering: .releasing)
  }

  /// How often the name's IPv4 address was asked for.
  var questions: Int { core.questions.withLock { $0 } }

  private static func boundSocket() throws -> Int32 {
    let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(53).bigEndian
    inet_pton(AF_INET, Self.address, &address.sin_addr)
    // So that the thread sees when it is to end.
    var patience = timeval(tv_sec: 0, tv_usec: 100_000)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isBound else {
      let code = errno
      close(socket)
      throw Fault(errno: code)
    }
    return socket
  }
}

private final class Core: Sendable {
  let isStopped = Atomic(false)
  let questions = Mutex(0)
  private let socket: Int32
  private let name: [UInt8]
  private let answers: [[UInt8]]

  init(socket: Int32, name: String, answers: [[UInt8]]) {
    self.socket = socket
    self.name = name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    self.answers = answers
  }

  deinit {
    close(socket)
  }

  func run() {
    var buffer = [UInt8](repeating: 0, count: 512)
    var sender = sockaddr_storage()
    while !isStopped.load(ordering: .acquiring) {
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      withUnsafeMutablePointer(to: &sender) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sender in
          let count = recvfrom(socket, &buffer, buffer.count, 0, sender, &length)
          guard count > 12, let response = response(to: Array(buffer[..<count])) else { return }
          sendto(socket, response, response.count, Int32(MSG_NOSIGNAL), sender, length)
        }
      }
    }
  }

  /// RFC 1035 section 4: a header of 12 bytes, the question, and one address, that may not be kept.
  private func response(to query: [UInt8]) -> [UInt8]? {
    let end = 12 + name.count + 4
    guard query.count >= end else { return nil }
    let isOurs = Array(query[12..<12 + name.count]) == name
    let isForIPv4 = Array(query[(end - 4)..<end]) == [0, 1, 0, 1]
    var records: [UInt8] = []
    if isOurs && isForIPv4 {
      let number = questions.withLock { number in
        defer { number += 1 }
        return number
      }
      records = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4] + answers[min(number, answers.count - 1)]
    }
    // An answer with authority, and no error or "no such name".
    let header = query[..<2] + [0x84, isOurs ? 0 : 3, 0, 1, 0, records.isEmpty ? 0 : 1, 0, 0, 0, 0]
    return header + query[12..<end] + records
  }
}

private func serve(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Core>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
