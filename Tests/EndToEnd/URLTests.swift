import FoundationEssentials
import Glibc
import RichPush
import Synchronization
import TestSupport
import Testing

@Suite("Sources behind URLs")
struct URLTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func prepare(
    _ sources: String..., options: [String] = [], reaching ports: [Int]
  ) async throws -> (run: Run, manifest: Manifest) {
    let words = ["prepare"] + sources + ["--out", bench.out, "--id", "x"] + options
    let environment = bench.environment(reaching: ports)
    let run = try await enclosure(words.map { Array($0.utf8) }, environment: environment)
    return (run, try JSONDecoder().decode(Manifest.self, from: Data(run.output)))
  }

  @Test(
    "pictures and videos are prepared from a web server, over http and https with its own authority",
    .enabled(if: Nginx.isInstalled, "nginx and openssl are needed"))
  func nginx() async throws {
    let names = ["image/landscape.jpg", "image/webp-named.png", "video/moov-last.mp4", "image/no-extension"]
    let nginx = try await Nginx.serving(
      names.reduce(into: [:]) { $0[lastComponent($1)] = contentOfFile(fixture($1)) })
    let ports = [nginx.port, nginx.tlsPort]
    for (base, options) in [
      ("http://127.0.0.1:\(nginx.port)", []), ("https://localhost:\(nginx.tlsPort)", ["--ca-file", nginx.caFile]),
    ] {
      let words =
        ["prepare"] + names.map { "\(base)/\(lastComponent($0))" } + ["--out", bench.out, "--id", "x"] + options
      let run = try await enclosure(words.map { Array($0.utf8) }, environment: bench.environment(reaching: ports))
      let manifest = try JSONDecoder().decode(Manifest.self, from: Data(run.output))
      #expect(run.status == 0 && manifest.status == .ready, "\(run.errors)")
      #expect(manifest.attachments.map(\.asset.type) == [.jpeg, .jpeg, .mpeg4, .jpeg])
      for (attachment, name) in zip(manifest.attachments, names) {
        let size = contentOfFile(fixture(name))?.count
        #expect(attachment.source.url == "\(base)/\(lastComponent(name))")
        #expect(attachment.source.bytes == size && attachment.source.bytesFetched == size)
      }
      #expect(manifest.warnings.contains { $0.message == "named .png, contains webp" })
    }
    #expect(try await bench.store.faults() == [])
    let missing = try await prepare("http://127.0.0.1:\(nginx.port)/none.jpg", reaching: ports)
    #expect(missing.run.status == 1)
    #expect(missing.manifest.rejections.first?.reason.code == .httpStatus)
    #expect(missing.manifest.rejections.first?.reason.measured == 404)
    let stranger = try await prepare("https://localhost:\(nginx.tlsPort)/landscape.jpg", reaching: ports)
    #expect(stranger.manifest.rejections.first?.reason.code == .fetchFailed)
    #expect(stranger.run.errors.contains("certificate"), "\(stranger.run.errors)")
    #expect(bench.folder.files(below: "tmp") == [])
  }

  /// Answers by the path, whatever the query is.
  private func origin() throws -> FaultyOrigin {
    func content(_ name: String) -> [UInt8] { contentOfFile(fixture(name)) ?? [] }
    let files = [
      "/a.jpg": ("image/jpeg", content("image/orientation-1.jpg")),
      "/webp.png": ("image/png", content("image/lossy.webp")),
      "/page.jpg": ("text/html; charset=utf-8", content("bad/page.jpg")), "/empty.jpg": ("image/jpeg", []),
      "/long.mp4": ("video/mp4", content("video/31-seconds.mp4")),
      "/untyped": ("application/octet-stream", content("image/rgba.png")),
    ]
    return try FaultyOrigin { request in
      let path = String(request.target.prefix { $0 != "?" })
      if let (type, body) = files[path] { return FaultyOrigin.response(200, ["Content-Type: \(type)"], body: body) }
      switch path {
      case "/moved": return FaultyOrigin.redirect(to: "/a.jpg?signature=hunter2-redirect")
      case "/circle": return FaultyOrigin.redirect(to: "/circle?again=hunter2-circle")
      case "/short.jpg": return FaultyOrigin.response(200, body: [0xFF, 0xD8], length: 5000) + [.close]
      case "/reset.jpg": return [.reset]
      case "/huge.mp4":
        return FaultyOrigin.response(200, ["Content-Type: video/mp4"], length: 5_000_000_000) + [.stall]
      default: return FaultyOrigin.response(404, ["Content-Type: text/html"], body: Array("gone".utf8))
      }
    }
  }

  @Test(
    "what a server can answer instead of media becomes a typed rejection",
    arguments: [
      ("/none.jpg", Rejection.Code.httpStatus), ("/page.jpg", .unsupportedType), ("/empty.jpg", .empty),
      ("/short.jpg", .fetchFailed), ("/reset.jpg", .fetchFailed), ("/circle", .tooManyRedirects),
      ("/long.mp4", .videoTooLong), ("/huge.mp4", .tooLarge),
    ])
  func answers(path: String, code: Rejection.Code) async throws {
    let origin = try origin()
    let (run, manifest) = try await prepare(origin.url(path), reaching: [origin.port])
    #expect(run.status == 1)
    let reason = try #require(manifest.rejections.first?.reason)
    #expect(reason.code == code, "\(reason.message)")
    #expect(try run.log.contains { $0["message"] == reason.message && $0["code"] == code.rawValue }, "\(run.errors)")
    #expect(bench.folder.files(below: "tmp") == [])
  }

  @Test("a server that nobody runs, and schemes that nobody fetches, are typed rejections too")
  func unreachable() async throws {
    let origin = try origin()
    let url = origin.url("/a.jpg")
    origin.stop()
    let (run, manifest) = try await prepare(
      url, "ftp://127.0.0.1/a.jpg", "http://", "http://no such host/a.jpg", reaching: [origin.port])
    #expect(run.status == 1)
    #expect(
      manifest.rejections.map(\.reason.code) == [.fetchFailed, .unsupportedScheme, .invalidJob, .invalidJob])
  }

  @Test("a redirect is followed, and the manifest says where it led")
  func redirect() async throws {
    let origin = try origin()
    let (run, manifest) = try await prepare(origin.url("/moved"), reaching: [origin.port])
    #expect(run.status == 0, "\(run.errors)")
    #expect(manifest.attachments.first?.source.url == origin.url("/moved"))
    #expect(manifest.attachments.first?.source.finalURL == origin.url("/a.jpg"))
  }

  @Test("WebP served as image/png is prepared with a warning; a type that says nothing gets none")
  func mismatch() async throws {
    let origin = try origin()
    let (run, manifest) = try await prepare(
      origin.url("/webp.png"), origin.url("/untyped"), reaching: [origin.port])
    #expect(run.status == 0)
    #expect(manifest.warnings.map(\.code) == [.typeMismatch, .typeMismatch])
    #expect(manifest.warnings.first?.message == "served as image/png, contains webp")
    #expect(manifest.warnings.allSatisfy { $0.source == origin.url("/webp.png") })
    #expect(manifest.attachments.first?.source.declaredType == "image/png")
  }

  @Test("no secret of a URL, be it in user info, query or fragment, is in any output or stored file")
  func secrets() async throws {
    let origin = try origin()
    let secret = "?token=hunter2-query#hunter2-fragment"
    let paths = [
      ["/a.jpg", "/moved", "/webp.png", "/long.mp4"], ["/none.jpg", "/circle", "/short.jpg", "/page.jpg"],
      ["/huge.mp4", "/reset.jpg", "/empty.jpg"],
    ]
    for (number, paths) in paths.enumerated() {
      let sources = paths.map { origin.url("\($0)\(secret)", userInfo: "hunter2-user:hunter2-password@") }
      for words in [["prepare"] + sources + ["--out", bench.out], ["inspect"] + sources] {
        let environment = bench.environment(reaching: [origin.port])
        let run = try await enclosure(words.map { Array($0.utf8) }, environment: environment)
        #expect(!run.text.contains("hunter2"), "\(run.text)")
        #expect(!run.errors.contains("hunter2"), "\(run.errors)")
        #expect(run.status == (number == 0 || words[0] == "inspect" ? 0 : 1))
      }
    }
    // Broken ones as well, of which a message may show nothing.
    for source in [
      "http://hunter2-user:hunter2-pass@word@[::/a.jpg?hunter2-query", "http://hunter2-user:hunter2 @127.0.0.1/",
      "gopher://hunter2-user:hunter2-password@127.0.0.1/?hunter2-query",
      "http://hunter2-user:p@:99999999/?hunter2-query",
    ] {
      let run = try await bench.prepare([source])
      #expect(run.status == 1 && !run.text.contains("hunter2") && !run.errors.contains("hunter2"), "\(run.errors)")
    }
    #expect(origin.requests.contains { $0["authorization"] != nil && $0.target.contains("hunter2-query") })
    for path in bench.folder.files() {
      #expect(!path.contains("hunter2"), "\(path)")
      let content = bench.folder.content(path) ?? []
      #expect(content.firstRange(of: Array("hunter2".utf8)) == nil, "\(path)")
    }
  }

  @Test("^C ends a download that hangs, with 130 and nothing stored")
  func interrupted() async throws {
    // The server itself presses ^C, so that it does not matter how long this test has to wait for its turn.
    let client = Mutex<ChildProcess?>(nil)
    let origin = try FaultyOrigin { _ in
      while client.withLock({ $0 == nil }) { usleep(1_000) }
      client.withLock { $0?.signal(SIGINT) }
      return FaultyOrigin.response(200, ["Content-Type: image/jpeg"], length: 1000) + [.stall]
    }
    let words = ["prepare", origin.url("/a.jpg"), "--out", bench.out]
    let environment = bench.environment(reaching: [origin.port])
    let child = try startEnclosure(words.map { Array($0.utf8) }, environment: environment)
    client.withLock { $0 = child }
    let ending = await child.wait()
    client.withLock { $0 = nil }
    #expect(ending == .exited(130), "\(child.errors)")
    #expect(bench.store.files == [] && bench.folder.files(below: "tmp") == [])
  }
}
