import RichPush
import TestSupport
import Testing
import Transfer

struct FaultTests {
  @Test(
    "a status that will not change is permanent and asked for once",
    arguments: [300, 304, 400, 401, 403, 404, 410, 418, 451])
  func permanentStatus(status: Int) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(status) }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .httpStatus && reason.permanent)
    #expect(reason.measured == Double(status))
    #expect(reason.message.hasPrefix("the server answered with status \(status)"))
    #expect(origin.requests.count == 1)
  }

  @Test("a status that may pass is transient and tried again", arguments: [408, 425, 429, 500, 502, 503, 504, 599])
  func transientStatus(status: Int) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(status) }
    let downloader = QuickDownloader()
    let reason = try await downloader.refusal(origin.url())
    #expect(reason.code == .httpStatus && !reason.permanent)
    #expect(reason.measured == Double(status))
    #expect(origin.requests.count == 3)
    #expect(downloader.pauses == [0.5, 1])
  }

  @Test("a server that recovers is forgiven, and nothing of its error is left in the file")
  func flapping() async throws {
    let origin = try FaultyOrigin { request in
      request.attempt < 3
        ? FaultyOrigin.response(503, body: jpeg(5000)) : FaultyOrigin.response(body: jpeg(100))
    }
    let fetched = try await QuickDownloader().fetch(origin.url())
    #expect(fetched.bytes == jpeg(100))
    #expect(fetched.download.attempts == 3)
  }

  @Test("an attempt that broke off leaves nothing behind, and its bytes are counted as fetched")
  func restart() async throws {
    let origin = try FaultyOrigin { request in
      request.attempt == 1
        ? FaultyOrigin.response(length: 9000) + [.send(jpeg(8000)), .close] : FaultyOrigin.response(body: jpeg(50))
    }
    let fetched = try await QuickDownloader().fetch(origin.url())
    #expect(fetched.bytes == jpeg(50))
    #expect(fetched.download.bytes == 50)
    #expect(fetched.download.bytesFetched == 8050)
  }

  @Test(
    "Retry-After is honoured, within bounds, on top of the jitter",
    arguments: [("7", 7.5), ("86400", 30.5), ("0", 0.5), ("-5", 0.5), ("soon", 0.5)])
  func retryAfter(value: String, pause: Double) async throws {
    let origin = try FaultyOrigin { request in
      request.attempt == 1
        ? FaultyOrigin.response(503, ["Retry-After: \(value)"]) : FaultyOrigin.response(body: jpeg(100))
    }
    let downloader = QuickDownloader()
    _ = try await downloader.fetch(origin.url())
    #expect(downloader.pauses == [pause])
  }

  @Test("Retry-After may be a date")
  func retryDate() async throws {
    let origin = try FaultyOrigin { request in
      request.attempt == 1
        ? FaultyOrigin.response(429, ["Retry-After: Fri, 01 Jan 2100 00:00:00 GMT"])
        : FaultyOrigin.response(body: jpeg(100))
    }
    let downloader = QuickDownloader()
    _ = try await downloader.fetch(origin.url())
    #expect(downloader.pauses == [30.5])
  }

  @Test("pauses double up to their bound")
  func backoff() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(500) }
    var limits = patient
    limits.attempts = 8
    let downloader = QuickDownloader()
    _ = try await downloader.refusal(origin.url(), limits: limits)
    #expect(downloader.pauses == [0.5, 1, 2, 4, 8, 10, 10])
  }

  @Test("a body shorter than announced has failed")
  func shortBody() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(length: 5000) + [.send(jpeg(1234)), .close] }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(
      reason == Rejection.Reason(.fetchFailed, at: .fetch, "the body ended after 1234 of 5000 bytes", permanent: false))
    #expect(origin.requests.count == 3)
  }

  @Test("a chunked body without its end has failed")
  func missingChunk() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(200, ["Transfer-Encoding: chunked"]) + [.send(FaultyOrigin.chunk(jpeg(300))), .close]
    }
    let reason = try await QuickDownloader().refusal(origin.url(), limits: oneAttempt)
    #expect(reason.code == .fetchFailed && !reason.permanent)
    #expect(reason.message == "the body ended after 300 bytes, before its last chunk")
  }

  @Test("a connection that is reset within the body has failed, and says after how much")
  func reset() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(length: 5000) + [.send(jpeg(1000)), .wait(seconds: 0.2), .reset]
    }
    let reason = try await QuickDownloader().refusal(origin.url(), limits: oneAttempt)
    #expect(reason.code == .fetchFailed && !reason.permanent)
    #expect(
      reason.message == "the connection to 127.0.0.1:\(origin.port) broke after 1000 bytes of the body"
        + ": connection reset by peer")
  }

  @Test("a connection that closes without an answer has failed")
  func noAnswer() async throws {
    let origin = try FaultyOrigin { _ in [.close] }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .fetchFailed && !reason.permanent)
    #expect(reason.message == "127.0.0.1:\(origin.port) closed the connection without an answer")
    #expect(origin.requests.count >= 3)
  }

  @Test(
    "an answer that is not HTTP is refused for good", arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 banana\r\n\r\n"])
  func notHTTP(answer: String) async throws {
    let origin = try FaultyOrigin { _ in [.send(Array(answer.utf8)), .close] }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .fetchFailed && reason.permanent)
    #expect(reason.message == "127.0.0.1:\(origin.port) does not answer in proper HTTP")
  }

  @Test(
    "a bad Content-Length is refused",
    arguments: [
      "-5", "banana", "1e3", "0x14", "+20", "20, 5", "5, 20", "20\r\nContent-Length: 5", "5\r\nContent-Length: 20",
      "99999999999999999999",
    ])
  func badLength(value: String) async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(200, ["Content-Length: \(value)"], body: jpeg(20)) + [.close]
    }
    #expect(try await QuickDownloader().refusal(origin.url(), limits: oneAttempt).code == .fetchFailed)
  }

  @Test(
    "a Content-Length that is repeated, or overridden by chunks, is none that contradicts itself",
    arguments: ["20, 20", "20\r\nContent-Length: 20", "5\r\nTransfer-Encoding: chunked"])
  func repeatedLength(value: String) async throws {
    let origin = try FaultyOrigin { _ in
      let body = value.contains("chunked") ? FaultyOrigin.chunk(jpeg(20)) + FaultyOrigin.chunk([]) : jpeg(20)
      return FaultyOrigin.response(200, ["Content-Length: \(value)"], body: body) + [.close]
    }
    #expect(try await QuickDownloader().fetch(origin.url()).bytes == jpeg(20))
  }

  @Test("a body of no bytes is empty", arguments: [200, 204])
  func empty(status: Int) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(status) }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .empty && reason.permanent)
    #expect(origin.requests.count == 1)
  }

  @Test("a part of the file, when the whole was asked for, is refused")
  func partialContent() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(206, ["Content-Range: bytes 0-19/4000"], body: jpeg(20))
    }
    #expect(try await QuickDownloader().refusal(origin.url()).code == .fetchFailed)
  }

  @Test("nobody listening is transient")
  func refusedConnection() async throws {
    let origin = try FaultyOrigin { _ in [] }
    let url = origin.url()
    let port = origin.port
    origin.stop()
    let reason = try await QuickDownloader().refusal(url)
    #expect(reason.code == .fetchFailed && !reason.permanent)
    #expect(reason.message == "could not connect to 127.0.0.1:\(port): connection refused")
  }

  @Test("a name that does not resolve is transient")
  func unknownHost() async throws {
    // RFC 6761: .invalid never resolves. Where there is no resolver at all, the lookup may time out instead.
    let reason = try await QuickDownloader().refusal("http://media.invalid/?token=hunter2", limits: oneAttempt)
    #expect((reason.code == .fetchFailed || reason.code == .fetchTimeout) && !reason.permanent)
    #expect(reason.message.contains("media.invalid"))
    #expect(!reason.message.contains("hunter2"))
  }

  @Test(
    "no secret of a URL is in any reason",
    arguments: ["/status", "/short", "/loop", "/reset", "/file", "/silent"])
  func secrets(target: String) async throws {
    let origin = try FaultyOrigin { request in
      switch String(request.target.prefix { $0 != "?" }) {
      case "/status": FaultyOrigin.response(404)
      case "/short": FaultyOrigin.response(length: 100) + [.send(jpeg(10)), .close]
      case "/loop": FaultyOrigin.redirect(to: "/loop?hunter2")
      case "/reset": [.reset]
      case "/file": FaultyOrigin.redirect(to: "file:///hunter2")
      default: [.close]
      }
    }
    let url = origin.url("\(target)?hunter2", userInfo: "hunter2:hunter2@")
    let reason = try await QuickDownloader().refusal(url)
    #expect(!"\(reason)".contains("hunter2"))
  }
}
