import Glibc
import RichPush
import Synchronization
import TestSupport
import Testing
import Transfer

struct LimitTests {
  @Test("a declared length over the limit is refused before any byte of the body")
  func declaredLength() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(length: 5_000_000_000_000) + [.stall] }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .tooLarge && reason.permanent)
    #expect(reason.limit == 500_000_000)
    #expect(reason.measured == 5_000_000_000_000)
    #expect(
      reason.message == "the server announces 5000000000000 bytes; at most 500000000 are fetched of a file")
    #expect(origin.requests.count == 1)
  }

  @Test("a body without end is stopped soon after the limit")
  func endless() async throws {
    let chunk = FaultyOrigin.chunk(jpeg(10_000))
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(200, ["Transfer-Encoding: chunked"]) + [.repeatedly(chunk)]
    }
    var limits = oneAttempt
    limits.maximumBytes = 1_000_000
    let file = try ScratchFile()
    let downloader = QuickDownloader().downloader
    let reason = try await #require(throws: Rejection.Reason.self) {
      _ = try await downloader.download(origin.url(), into: file.descriptor, limits: limits) { _ in .max }
    }
    #expect(reason.code == .tooLarge)
    #expect(reason.limit == 1_000_000)
    #expect(try #require(reason.measured) > 1_000_000)
    #expect(file.contents.count <= 1_000_000)
    #expect(await origin.reaches { $0.openConnections == 0 })
    // What the two sockets' buffers hold has been sent, and no more.
    #expect(origin.bytesSent < 20_000_000)
  }

  @Test("a body of exactly the limit passes, one byte more does not")
  func boundary() async throws {
    let origin = try FaultyOrigin { _ in
      [.send(Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + jpeg(1000)), .close]
    }
    var limits = oneAttempt
    limits.maximumBytes = 1000
    #expect(try await QuickDownloader().fetch(origin.url(), limits: limits).bytes.count == 1000)
    limits.maximumBytes = 999
    #expect(try await QuickDownloader().refusal(origin.url(), limits: limits).code == .tooLarge)
  }

  @Test("the limit of the kind counts as soon as the first bytes have come")
  func byKind() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(200, ["Content-Type: video/mp4"], length: 100_000_000) + [.send(jpeg(16)), .stall]
    }
    let heads = Heads()
    let reason = try await QuickDownloader().refusal(origin.url()) { head in
      heads.append(head)
      return head.probableKind == .image ? 30_000_000 : 500_000_000
    }
    #expect(reason.code == .tooLarge)
    #expect(reason.limit == 30_000_000 && reason.measured == 100_000_000)
    #expect(reason.message == "the server announces 100000000 bytes; at most 30000000 are fetched of an image")
    #expect(
      heads.all == [DownloadHead(declaredType: "video/mp4", declaredBytes: 100_000_000, firstBytes: jpeg(16))])
  }

  @Test("the limit of the kind counts for bodies shorter than a head too")
  func shortByKind() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: jpeg(8)) }
    #expect(try await QuickDownloader().refusal(origin.url()) { _ in 7 }.measured == 8)
  }

  @Test("a header without end is refused")
  func largeHeader() async throws {
    let origin = try FaultyOrigin { _ in
      [
        .send(Array("HTTP/1.1 200 OK\r\n".utf8)),
        .repeatedly(Array("X-Padding: \(String(repeating: "x", count: 900))\r\n".utf8)),
      ]
    }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .fetchFailed && reason.permanent)
    #expect(reason.limit == 65_536)
  }

  @Test("a line of the header without end is refused for good", arguments: ["HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nX: "])
  func longLine(beginning: String) async throws {
    let origin = try FaultyOrigin { _ in
      [.send(Array(beginning.utf8)), .repeatedly([UInt8](repeating: UInt8(ascii: "x"), count: 4096))]
    }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .fetchFailed && reason.permanent)
    #expect(origin.requests.count == 1)
  }

  @Test(
    "an encoded body is refused before it is written",
    arguments: [
      "Content-Encoding: gzip", "content-encoding: BR", "Content-Encoding: identity, gzip",
      "Transfer-Encoding: gzip, chunked",
    ])
  func encoded(field: String) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(200, [field, "Content-Length: 20"], body: jpeg(20)) }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .fetchFailed && reason.permanent)
    #expect(reason.message.hasPrefix("the server sent the body in the coding "))
    #expect(reason.message.hasSuffix(" though Accept-Encoding: identity was asked for"))
  }

  @Test("Content-Encoding: identity is none")
  func identity() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(200, ["Content-Encoding: identity"], body: jpeg(20))
    }
    #expect(try await QuickDownloader().fetch(origin.url()).bytes == jpeg(20))
  }

  @Test("a server that stops sending has stalled")
  func stall() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(length: 1000) + [.send(jpeg(100)), .stall] }
    var limits = oneAttempt
    limits.stallTimeout = 1
    let reason = try await QuickDownloader().refusal(origin.url(), limits: limits)
    #expect(reason.code == .fetchTimeout && !reason.permanent)
    #expect(reason.limit == 1)
    #expect(reason.message.hasSuffix("sent less than 1000 bytes per second for 1 s; 100 bytes had come"))
  }

  @Test("a server that never answers has stalled too")
  func silence() async throws {
    let origin = try FaultyOrigin { _ in [.stall] }
    var limits = oneAttempt
    limits.stallTimeout = 1
    let reason = try await QuickDownloader().refusal(origin.url(), limits: limits)
    #expect(reason.code == .fetchTimeout)
    #expect(reason.message.hasSuffix("; 0 bytes had come"))
  }

  @Test("the total time bounds a body that drips for ever, and is not tried again")
  func total() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(length: 100_000) + [.drip(jpeg(100_000), every: 0.01)]
    }
    var limits = patient
    limits.totalTimeout = 0.5
    let reason = try await QuickDownloader().refusal(origin.url(), limits: limits)
    #expect(reason.code == .fetchTimeout && !reason.permanent)
    #expect(reason.limit == 0.5)
    #expect(reason.message.hasPrefix("the download did not finish within 0.5 s; "))
    #expect(origin.requests.count == 1)
  }

  @Test("connecting is bounded, the TLS handshake included")
  func connecting() async throws {
    let origin = try FaultyOrigin { _ in [.stall] }
    var limits = oneAttempt
    limits.connectTimeout = 0.3
    let reason = try await QuickDownloader().refusal("https://127.0.0.1:\(origin.port)/", limits: limits)
    #expect(reason.code == .fetchTimeout && !reason.permanent)
    #expect(reason.limit == 0.3)
    #expect(reason.message == "no secure connection to 127.0.0.1:\(origin.port) came about within 0.3 s")
  }

  @Test("a full disk is a transient fault of the spool, and not tried again here")
  func fullDisk() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: jpeg(2000)) }
    let full = try #require(fopen("/dev/full", "w"))
    defer { fclose(full) }
    let downloader = QuickDownloader().downloader
    let reason = try await #require(throws: Rejection.Reason.self) {
      _ = try await downloader.download(origin.url(), into: fileno(full)) { _ in .max }
    }
    #expect(reason == Rejection.Reason(.storeFailed, at: .fetch, "the spool is full", permanent: false))
    #expect(origin.requests.count == 1)
  }

  @Test("a descriptor that cannot be written is told as such")
  func badDescriptor() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: jpeg(2000)) }
    let downloader = QuickDownloader().downloader
    let reason = try await #require(throws: Rejection.Reason.self) {
      _ = try await downloader.download(origin.url(), into: -1) { _ in .max }
    }
    #expect(reason.code == .storeFailed)
    #expect(reason.message == "the spool file cannot be written: bad file descriptor")
  }
}

/// Collects what a limit was asked for.
private final class Heads: Sendable {
  private let heads = Mutex<[DownloadHead]>([])

  func append(_ head: DownloadHead) { heads.withLock { $0.append(head) } }
  var all: [DownloadHead] { heads.withLock { $0 } }
}
