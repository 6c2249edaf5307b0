import Foundation
import Glibc

/// A real nginx on loopback, serving one folder over http and https (HTTP/2 too), for as long as this object lives.
///
/// Its certificate is made for the occasion, for `localhost` and all names in `nginx.test`, and is its own authority.
package final class Nginx: Sendable {
  package let port: Int
  package let tlsPort: Int
  /// The certificate to trust, PEM.
  package var caFile: String { folder.appending(path: "certificate.pem").path }
  private let folder: URL
  private let process: pid_t

  package struct Fault: Error {
    package var message: String
  }

  private static let program = (["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"] as [String]).first {
    access($0, X_OK) == 0
  }
  private static let openssl = "/usr/bin/openssl"

  /// Whether this machine has what it takes.
  package static var isInstalled: Bool { TestPrograms.mayRun(program != nil && access(openssl, X_OK) == 0) }

  /// Starts it, on a thread where waiting for other processes does no harm.
  ///
  /// - Parameters:
  ///   - files: the contents of the served files, by name. Each is also below `/fresh/`, where it may be kept for an
  ///     hour without asking.
  ///   - validity: when its certificate counts.
  ///   - origin: the port of a server on loopback from which it gets everything below `/origin/`.
  package static func serving(
    _ files: [String: [UInt8]], validity: Validity = .now, proxying origin: Int? = nil
  ) async throws -> Nginx {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(with: Result { try Nginx(files: files, validity: validity, origin: origin) })
      }
    }
  }

  /// When a certificate counts.
  package enum Validity: Sendable {
    case past, now, future

    /// Start and end as openssl takes them; nil where the defaults do.
    fileprivate var dates: (start: String, end: String)? {
      switch self {
      case .past: ("20200101000000Z", "20200102000000Z")
      case .now: nil
      case .future: ("20900101000000Z", "20900102000000Z")
      }
    }
  }

  private init(files: [String: [UInt8]], validity: Validity, origin: Int?) throws {
    guard let program = Self.program else { throw Fault(message: "nginx is not installed") }
    folder = FileManager.default.temporaryDirectory.appending(path: "enclosure-nginx-\(UUID().uuidString)")
    let root = folder.appending(path: "root")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    for (name, bytes) in files { try Data(bytes).write(to: root.appending(path: name)) }
    try Self.makeCertificate(in: folder.path, validity)
    (port, tlsPort) = (try Self.freePort(), try Self.freePort())
    let configuration = Self.configuration(folder.path, port: port, tlsPort: tlsPort, origin: origin)
    try configuration.write(to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)

    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = [
      "-p", folder.path, "-c", folder.appending(path: "nginx.conf").path, "-e", folder.appending(path: "errors").path,
    ]
    try process.run()
    self.process = process.processIdentifier
    for _ in 0..<3000 where process.isRunning && !Self.isListening(tlsPort) { usleep(10_000) }
    guard process.isRunning, Self.isListening(port) else {
      let errors = try? String(contentsOf: folder.appending(path: "errors"), encoding: .utf8)
      throw Fault(message: "nginx does not start: \(errors ?? "")")
    }
  }

  deinit {
    // Not SIGTERM: Swift's worker threads block signals, and a child inherits that.
    kill(process, SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }

  /// One served request.
  package struct Entry: Sendable {
    /// The number of the connection, as nginx counts.
    package var connection: Int
    package var protocolVersion: String
    package var target: String
    package var status: Int
    package var bytesSent: Int
  }

  /// The access log so far. nginx writes a line when a response has ended.
  package var log: [Entry] {
    let text = (try? String(contentsOf: folder.appending(path: "access"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 5, let connection = Int(words[0]), let status = Int(words[3]), let sent = Int(words[4])
      else { return nil }
      return Entry(
        connection: connection, protocolVersion: words[1], target: words[2], status: status, bytesSent: sent)
    }
  }

  /// Serves other bytes under a name from now on.
  package func replace(_ name: String, with bytes: [UInt8]) throws {
    try Data(bytes).write(to: folder.appending(path: "root/\(name)"), options: .atomic)
  }

  private static func configuration(_ folder: String, port: Int, tlsPort: Int, origin: Int?) -> String {
    let proxy = origin.map { origin in
      """
      location /origin/ {
        proxy_pass http://127.0.0.1:\(origin)/; proxy_http_version 1.1; proxy_buffering off; proxy_set_header Connection "";
      }
      """
    }
    return """
      daemon off;
      master_process off;
      pid \(folder)/pid;
      events { worker_connections 2048; }
      http {
        log_format test '$connection $server_protocol $request_uri $status $bytes_sent';
        access_log \(folder)/access test;
        client_body_temp_path \(folder)/t1; proxy_temp_path \(folder)/t2; fastcgi_temp_path \(folder)/t3;
        uwsgi_temp_path \(folder)/t4; scgi_temp_path \(folder)/t5;
        types { image/jpeg jpg; }
        server {
          listen 127.0.0.1:\(port);
          listen 127.0.0.1:\(tlsPort) ssl http2;
          ssl_certificate \(folder)/certificate.pem;
          ssl_certificate_key \(folder)/key.pem;
          root \(folder)/root;
          location /fresh/ { alias \(folder)/root/; expires 1h; }
          \(proxy ?? "")
        }
      }
      """
  }

  private static func makeCertificate(in folder: String, _ validity: Validity) throws {
    let names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:*.nginx.test"]
    let request = [
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(folder)/key.pem",
    ]
    guard let dates = validity.dates else {
      return try run(openssl, request + names + ["-x509", "-days", "2", "-out", "\(folder)/certificate.pem"])
    }
    // `req` takes no dates; `ca` does, and wants a configuration and a database.
    try run(openssl, request + names + ["-out", "\(folder)/request.pem"])
    try Data().write(to: URL(filePath: "\(folder)/database"))
    let configuration = """
      [ca]
      default_ca = test
      [test]
      database = \(folder)/database
      new_certs_dir = \(folder)
      rand_serial = yes
      default_md = sha256
      policy = any
      copy_extensions = copy
      [any]
      commonName = supplied
      """
    try configuration.write(toFile: "\(folder)/ca.conf", atomically: true, encoding: .utf8)
    try run(
      openssl,
      [
        "ca", "-batch", "-notext", "-selfsign", "-config", "\(folder)/ca.conf", "-keyfile", "\(folder)/key.pem", "-in",
        "\(folder)/request.pem", "-out", "\(folder)/certificate.pem", "-startdate", dates.start, "-enddate", dates.end,
      ])
  }

  private static func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Fault(message: "\(program) failed") }
  }

  private static func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// A port that nobody uses now, and probably nobody does in a moment.
  private static func freePort() throws -> Int {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard isBound else { throw Fault(message: "no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func isListening(_ port: Int) -> Bool {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = address(port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
