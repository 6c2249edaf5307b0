import Glibc
import Synchronization

/// Real NATS servers on loopback with JetStream, one or a cluster of several, for as long as this object lives.
package final class NATSServers: Sendable {
  package struct Fault: Error {
    package var message: String

    package init(message: String) { self.message = message }
  }

  private static let program =
    (["/usr/sbin/nats-server", "/usr/local/bin/nats-server", "/usr/bin/nats-server"] as [String])
    .first { access($0, X_OK) == 0 }

  /// Whether this machine has what it takes.
  package static var isInstalled: Bool { TestPrograms.mayRun(program != nil) }

  private let folder: TemporaryFolder
  private let ports: [Int]
  private let running: Mutex<[ChildProcess?]>

  /// Starts them, and waits until they listen. A cluster takes some more seconds to choose its leaders.
  /// - Parameters:
  ///   - configuration: more of what stands in their configuration files; `FOLDER` becomes a folder of this object.
  ///   - files: what lies in that folder, by name.
  package init(_ count: Int = 1, configuration: String = "", files: [String: String] = [:]) async throws {
    folder = try TemporaryFolder()
    ports = try (0..<count).map { _ in try freePort() }
    running = Mutex(Array(repeating: nil, count: count))
    for (name, content) in files { try write(content, to: name) }
    let routes = try (0..<count).map { _ in try freePort() }
    for index in 0..<count {
      let cluster = """
        cluster {
          name: test
          listen: 127.0.0.1:\(routes[index])
          routes: [\(routes.map { "nats://127.0.0.1:\($0)" }.joined(separator: ", "))]
        }
        """
      let text = """
        server_name: server\(index)
        listen: 127.0.0.1:\(ports[index])
        jetstream { store_dir: "\(folder.path)/store\(index)", max_file_store: 4GB }
        \(count > 1 ? cluster : "")
        \(configuration.replacing("FOLDER", with: folder.path))
        """
      try write(text, to: "server\(index).conf")
    }
    for index in 0..<count { try await start(index) }
  }

  deinit {
    // With the objects, the processes are killed.
    running.withLock { $0 = [] }
  }

  /// Where they listen, as `nats://` has it: `127.0.0.1:…,127.0.0.1:…`.
  package var addresses: String { ports.map { "127.0.0.1:\($0)" }.joined(separator: ",") }

  /// The path of a file in the folder.
  package func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  package func kill(_ index: Int) async {
    let process = running.withLock { $0[index].take() }
    process?.signal(SIGKILL)
    _ = await process?.wait()
  }

  /// Starts one that was killed; it finds what it had.
  package func start(_ index: Int) async throws {
    guard let program = Self.program else { throw Fault(message: "nats-server is not installed") }
    let arguments = ["-c", path("server\(index).conf")].map { Array($0.utf8) }
    let process = try ChildProcess(program, arguments)
    running.withLock { $0[index] = process }
    let isThere = await eventually { isListening(ports[index]) || process.hasEnded }
    guard isThere, !process.hasEnded else {
      throw Fault(message: "nats-server does not start: \(process.errors)")
    }
  }

  /// Stops one for a while: it keeps its connections, and says nothing.
  package func freeze(_ index: Int) async {
    guard let process = running.withLock({ $0[index] }) else { return }
    process.signal(SIGSTOP)
    // All its threads stand still some moments later.
    try? await Task.sleep(for: .milliseconds(500))
  }

  package func thaw(_ index: Int) { running.withLock { $0[index] }?.signal(SIGCONT) }

  private func write(_ text: String, to name: String) throws {
    guard let file = fopen(path(name), "w") else { throw FileFault(call: "fopen", path: path(name), code: errno) }
    defer { fclose(file) }
    fputs(text, file)
  }
}

private func loopback(_ port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// A port on loopback that nobody uses now, and probably nobody does in a moment.
private func freePort() throws -> Int {
  let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(socket) }
  var address = loopback(0)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
    }
  }
  guard isBound else { throw NATSServers.Fault(message: "no free port") }
  return Int(UInt16(bigEndian: address.sin_port))
}

private func isListening(_ port: Int) -> Bool {
  let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(socket) }
  var address = loopback(port)
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
