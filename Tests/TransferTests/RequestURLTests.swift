import RichPush
import Testing

@testable import Transfer

private let slashes =
  "the URL has no host, or the wrong number of slashes before it; it should begin like https://example.com/"

struct RequestURLTests {
  @Test(
    "a URL is taken apart",
    arguments: [
      ("https://example.com", "https://example.com/", "example.com", 443),
      ("HTTP://Example.COM:8080/a?b=c#d", "http://Example.COM:8080/a?b=c", "example.com", 8080),
      ("http://[2001:db8::1]/x", "http://[2001:db8::1]/x", "[2001:db8::1]", 80),
      ("https://bücher.example/ü.jpg", "https://xn--bcher-kva.example/%c3%bc.jpg", "xn--bcher-kva.example", 443),
    ])
  func parts(text: String, request: String, host: String, port: Int) throws {
    let url = try RequestURL(text)
    #expect(url.text == request)
    #expect(url.origin.host == host)
    #expect(url.origin.port == port)
    #expect(url.credentials == nil)
  }

  @Test("user info is kept apart from the URL, decoded")
  func userInfo() throws {
    let url = try RequestURL("https://anna:p%40ss%3Aword@example.com/x?token=1")
    #expect(url.text == "https://example.com/x?token=1")
    #expect(url.redacted == "https://example.com/x")
    #expect(url.credentials == RequestURL.Credentials(user: "anna", password: "p@ss:word"))
  }

  @Test(
    "what is no URL is an invalid job, and says why",
    arguments: [
      ("", "the URL is empty"),
      ("example.com/a.jpg", "the URL does not begin with https:// or http://"),
      ("/photos/1.jpg", "the URL does not begin with https:// or http://"),
      ("user:hunter2@example.com/a", "the URL does not begin with https:// or http://"),
      ("https://example.com/a b.jpg", "the URL has a space or a control character; in URLs a space is written %20"),
      ("https://example.com/a\nb.jpg", "the URL has a space or a control character; in URLs a space is written %20"),
      ("https://example.com/a\0b", "the URL has a space or a control character; in URLs a space is written %20"),
      (" https://example.com/", "the URL has a space or a control character; in URLs a space is written %20"),
      ("https://", "the URL has no host"),
      (
        "https:///a.jpg",
        slashes
      ),
      (
        "https:/example.com/a.jpg",
        slashes
      ),
      ("https://example.com:99999/", "the URL has a port that is not a number from 1 to 65535"),
      ("https://example.com:port/", "the URL has a port that is not a number from 1 to 65535"),
      ("https://exa<mple.com/", "the URL has a host with characters that no host name may have"),
      ("https://[::g]/", "the URL has a host in brackets that is no IPv6 address"),
      (
        "https://bü\u{2028}cher.example/",
        "the URL has a host name that is not valid as an internationalised domain name"
      ),
    ])
  func invalid(text: String, message: String) throws {
    let reason = try #require(throws: Rejection.Reason.self) { _ = try RequestURL(text) }
    #expect(reason.code == .invalidJob)
    #expect(reason.permanent)
    #expect(reason.message == message)
  }

  @Test("a URL of more than 8 KiB is refused with its length")
  func long() throws {
    let text = "https://example.com/" + String(repeating: "a", count: 9000)
    let reason = try #require(throws: Rejection.Reason.self) { _ = try RequestURL(text) }
    #expect(reason.code == .invalidJob)
    #expect(reason.limit == 8192)
    #expect(reason.measured == 9020)
  }

  @Test(
    "only http and https are fetched",
    arguments: [
      "file:///etc/passwd", "FILE:/etc/passwd", "gopher://example.com/", "ftp://example.com/a.jpg",
      "data:image/png;base64,AAAA", "smb://host/share", "javascript:alert(1)",
    ])
  func schemes(text: String) throws {
    let reason = try #require(throws: Rejection.Reason.self) { _ = try RequestURL(text) }
    #expect(reason.code == .unsupportedScheme)
    #expect(reason.message.contains("; only https and http are fetched"))
    let isFile = text.lowercased().hasPrefix("file:")
    #expect(reason.message.hasSuffix("; give a file of this machine by its path") == isFile)
  }

  @Test("a redirect may hold spaces and letters beyond ASCII")
  func lenientRedirects() throws {
    let base = try RequestURL("https://example.com/x/y?z")
    #expect(try RequestURL(redirect: "../a b/ü", from: base).text == "https://example.com/a%20b/%c3%bc")
    #expect(try RequestURL(redirect: "//a.example/b", from: base).text == "https://a.example/b")
    #expect(try RequestURL(redirect: "?q", from: base).text == "https://example.com/x/y?q")
  }

  @Test(
    "nothing secret is left of a redacted URL",
    arguments: [
      ("https://anna:hunter2@example.com:8443/a/b.jpg?token=hunter2#hunter2", "https://example.com:8443/a/b.jpg"),
      ("http://hunter2@example.com", "http://example.com/"),
      ("https://example.com?hunter2", "https://example.com/"),
      ("https://exa mple.com/hunter2?hunter2", "(unreadable URL)"),
      ("anna:hunter2@example.com", "(unreadable URL)"),
      ("hunter2", "(unreadable URL)"),
      ("", "(unreadable URL)"),
      ("\0https://hunter2@example.com", "(unreadable URL)"),
      ("https://example.com/a b?hunter2", "https://example.com/a%20b"),
    ])
  func redaction(text: String, shown: String) {
    #expect(redacted(text) == shown)
    #expect(!redacted(text).contains("hunter2"))
  }

  @Test("redacting survives any bytes")
  func garbage() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...60)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let text = String(decoding: Array("http://u:hunter2@".utf8) + bytes, as: UTF8.self)
      #expect(!redacted(text).contains("hunter2"))
    }
  }
}
