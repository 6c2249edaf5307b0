import RichPush
import TestSupport
import Testing
import Transfer

struct RedirectTests {
  @Test("redirects of every kind are followed", arguments: [301, 302, 303, 307, 308])
  func follow(status: Int) async throws {
    let origin = try FaultyOrigin { request in
      request.target == "/a/old?x=1"
        ? FaultyOrigin.redirect(to: "../new/b.jpg?sig=secret", status: status)
        : FaultyOrigin.response(body: jpeg(100))
    }
    let fetched = try await QuickDownloader().fetch(origin.url("/a/old?x=1"))
    #expect(fetched.bytes == jpeg(100))
    #expect(fetched.download.redirects == 1)
    #expect(fetched.download.finalURL == origin.url("/new/b.jpg"))
    #expect(origin.requests.map(\.target) == ["/a/old?x=1", "/new/b.jpg?sig=secret"])
    #expect(origin.requests.allSatisfy { $0["referer"] == nil })
  }

  @Test("a chain of as many as allowed is followed, one more is not")
  func chain() async throws {
    let origin = try FaultyOrigin { request in
      let number = Int(request.target.dropFirst()) ?? 0
      return number == 0 ? FaultyOrigin.response(body: jpeg(100)) : FaultyOrigin.redirect(to: "/\(number - 1)")
    }
    let downloader = QuickDownloader()
    #expect(try await downloader.fetch(origin.url("/5")).download.redirects == 5)
    let reason = try await downloader.refusal(origin.url("/6"))
    #expect(reason.code == .tooManyRedirects && reason.permanent)
    #expect(reason.limit == 5 && reason.measured == 6)
  }

  @Test("a loop ends")
  func loop() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.redirect(to: "/") }
    #expect(try await QuickDownloader().refusal(origin.url()).code == .tooManyRedirects)
    #expect(origin.requests.count == 6)
  }

  @Test(
    "redirects lead to http and https only",
    arguments: ["file:///etc/passwd", "gopher://127.0.0.1:70/_x", "ftp://127.0.0.1/x", "data:image/png;base64,AAAA"])
  func schemes(location: String) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.redirect(to: location) }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .unsupportedScheme && reason.permanent)
    #expect(reason.message.hasPrefix("the server's redirect has the scheme "))
    #expect(origin.requests.count == 1)
  }

  @Test("a redirect that leads nowhere is refused", arguments: ["http://", "http://[::1", "http://exa<mple/"])
  func malformed(location: String) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.redirect(to: location) }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .fetchFailed && reason.permanent)
    #expect(reason.message.hasPrefix("the server's redirect has "))
  }

  @Test("a redirect without a target is an error by its status")
  func missingLocation() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(302) }
    let reason = try await QuickDownloader().refusal(origin.url())
    #expect(reason.code == .httpStatus && reason.measured == 302)
  }

  @Test("user info goes along to the same origin, and never to another one")
  func authorisation() async throws {
    let origin = try FaultyOrigin { request in
      switch request.target {
      case "/start": FaultyOrigin.redirect(to: "/same")
      case "/same": FaultyOrigin.redirect(to: "http://localhost:\(request["host"]?.split(separator: ":").last ?? "")/x")
      // Back at the first origin the credentials are gone: a stranger has sent us there.
      case "/x": FaultyOrigin.redirect(to: "http://127.0.0.1:\(request["host"]?.split(separator: ":").last ?? "")/y")
      default: FaultyOrigin.response(body: jpeg(100))
      }
    }
    _ = try await QuickDownloader().fetch(origin.url("/start", userInfo: "anna:secret@"))
    #expect(origin.requests.map(\.target) == ["/start", "/same", "/x", "/y"])
    #expect(origin.requests.map { $0["authorization"] != nil } == [true, true, false, false])
    #expect(origin.requests[2]["host"] == "localhost:\(origin.port)")
  }

  @Test("another port is another origin")
  func otherPort() async throws {
    let other = try FaultyOrigin { _ in FaultyOrigin.response(body: jpeg(100)) }
    let target = other.url("/x")
    let origin = try FaultyOrigin { _ in FaultyOrigin.redirect(to: target) }
    _ = try await QuickDownloader().fetch(origin.url(userInfo: "anna:secret@"))
    #expect(origin.requests.first?["authorization"] != nil)
    #expect(other.requests.map { $0["authorization"] } == [nil])
  }

  @Test("the body of a redirect is not waited for")
  func endlessBody() async throws {
    let origin = try FaultyOrigin { request in
      request.target == "/"
        ? FaultyOrigin.response(302, ["Location: /x", "Transfer-Encoding: chunked"])
          + [.repeatedly(FaultyOrigin.chunk(jpeg(1000)))]
        : FaultyOrigin.response(body: jpeg(100))
    }
    #expect(try await QuickDownloader().fetch(origin.url()).bytes == jpeg(100))
  }
}
