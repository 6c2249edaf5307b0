import RichPush
import TestSupport
import Testing
import Transfer

struct RangeTests {
  private let body = movie(300_000)

  @Test("what may be a video is asked for by its first 64 KiB, then for the rest of the same version")
  func beginning() async throws {
    let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: movie(300_000)) }
    let fetched = try await QuickDownloader().fetch(origin.url("/clip"))
    #expect(fetched.bytes == body)
    #expect(fetched.download.sha256 != nil)
    #expect(fetched.download.status == 200)
    #expect(fetched.download.requests == 2 && fetched.download.attempts == 1)
    #expect(fetched.download.bytesFetched == 300_000)
    #expect(fetched.download.headers.etag == "\"v1\"")
    #expect(origin.requests.map { $0["range"] } == ["bytes=0-65535", "bytes=65536-299999"])
    #expect(origin.requests.map { $0["if-range"] } == [nil, "\"v1\""])
    #expect(origin.connections == 1)
  }

  @Test("pictures and sound are asked for as a whole", arguments: ["/a.jpg", "/a.b/c.PNG?x=1", "/song.mp3"])
  func whole(target: String) async throws {
    let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: jpeg(100_000)) }
    #expect(try await QuickDownloader().fetch(origin.url(target)).bytes == jpeg(100_000))
    #expect(origin.requests.map { $0["range"] } == [nil])
  }

  @Test("a small body is there with the first request", arguments: [1, 16, 65_535, 65_536, 65_537])
  func small(count: Int) async throws {
    let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: jpeg(count)) }
    #expect(try await QuickDownloader().fetch(origin.url("/a")).bytes == jpeg(count))
    #expect(origin.requests.count == (count > 65_536 ? 2 : 1))
  }

  @Test("an empty file that has no part is empty")
  func empty() async throws {
    let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: []) }
    #expect(try await QuickDownloader().refusal(origin.url("/a")).code == .empty)
    #expect(origin.requests.map { $0["range"] } == ["bytes=0-65535", nil])
  }

  @Test("without a validator that is strong the whole is asked for, so that versions never mix")
  func noValidator() async throws {
    let dates = ["Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT", "Date: Mon, 02 Nov 2026 10:00:01 GMT"]
    for fields in [[], ["ETag: W/\"v1\""], ["ETag: W/\"v1\""] + dates, [dates[0]]] {
      let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: movie(300_000), etag: nil, fields: fields) }
      #expect(try await QuickDownloader().fetch(origin.url("/a")).bytes == body)
      #expect(origin.requests.map { $0["range"] } == ["bytes=0-65535", nil])
    }
  }

  @Test("a date of modification is a validator when the response is younger")
  func dateValidator() async throws {
    let date = "Mon, 02 Nov 2026 10:00:00 GMT"
    let origin = try FaultyOrigin { request in
      var request = request
      request.fields.removeAll { $0.name == "if-range" }
      return FaultyOrigin.ranged(
        request, body: movie(300_000), etag: nil,
        fields: ["Last-Modified: \(date)", "Date: Mon, 02 Nov 2026 10:00:01 GMT"])
    }
    #expect(try await QuickDownloader().fetch(origin.url("/a")).bytes == body)
    #expect(origin.requests.map { $0["if-range"] } == [nil, date])
  }

  @Test("a broken download goes on where it broke off, with its hash")
  func resume() async throws {
    let origin = try FaultyOrigin { request in
      switch request.attempt {
      case 1:
        FaultyOrigin.response(200, ["ETag: \"v1\""], length: 300_000)
          + [.send(Array(movie(300_000).prefix(120_000))), .close]
      case 2:
        FaultyOrigin.brokenPart(
          120_000..<300_000, of: 300_000, sending: Array(movie(300_000)[120_000..<200_000]))
      default: FaultyOrigin.ranged(request, body: movie(300_000))
      }
    }
    let fetched = try await QuickDownloader().fetch(origin.url("/a.mp4"))
    #expect(fetched.bytes == body)
    #expect(fetched.download.sha256 != nil)
    #expect(fetched.download.attempts == 3 && fetched.download.bytesFetched == 300_000)
    #expect(
      origin.requests.map { $0["range"] } == ["bytes=0-65535", "bytes=120000-299999", "bytes=200000-299999"])
  }

  @Test("a download that broke off starts over when there is another version by then")
  func otherVersion() async throws {
    let newer = Array(movie(250_000).reversed())
    let origin = try FaultyOrigin { request in
      request.attempt == 1
        ? FaultyOrigin.response(200, ["ETag: \"v1\""], length: 300_000)
          + [.send(Array(movie(300_000).prefix(120_000))), .close]
        : FaultyOrigin.ranged(request, body: newer, etag: "\"v2\"")
    }
    let fetched = try await QuickDownloader().fetch(origin.url("/a.mp4"))
    #expect(fetched.bytes == newer)
    #expect(fetched.download.headers.etag == "\"v2\"")
    #expect(origin.requests.count == 2)
  }

  @Test(
    "a part that is not what was asked for is not used",
    arguments: [
      "Content-Range: bytes 0-99999/300000", "Content-Range: bytes 65536-299999/300001",
      "Content-Range: bytes 65536-65999/300000", "Content-Range: bytes banana", "X: y",
      "Content-Range: bytes 65536-299999/300000\r\nETag: \"v2\"",
    ])
  func wrongPart(field: String) async throws {
    let origin = try FaultyOrigin { request in
      guard request["range"] == "bytes=65536-299999" else {
        return FaultyOrigin.ranged(request, body: movie(300_000))
      }
      return FaultyOrigin.response(206, [field], body: Array(movie(300_000)[65_536...]))
    }
    #expect(try await QuickDownloader().fetch(origin.url("/a")).bytes == body)
    #expect(origin.requests.map { $0["range"] } == ["bytes=0-65535", "bytes=65536-299999", nil])
  }

  @Test("a part without the entity tag of the version that is there is not used")
  func untaggedPart() async throws {
    let newer = Array(movie(300_000).reversed())
    let origin = try FaultyOrigin { request in
      guard let range = request.range(of: newer.count), range.lowerBound > 0 else {
        return FaultyOrigin.ranged(request, body: request["range"] == nil ? newer : movie(300_000))
      }
      return FaultyOrigin.response(206, ["Content-Range: bytes 65536-299999/300000"], body: Array(newer[range]))
    }
    #expect(try await QuickDownloader().fetch(origin.url("/a")).bytes == newer)
    #expect(origin.requests.map { $0["range"] } == ["bytes=0-65535", "bytes=65536-299999", nil])
  }

  @Test("a server that sends a body in small pieces is asked for the whole")
  func smallPieces() async throws {
    let origin = try FaultyOrigin { request in
      var request = request
      if let range = request.range(of: 3_000_000), range.lowerBound > 0 {
        request.fields.removeAll { $0.name == "range" }
        request.fields.append(("range", "bytes=\(range.lowerBound)-\(range.lowerBound + 99_999)"))
      }
      return FaultyOrigin.ranged(request, body: movie(3_000_000))
    }
    #expect(try await QuickDownloader().fetch(origin.url("/a.mp4")).bytes == movie(3_000_000))
    #expect(origin.requests.map { $0["range"] } == ["bytes=0-65535", "bytes=65536-2999999", nil])
  }

  @Test("a redirect that leads to another query the next time brings another file, whatever its entity tag is")
  func otherQuery() async throws {
    let other = Array(movie(300_000).reversed())
    let origin = try FaultyOrigin { request in
      switch (request.target, request.attempt) {
      case ("/a.gif", let attempt): FaultyOrigin.redirect(to: "/b.gif?\(attempt)")
      case ("/b.gif?1", _):
        FaultyOrigin.response(200, ["ETag: \"v1\""], length: 300_000)
          + [.send(Array(movie(300_000).prefix(120_000))), .close]
      default: FaultyOrigin.ranged(request, body: other)
      }
    }
    #expect(try await QuickDownloader().fetch(origin.url("/a.gif")).bytes == other)
  }

  @Test(
    "a first part that is none is not used",
    arguments: ["bytes 5-70000/300000", "bytes 0-299999/300000", "bytes */300000", "pages 0-9/30"])
  func wrongBeginning(field: String) async throws {
    let origin = try FaultyOrigin { request in
      request["range"] == nil
        ? FaultyOrigin.response(body: movie(300_000))
        : FaultyOrigin.response(206, ["Content-Range: \(field)"], body: movie(300_000))
    }
    #expect(try await QuickDownloader().fetch(origin.url("/a")).bytes == body)
    #expect(origin.requests.map { $0["range"] } == ["bytes=0-65535", nil])
  }

  @Test("a part without a length that ends early is short")
  func shortPart() async throws {
    let origin = try FaultyOrigin { request in
      request.attempt == 1
        ? [
          .send(
            Array(
              "HTTP/1.1 206 Test\r\nETag: \"v1\"\r\nContent-Range: bytes 0-65535/300000\r\n\r\n".utf8)
              + movie(300_000).prefix(10_000)), .close,
        ] : FaultyOrigin.ranged(request, body: movie(300_000))
    }
    let fetched = try await QuickDownloader().fetch(origin.url("/a"))
    #expect(fetched.bytes == body && fetched.download.attempts == 2)
    #expect(origin.requests.map { $0["range"] } == ["bytes=0-65535", "bytes=10000-299999"])
  }

  @Test("a body longer than its range is stopped")
  func longPart() async throws {
    let origin = try FaultyOrigin { _ in
      [
        .send(
          Array("HTTP/1.1 206 Test\r\nETag: \"v1\"\r\nContent-Range: bytes 0-65535/300000\r\n\r\n".utf8)
            + movie(300_000)), .close,
      ]
    }
    #expect(try await QuickDownloader().refusal(origin.url("/a"), limits: oneAttempt).code == .fetchFailed)
  }

  @Test("the rest comes from where the redirect led, without asking the redirector again")
  func redirected() async throws {
    let origin = try FaultyOrigin { request in
      request.target == "/a" ? FaultyOrigin.redirect(to: "/b") : FaultyOrigin.ranged(request, body: movie(300_000))
    }
    let fetched = try await QuickDownloader().fetch(origin.url("/a"))
    #expect(fetched.bytes == body && fetched.download.redirects == 1)
    #expect(origin.requests.map(\.target) == ["/a", "/b", "/b"])
  }

  @Test("the announced size of a part's whole is enough to refuse it")
  func announced() async throws {
    let origin = try FaultyOrigin { request in
      FaultyOrigin.brokenPart(0..<65_536, of: 900_000_000, sending: Array(movie(300_000).prefix(65_536)))
    }
    let reason = try await QuickDownloader().refusal(origin.url("/a"))
    #expect(reason.code == .tooLarge && reason.measured == 900_000_000)
    #expect(origin.requests.count == 1)
  }
}

/// The beginning of an MP4 file, followed by enough to be `count` bytes. No two pieces of 64 KiB begin alike.
func movie(_ count: Int) -> [UInt8] {
  var bytes = Array("\0\0\0 ftypisom\0\0\u{2}\0".utf8)
  while bytes.count < count { bytes += pattern.prefix(count - bytes.count) }
  return bytes
}

/// Its length has no factor in common with those that matter.
private let pattern = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
