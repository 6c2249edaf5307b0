import Foundation
import JobQueue
import TestSupport
import Testing

/// How a queue gets to its servers, and what it says when it doesn't.
@Suite(.enabled(if: NATSServers.isInstalled, "nats-server is not installed"))
struct NATSConnectionTests {
  private static func options(patience: Double = 3, _ change: (inout QueueOptions) -> Void = { _ in }) -> QueueOptions {
    var options = QueueOptions()
    options.nats.patienceSeconds = patience
    change(&options)
    return options
  }

  /// Opens a queue and adds a job.
  private static func use(_ url: String, _ options: QueueOptions) async throws {
    let queue = try await openQueue(url, options: options)
    try await queue.add("a")
    await queue.close()
  }

  private static func failure(_ url: String, _ options: QueueOptions = options()) async -> QueueFailure? {
    await #expect(throws: QueueFailure.self) { try await use(url, options) }
  }

  @Test(
    "a URL that names no queue is refused with what is wrong with it",
    arguments: [
      ("nats://localhost:4222", "names no stream"), ("nats://localhost:4222/", "names no stream"),
      ("nats://localhost:4222/a.b", "no name for a NATS stream"), ("nats://localhost:4222/a b", "no name"),
      ("nats://localhost:4222/a/b", "no name"), ("nats:///jobs", "no server"), ("nats://localhost:x/jobs", "no server"),
      ("nats://localhost:0/jobs", "no server"), ("nats://localhost:65536/jobs", "no server"),
      ("nats://a,,b/jobs", "no server"), ("nats://a b/jobs", "no server"), ("nats:jobs", "nats://HOST:4222/STREAM"),
      ("nats://u:secret@a,v:other@b/jobs", "different credentials"), ("natss://u:secret@a/jobs", "names no queue"),
      ("nats://u:very,secret@host/jobs", "no server"), ("nats://u:x,secret/y@host/jobs", "no name for a NATS stream"),
      ("nats://u:a/secret@host/jobs", "no name for a NATS stream"), ("nats://u:secret/jobs", "no server"),
      ("nats://secret,u:b@host/jobs,", "no name for a NATS stream"), ("nats://u:secret,x@host:y/jobs", "no server"),
    ])
  func refusesAddresses(url: String, expected: String) async throws {
    let failure = try #require(await Self.failure(url))
    guard case .unusable(let message) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(message.contains(expected))
    #expect(!message.contains("secret") && !message.contains("very"))
  }

  @Test(
    "the environment says how to reach the servers",
    arguments: [
      (["CREDS": "/a"], NATSCredentials.file("/a")), (["NKEY": "/b"], .nkeySeedFile("/b")),
      (["TOKEN": "t"], .token("t")),
      (["USER": "u", "PASSWORD": "p"], .user("u", password: "p")), ([:], .none), (["TOKEN": ""], .none),
    ] as [([String: String], NATSCredentials)])
  func readsEnvironment(values: [String: String], expected: NATSCredentials) throws {
    let pairs = values.map { ("ENCLOSURE_NATS_\($0.key)", $0.value) }
    #expect(try NATSOptions(environment: Dictionary(uniqueKeysWithValues: pairs)).credentials == expected)
  }

  @Test(
    "an environment that contradicts itself is refused",
    arguments: [
      ["CREDS": "/a", "TOKEN": "t"], ["USER": "u"], ["PASSWORD": "p"], ["REPLICAS": "2"], ["REPLICAS": "x"],
      ["CERT_FILE": "/c"], ["INBOX_PREFIX": "a.>"],
    ])
  func refusesEnvironment(values: [String: String]) {
    let pairs = values.map { ("ENCLOSURE_NATS_\($0.key)", $0.value) }
    #expect(throws: QueueFailure.self) { try NATSOptions(environment: Dictionary(uniqueKeysWithValues: pairs)) }
  }

  @Test("user and password open the door, from the URL or the options")
  func authenticatesUsers() async throws {
    let servers = try await NATSServers(configuration: "authorization { user: anna, password: \"s@cret/1\" }")
    try await Self.use("nats://anna:s%40cret%2F1@\(servers.addresses)/url", Self.options())
    let user = Self.options { $0.nats.credentials = .user("anna", password: "s@cret/1") }
    try await Self.use("nats://\(servers.addresses)/options", user)
    for url in ["nats://\(servers.addresses)/none", "nats://anna:wr0ng@\(servers.addresses)/wrong"] {
      let failure = try #require(await Self.failure(url))
      #expect(failure == .unusable("the NATS server refuses the credentials"))
    }
  }

  @Test("a token opens the door")
  func authenticatesTokens() async throws {
    let servers = try await NATSServers(configuration: "authorization { token: \"t0ken\" }")
    try await Self.use("nats://t0ken@\(servers.addresses)/url", Self.options())
    try await Self.use("nats://\(servers.addresses)/options", Self.options { $0.nats.credentials = .token("t0ken") })
  }

  @Test("an NKey opens the door")
  func authenticatesNKeys() async throws {
    // The pair in NATS' own documentation.
    let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
    let key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
    let servers = try await NATSServers(
      configuration: "authorization { users: [ { nkey: \(key) } ] }",
      files: ["seed": "# a user\n\(seed)\n", "none": "nothing\n", "broken": seed.dropLast() + "A\n"])
    func options(_ name: String) -> QueueOptions {
      Self.options { $0.nats.credentials = .nkeySeedFile(servers.path(name)) }
    }
    let url = "nats://\(servers.addresses)/jobs"
    try await Self.use(url, options("seed"))
    for name in ["none", "broken"] {
      let failure = try #require(await Self.failure(url, options(name)))
      #expect(failure.message.contains("holds no seed"))
      #expect(!failure.message.contains("SUAC"))
    }
    #expect(try #require(await Self.failure(url, options("missing"))).message.contains("No such file"))
    let creds = Self.options { $0.nats.credentials = .file(servers.path("none")) }
    let failure = try #require(await Self.failure(url, creds))
    #expect(!failure.message.contains(".c:") && !failure.message.contains("\n"), "\(failure.message)")
  }

