import RichPush
import TestSupport
import Testing
import Transfer

@Suite(.enabled(if: Nginx.isInstalled, "nginx and openssl are needed"))
struct NginxTests {
  @Test("two hundred files come over few connections")
  func keepAlive() async throws {
    let nginx = try await Nginx.serving(["a.jpg": jpeg(20_000)])
    let downloader = QuickDownloader { $0.concurrentTransfersPerHost = 8 }
    try await withThrowingTaskGroup { [port = nginx.port] group in
      for number in 0..<200 {
        group.addTask {
          let fetched = try await downloader.fetch("http://127.0.0.1:\(port)/a.jpg?\(number)")
          #expect(fetched.bytes.count == 20_000)
          #expect(fetched.download.declaredType == "image/jpeg")
        }
      }
      try await group.waitForAll()
    }
    #expect(nginx.log.count == 200)
    #expect(Set(nginx.log.map(\.connection)).count <= 8)
  }

  @Test("HTTP/2 is spoken over TLS, many requests on a connection")
  func http2() async throws {
    let nginx = try await Nginx.serving(["a.jpg": jpeg(20_000)])
    let downloader = QuickDownloader { [file = nginx.caFile] in $0.caFile = file }
    let first = try await downloader.fetch("https://localhost:\(nginx.tlsPort)/a.jpg")
    #expect(first.download.timings.tlsHandshake > 0)
    try await withThrowingTaskGroup { [port = nginx.tlsPort] group in
      for _ in 0..<50 {
        group.addTask {
          let fetched = try await downloader.fetch("https://localhost:\(port)/a.jpg")
          #expect(fetched.bytes == jpeg(20_000))
        }
      }
      try await group.waitForAll()
    }
    #expect(nginx.log.count == 51)
    #expect(nginx.log.allSatisfy { $0.protocolVersion == "HTTP/2.0" })
    #expect(Set(nginx.log.map(\.connection)).count == 1)
  }

  @Test("a certificate for another name, or from nobody known, is refused for good")
  func certificates() async throws {
    let nginx = try await Nginx.serving(["a.jpg": jpeg(100)])
    let trusting = QuickDownloader { [file = nginx.caFile] in $0.caFile = file }
    let mismatch = try await trusting.refusal("https://127.0.0.1:\(nginx.tlsPort)/a.jpg")
    #expect(mismatch.code == .fetchFailed && mismatch.permanent)
    #expect(mismatch.message == "the certificate does not match the host 127.0.0.1")

    let untrusted = try await QuickDownloader().refusal("https://localhost:\(nginx.tlsPort)/a.jpg")
    #expect(untrusted.code == .fetchFailed && untrusted.permanent)
    #expect(untrusted.message == "the certificate of localhost:\(nginx.tlsPort) is self-signed")

    let missing = QuickDownloader { $0.caFile = "/nonexistent/ca.pem" }
    let unreadable = try await missing.refusal("https://localhost:\(nginx.tlsPort)/a.jpg")
    #expect(unreadable.message == "the file with trusted certificates cannot be read")
  }

  @Test("a certificate out of its time is refused for good, and says how", arguments: [Nginx.Validity.past, .future])
  func validity(validity: Nginx.Validity) async throws {
    let nginx = try await Nginx.serving(["a.jpg": jpeg(100)], validity: validity)
    let trusting = QuickDownloader { [file = nginx.caFile] in $0.caFile = file }
    let reason = try await trusting.refusal("https://localhost:\(nginx.tlsPort)/a.jpg")
    #expect(reason.code == .fetchFailed && reason.permanent)
    let what = validity == .past ? "has expired" : "is not valid yet"
    #expect(reason.message == "the certificate of localhost:\(nginx.tlsPort) \(what)")
  }

  @Test("once HTTP/2 is known, many more requests run at once, still on one connection")
  func streams() async throws {
    let (first, last) = (Array(jpeg(2000).prefix(1000)), Array(jpeg(2000).suffix(1000)))
    let origin = try FaultyOrigin { request in
      FaultyOrigin.response(length: 2000) + [.send(first), .wait(seconds: request.target == "/0" ? 0 : 1), .send(last)]
    }
    let nginx = try await Nginx.serving([:], proxying: origin.port)
    let downloader = QuickDownloader { [file = nginx.caFile] in $0.caFile = file }
    let base = "https://localhost:\(nginx.tlsPort)/origin"
    _ = try await downloader.fetch("\(base)/0")
    try await withThrowingTaskGroup { group in
      for number in 1...50 {
        group.addTask {
          let bytes = try await downloader.fetch("\(base)/\(number)").bytes
          #expect(bytes == jpeg(2000))
        }
      }
      try await group.waitForAll()
    }
    #expect(origin.mostConnections > 8)
    #expect(Set(nginx.log.map(\.connection)).count == 1)
  }

  @Test("an HTTP/2 stream that breaks off has failed, and is resumed", arguments: ["length", "chunks"])
  func brokenStream(framing: String) async throws {
    let origin = try FaultyOrigin { request in
      guard request.attempt == 1 else { return FaultyOrigin.ranged(request, body: movie(300_000)) }
      let start = Array(movie(300_000).prefix(120_000))
      return framing == "length"
        ? FaultyOrigin.response(200, ["ETag: \"v1\""], length: 300_000)
          + [.send(start), .wait(seconds: 0.3), .close]
        : FaultyOrigin.response(200, ["ETag: \"v1\"", "Transfer-Encoding: chunked"])
          + [.send(FaultyOrigin.chunk(start)), .wait(seconds: 0.3), .close]
    }
    let nginx = try await Nginx.serving([:], proxying: origin.port)
    let downloader = QuickDownloader { [file = nginx.caFile] in $0.caFile = file }
    let fetched = try await downloader.fetch("https://localhost:\(nginx.tlsPort)/origin/a.mp4")
    #expect(fetched.bytes == movie(300_000))
    #expect(fetched.download.attempts == 2 && fetched.download.sha256 != nil)
    #expect(origin.requests.map { $0["range"] }.last == "bytes=120000-\(framing == "length" ? "299999" : "")")
    #expect(nginx.log.allSatisfy { $0.protocolVersion == "HTTP/2.0" })
  }

  @Test("a file comes in parts from nginx, by its entity tag")
  func parts() async throws {
    let nginx = try await Nginx.serving(["a.mp4": movie(2_000_000)])
    let fetched = try await QuickDownloader().fetch(
      "http://127.0.0.1:\(nginx.port)/a.mp4",
      examine: { body in body.available.count == 1 ? .needs(1_900_000..<1_900_008) : .enough })
    #expect(fetched.bytes == movie(2_000_000))
    #expect(nginx.log.map(\.status) == [206, 206, 206])
    #expect(fetched.download.bytesFetched == 2_016_384, "a small piece comes twice, so that all is in order")
    #expect(fetched.download.sha256 != nil)
  }

  @Test("TLS to a port that speaks none fails, and says so")
  func plainPort() async throws {
    let nginx = try await Nginx.serving([:])
    let reason = try await QuickDownloader().refusal("https://localhost:\(nginx.port)/", limits: oneAttempt)
    #expect(reason.code == .fetchFailed)
    #expect(
      reason.message == "the TLS handshake with localhost:\(nginx.port) failed; the port may not speak TLS")
  }
}
