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

  @Test("TLS to a port that speaks none fails, and says so")
  func plainPort() async throws {
    let nginx = try await Nginx.serving([:])
    let reason = try await QuickDownloader().refusal("https://localhost:\(nginx.port)/", limits: oneAttempt)
    #expect(reason.code == .fetchFailed)
    #expect(
      reason.message == "the TLS handshake with localhost:\(nginx.port) failed; the port may not speak TLS")
  }
}
