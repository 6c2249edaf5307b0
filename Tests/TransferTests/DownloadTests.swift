import RichPush
import TestSupport
import Testing
import Transfer

struct DownloadTests {
  @Test("the body is written as it came, and described")
  func plain() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(200, ["Content-Type: Image/JPEG; charset=binary"], body: jpeg(300_000))
    }
    let fetched = try await QuickDownloader().fetch(origin.url("/a.jpg?token=secret#there"))
    #expect(fetched.bytes == jpeg(300_000))
    #expect(fetched.download.status == 200)
    #expect(fetched.download.finalURL == origin.url("/a.jpg"))
    #expect(fetched.download.declaredType == "image/jpeg")
    #expect(fetched.download.bytes == 300_000)
    #expect(fetched.download.bytesFetched == 300_000)
    #expect(fetched.download.attempts == 1)
    #expect(fetched.download.timings.total > 0)
    #expect(origin.requests.map(\.target) == ["/a.jpg?token=secret"])
  }

  @Test("a request asks for what iOS can show, uncompressed, and says who asks")
  func requestHeader() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: jpeg(20)) }
    _ = try await QuickDownloader().fetch(origin.url())
    let request = try #require(origin.requests.first)
    #expect(request.method == "GET")
    let accept = try #require(request["accept"])
    #expect(accept.hasPrefix("image/jpeg, image/png, image/gif,"))
    #expect(accept.hasSuffix("*/*;q=0.1"))
    #expect(!accept.contains("webp") && !accept.contains("avif"))
    #expect(request["accept-encoding"] == "identity")
    #expect(request["user-agent"]?.hasPrefix("Enclosure/") == true)
    #expect(request["authorization"] == nil && request["cookie"] == nil && request["referer"] == nil)
  }

  @Test("user info is sent as basic authorisation")
  func authorisation() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: jpeg(20)) }
    _ = try await QuickDownloader().fetch(origin.url(userInfo: "anna:p%40ss@"))
    #expect(origin.requests.first?["authorization"] == "Basic YW5uYTpwQHNz")
  }

  @Test("a chunked body is put together; a body without a length ends with the connection")
  func framing() async throws {
    let origin = try FaultyOrigin { request in
      request.target == "/chunked"
        ? FaultyOrigin.response(200, ["Transfer-Encoding: chunked"]) + [
          .send(FaultyOrigin.chunk(jpeg(10))), .send(FaultyOrigin.chunk(jpeg(5000))), .send(FaultyOrigin.chunk([])),
        ]
        : [.send(Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + jpeg(77)), .close]
    }
    let downloader = QuickDownloader()
    #expect(try await downloader.fetch(origin.url("/chunked")).bytes == jpeg(10) + jpeg(5000))
    #expect(try await downloader.fetch(origin.url("/open")).bytes == jpeg(77))
  }

  @Test("a body that drips in byte by byte is whole, and so is one shorter than its head", arguments: [1, 15, 16, 17])
  func dripping(count: Int) async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(length: count) + [.drip(jpeg(count), every: 0.001)]
    }
    #expect(try await QuickDownloader().fetch(origin.url()).bytes == jpeg(count))
  }

  @Test("connections are used again, also after a redirect and an error")
  func keepAlive() async throws {
    let origin = try FaultyOrigin { request in
      switch request.target {
      case "/moved": FaultyOrigin.redirect(to: "/a")
      case "/gone": FaultyOrigin.response(404, body: Array("gone".utf8))
      default: FaultyOrigin.response(body: jpeg(1000))
      }
    }
    let downloader = QuickDownloader()
    for target in ["/a", "/moved", "/b"] { _ = try await downloader.fetch(origin.url(target)) }
    _ = try await downloader.refusal(origin.url("/gone"))
    _ = try await downloader.fetch(origin.url("/c"))
    #expect(origin.requests.count == 6)
    // On a busy machine one may be idle for two minutes meanwhile, after which libcurl lets it go.
    #expect(origin.connections <= 2)
  }

  @Test(
    "a page of HTML with status 200 is named as such as soon as it begins",
    arguments: [
      ("text/html; charset=utf-8", "<!DOCTYPE html><html>"), ("image/jpeg", "\u{FEFF} <HTML lang=de>"),
      ("application/octet-stream", "\r\n\r\n<HTML lang=de>"), ("text/html", "<!-- build 7 --><html>"),
      ("application/xhtml+xml", "<?xml version=\"1.0\"?>"),
    ])
  func html(type: String, page: String) async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(200, ["Content-Type: \(type)"], length: 100_000_000) + [.send(Array(page.utf8)), .stall]
    }
    let reason = try await QuickDownloader().refusal(origin.url("/photo.jpg"))
    #expect(reason.code == .unsupportedType && reason.permanent && reason.stage == .fetch)
    #expect(reason.message == "the source is an HTML page, not an image, a video or audio")
    #expect(origin.requests.count == 1)
  }

  @Test("a picture that is served as a page is a picture, and other text is left to who reads it")
  func notHTML() async throws {
    let origin = try FaultyOrigin { request in
      FaultyOrigin.response(
        200, ["Content-Type: text/html"], body: request.target == "/a" ? jpeg(100) : Array("just some words".utf8))
    }
    #expect(try await QuickDownloader().fetch(origin.url("/a")).bytes == jpeg(100))
    #expect(try await QuickDownloader().fetch(origin.url("/b")).bytes == Array("just some words".utf8))
  }

  @Test("a Content-Type that is none is left out", arguments: ["", "jpeg", "image/", "a/b/c", "image/<b>", "im age/x"])
  func oddTypes(type: String) async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(200, ["Content-Type: \(type)"], body: jpeg(20))
    }
    #expect(try await QuickDownloader().fetch(origin.url()).download.declaredType == nil)
  }

  @Test("hints before the response do not count as the response")
  func informational() async throws {
    let origin = try FaultyOrigin { _ in
      [.send(Array("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".utf8))]
        + FaultyOrigin.response(200, ["Content-Type: image/jpeg"], body: jpeg(200))
    }
    let fetched = try await QuickDownloader().fetch(origin.url())
    #expect(fetched.bytes == jpeg(200))
    #expect(fetched.download.declaredType == "image/jpeg")
  }
}