  @Test("TLS is used when it is asked for, and the certificate has to be that of the host")
  func checksCertificates() async throws {
    let certificate = try TestCertificate()
    let servers = try await NATSServers(
      configuration: "tls { cert_file: FOLDER/cert.pem, key_file: FOLDER/key.pem }",
      files: ["cert.pem": certificate.certificate, "key.pem": certificate.key])
    let port = try #require(servers.addresses.split(separator: ":").last)
    let trusting = Self.options { $0.nats.tls.authorityFile = servers.path("cert.pem") }
    try await Self.use("tls://localhost:\(port)/jobs", trusting)
    let strangers: [(String, QueueOptions)] = [
      ("tls://localhost:\(port)/jobs", Self.options()), ("tls://127.0.0.1:\(port)/jobs", trusting),
    ]
    for (url, options) in strangers {
      let failure = try #require(await Self.failure(url, options))
      guard case .unusable(let message) = failure else {
        Issue.record("\(url): \(failure)")
        continue
      }
      #expect(message.contains("TLS") && !message.contains(".c:"), "\(message)")
    }
    let plain = try await NATSServers()
    let failure = try #require(await Self.failure("tls://\(plain.addresses)/jobs"))
    #expect(failure.message.contains("offers no TLS"))
  }

  @Test("nobody there is unavailable; no JetStream and a stream of somebody else's are told as such")
  func namesWhatIsMissing() async throws {
    let failure = try #require(await Self.failure("nats://127.0.0.1:1/jobs"))
    // Without the place in the library's source.
    #expect(failure == .unavailable("no NATS server can be reached: No server available for connection"))
    let servers = try await NATSServers()
    let url = "nats://\(servers.addresses)/jobs"
    try await Self.use(url, Self.options())
    let taken = try #require(await Self.failure("\(url)_results"))
    #expect(taken.message.contains("is not one that was made for a queue"))
    #expect(try #require(await Self.failure(url, Self.options { $0.nats.replicas = 2 })).message.contains("1, 3 or 5"))
    let replicated = Self.options { $0.nats.replicas = 3 }
    #expect(try #require(await Self.failure("\(url)3", replicated)).message.contains("replicas"))
  }

  @Test("a server that is gone is unavailable; when it is back, everything goes on")
  func survivesRestarts() async throws {
    let servers = try await NATSServers()
    let url = "nats://\(servers.addresses)/jobs"
    let queue = try await openQueue(url, options: Self.options(patience: 1))
    try await queue.add("a", "b")
    let lease = try await queue.next()
    await servers.kill(0)
    for _ in 0..<2 {
      let failure = await #expect(throws: QueueFailure.self) { try await queue.status() }
      guard case .unavailable = failure else {
        Issue.record("\(failure.debugDescription)")
        return
      }
    }
    await #expect(throws: QueueFailure.self) { try await queue.complete(lease, result: [1]) }
    await #expect(throws: QueueFailure.self) { try await queue.lease(1, seconds: 10, wait: 10) }
    try await servers.start(0)
    #expect(await eventually { (try? await queue.complete(lease, result: [1])) != nil })
    #expect(try await queue.state(of: lease.id) == .completed(result: [1]))
    #expect(try await queue.next().id != lease.id)
    await queue.close()
  }

  @Test("a server that says nothing is unavailable, and what was asked of it happens once")
  func survivesSilence() async throws {
    let servers = try await NATSServers()
    let queue = try await openQueue("nats://\(servers.addresses)/jobs", options: Self.options(patience: 1))
    try await queue.add("a")
    let lease = try await queue.next()
    await servers.freeze(0)
    await #expect(throws: QueueFailure.self) { try await queue.complete(lease, result: [1]) }
    await #expect(throws: QueueFailure.self) { try await queue.enqueue(NewJob(id: "b", body: [])) }
    servers.thaw(0)
    #expect(await eventually { (try? await queue.complete(lease, result: [1])) != nil })
    #expect(await eventually { (try? await queue.enqueue(NewJob(id: "b", body: []))) != nil })
    #expect(try await queue.next().id == "b")
    #expect(try await queue.state(of: "a") == .completed(result: [1]))
    await queue.close()
  }

  @Test("a queue that was deleted is made anew")
  func survivesDeletion() async throws {
    let servers = try await NATSServers(configuration: "jetstream { store_dir: FOLDER/lost }")
    let queue = try await openQueue("nats://\(servers.addresses)/jobs", options: Self.options(patience: 30))
    try await queue.add("a")
    await servers.kill(0)
    try FileManager.default.removeItem(atPath: servers.path("lost"))
    try await servers.start(0)
    #expect(try await queue.enqueue(NewJob(id: "a", body: [1])) == .added)
    #expect(try await queue.next().body == [1])
    await queue.close()
  }
}

/// A certificate for localhost that is its own authority.
private struct TestCertificate {
  var certificate: String
  var key: String

  init() throws {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
      "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "\(folder.path)/key", "-out",
      "\(folder.path)/certificate",
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    certificate = try String(contentsOfFile: "\(folder.path)/certificate", encoding: .utf8)
    key = try String(contentsOfFile: "\(folder.path)/key", encoding: .utf8)
  }
}
