import JobQueue
import Pipeline
import RichPush
import Testing

@Suite("a job that is added") struct NewJobTests {
  private func json(sources: [String], callback: String? = nil) -> [UInt8] {
    let urls = sources.map { "{\"url\":\"\($0)\"}" }.joined(separator: ",")
    let member = callback.map { ",\"callback\":\"\($0)\"" } ?? ""
    return Array("{\"id\":\"a\",\"sources\":[\(urls)]\(member)}".utf8)
  }

  @Test(
    "a URL that nothing could ever be fetched from is refused with its number",
    arguments: [
      ("nonsense", "does not begin with https:// or http://"),
      ("ftp://example.com/a", "has the scheme ftp; only https and http are fetched"),
      ("mailto:a@example.com", "has the scheme mailto; only https and http are fetched"),
      ("http://", "has no host"), ("https:///a.jpg", "has no host, or the wrong number of slashes before it"),
      ("https:/example.com/", "has no host, or the wrong number of slashes before it"),
      ("https://example.com:99999/", "has a port that is not a number from 1 to 65535"),
      ("https://exa mple.com/", "must not have spaces"), ("https://[::1/", "has a host in brackets"),
      ("https://a:%00@example.com/", "has user info that cannot be percent-decoded"),
      ("file:a.jpg", "is no file URL with an absolute path"),
    ])
  func refusesSources(url: String, problem: String) throws {
    let fault = try #require(throws: JobDocument.Fault.self) {
      try NewJob(json: json(sources: ["https://example.com/", url]))
    }
    #expect(fault.field?.hasPrefix("sources[1]") == true && fault.problem.hasPrefix(problem), "\(fault)")
  }

  @Test(
    "what may be fetched by some worker is taken",
    arguments: [
      "https://example.com/a?b#c", "HTTP://EXAMPLE.COM", "https://user:pass@example.com/", "https://bücher.example/",
      "http://10.0.0.1:8080/", "file:///srv/a%20b.jpg",
    ])
  func takesSources(url: String) throws {
    #expect(try NewJob(json: json(sources: [url])).id == "a")
  }

  @Test(
    "so is a callback that nobody could be told by",
    arguments: [
      ("http://", "has no host"), ("https://example.com:0x1F/", "has a port that is not a number"),
      ("ftp://example.com/", "must begin with https:// or http://"), ("https:///example.com/", "has no host"),
    ])
  func refusesCallbacks(url: String, problem: String) throws {
    let fault = try #require(throws: JobDocument.Fault.self) {
      try NewJob(json: json(sources: ["https://example.com/"], callback: url))
    }
    #expect(fault.field == "callback" && fault.problem.hasPrefix(problem), "\(fault)")
  }

  @Test("callbacks are refused where they cannot be served")
  func refusesAllCallbacks() throws {
    let job = json(sources: ["https://example.com/"], callback: "https://example.com/")
    #expect(try NewJob(json: job).body == job)
    let fault = try #require(throws: JobDocument.Fault.self) { try NewJob(json: job, takesCallbacks: false) }
    #expect(fault.field == "callback" && fault.problem.contains("no secret"))
  }

  @Test(
    "of a document on one line the place of an error is its column",
    arguments: [
      ("{\"id\" 1}", "is not JSON: column 7: a colon is expected after a name"),
      ("{\n\"id\" 1}", "is not JSON: line 2, column 6: a colon is expected after a name"),
    ])
  func placesErrors(text: String, problem: String) throws {
    let fault = try #require(throws: JobDocument.Fault.self) { try NewJob(json: Array(text.utf8)) }
    #expect(fault == JobDocument.Fault(nil, problem))
  }
}
