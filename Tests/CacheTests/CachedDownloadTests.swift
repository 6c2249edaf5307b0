import Cache
import RichPush
import Synchronization
import TestSupport
import Testing
import Transfer

/// A downloader with a cache, whose clock only the test moves.
private final class CachingDownloader: Sendable {
  let bench: CacheBench
  private let downloader: Downloader

  init(_ bench: CacheBench, trusting caFile: String? = nil) async {
    self.bench = bench
    var configuration = TransferConfiguration()
    configuration.addressPolicy = .loopback
    configuration.cache = await bench.open()
    configuration.now = { [clock = bench.clock] in clock.now }
    configuration.caFile = caFile
    configuration.pause = { _ in }
    configuration.jitter = { $0 }
    downloader = Downloader(configuration: configuration)
  }

  deinit {
    downloader.shutdown()
  }

  func fetch(_ url: String) async throws -> (download: Download, bytes: [UInt8]) {
    let file = try ScratchFile()
    var limits = TransferLimits()
    (limits.connectTimeout, limits.stallTimeout, limits.totalTimeout, limits.attempts) = (100, 100, 1000, 1)
    let download = try await downloader.download(url, into: file.descriptor, limits: limits) { _ in .max }
    return (download, contentOfDescriptor(download.keptBody?.descriptor ?? file.descriptor))
  }

  func reason(_ url: String) async throws -> Rejection.Reason {
    try #require(await #expect(throws: Rejection.Reason.self) { _ = try await fetch(url) })
  }
}

private func picture(_ text: String) -> [UInt8] {
  [0xFF, 0xD8, 0xFF, 0xE0] + Array("\(text) and enough to be more than a head".utf8)
}

@Suite struct CachedDownloadTests {
  let bench: CacheBench

  init() throws {
    bench = try CacheBench()
  }

  @Test("a fresh response is not asked for again, and a stale one costs a question without a body")
  func freshness() async throws {
    let origin = try FaultyOrigin { request in
      request["if-none-match"] == "\"v1\""
        ? FaultyOrigin.response(304, ["ETag: \"v1\"", "Cache-Control: max-age=100"], length: 0)
        : FaultyOrigin.response(
          200, ["ETag: \"v1\"", "Cache-Control: max-age=100", "Content-Type: image/jpeg"],
          body: picture("one"))
    }
    let downloader = await CachingDownloader(bench)
    let url = origin.url("/a.jpg")
    let first = try await downloader.fetch(url)
    #expect(first.bytes == picture("one") && first.download.requests == 1 && first.download.keptBody == nil)
    for round in 1...3 {
      bench.clock.advance(99)
      let again = try await downloader.fetch(url)
      #expect(again.bytes == picture("one"))
      #expect(again.download.requests == 0 && again.download.bytesFetched == 0)
      #expect(again.download.sha256 == first.download.sha256 && again.download.declaredType == "image/jpeg")
      #expect(origin.requests.count == round)
      bench.clock.advance(2)
      let confirmed = try await downloader.fetch(url)
      #expect(confirmed.bytes == picture("one"))
      #expect(confirmed.download.requests == 1 && confirmed.download.bytesFetched == 0)
      #expect(origin.requests.count == round + 1)
      #expect(origin.requests.last?["if-none-match"] == "\"v1\"")
    }
  }

  @Test(
    "what must not be kept is fetched each time",
    arguments: [
      "Cache-Control: no-store, max-age=100\r\nETag: \"v\"", "Cache-Control: max-age=100\r\nVary: *", "X-Nothing: said",
      "Cache-Control: max-age=100\r\nCache-Control: no-store", "Expires: 0",
    ])
  func notKept(fields: String) async throws {
    let origin = try FaultyOrigin { request in
      FaultyOrigin.response(200, [fields], body: picture("\(request.attempt)"))
    }
    let downloader = await CachingDownloader(bench)
    for attempt in 1...3 {
      let fetched = try await downloader.fetch(origin.url("/a.jpg"))
      #expect(fetched.bytes == picture("\(attempt)") && fetched.download.requests == 1)
    }
    #expect(origin.requests.allSatisfy { $0["if-none-match"] == nil && $0["if-modified-since"] == nil })
    #expect(bench.folder.files(below: "cache/bodies") == [])
  }

  @Test("a response that may be kept no longer replaces the one that was kept")
  func noLonger() async throws {
    let origin = try FaultyOrigin { request in
      FaultyOrigin.response(
        200, request.attempt == 1 ? ["Cache-Control: max-age=100"] : ["Cache-Control: no-store"],
        body: picture("\(request.attempt)"))
    }
    let downloader = await CachingDownloader(bench)
    for attempt in [1, 1, 2, 3] {
      if attempt == 2 { bench.clock.advance(200) }
      #expect(try await downloader.fetch(origin.url("/a.jpg")).bytes == picture("\(attempt)"))
    }
  }

  @Test("a server that always has another version gets its latest tag back, and its new bytes are used")
  func changing() async throws {
    let origin = try FaultyOrigin { request in
      FaultyOrigin.response(200, ["ETag: W/\"\(request.attempt)\""], body: picture("\(request.attempt)"))
    }
    let downloader = await CachingDownloader(bench)
    for attempt in 1...4 {
      #expect(try await downloader.fetch(origin.url("/a.jpg")).bytes == picture("\(attempt)"))
      #expect(origin.requests.last?["if-none-match"] == (attempt == 1 ? nil : "W/\"\(attempt - 1)\""))
    }
    #expect(bench.folder.files(below: "cache/bodies").count == 1)
  }

  @Test("a confirmation of another version than was asked about is none: the bytes are fetched")
  func wrongConfirmation() async throws {
    let origin = try FaultyOrigin { request in
      request["if-none-match"] != nil
        ? FaultyOrigin.response(304, ["ETag: \"other\""], length: 0)
        : FaultyOrigin.response(200, ["ETag: \"\(request.attempt)\""], body: picture("\(request.attempt)"))
    }
    let downloader = await CachingDownloader(bench)
    #expect(try await downloader.fetch(origin.url("/a.jpg")).bytes == picture("1"))
    #expect(try await downloader.fetch(origin.url("/a.jpg")).bytes == picture("3"))
  }

  @Test("a stale response is not used when the server fails or no longer has it", arguments: [404, 410, 500, 503])
  func failing(status: Int) async throws {
    let origin = try FaultyOrigin { request in
      request.attempt == 1
        ? FaultyOrigin.response(200, ["ETag: \"v\""], body: picture("one")) : FaultyOrigin.response(status)
    }
    let downloader = await CachingDownloader(bench)
    _ = try await downloader.fetch(origin.url("/a.jpg"))
    let reason = try await downloader.reason(origin.url("/a.jpg"))
    #expect(reason.code == .httpStatus && reason.measured == Double(status))
  }

  @Test("no URL gets what another one got, however little they differ, and no secret is in the cache")
  func separate() async throws {
    let origin = try FaultyOrigin { request in
      FaultyOrigin.response(
        200, ["Cache-Control: max-age=1000"], body: picture("\(request.target) \(request["authorization"] ?? "nobody")")
      )
    }
    let targets = ["/a.jpg", "/a.jpg?t=hunter2-1", "/a.jpg?t=hunter2-2", "/A.jpg", "/a.jpg?"]
    let users = ["", "hunter2-a:x@", "hunter2-a:y@", "hunter2-b:x@"]
    let downloader = await CachingDownloader(bench)
    var seen: [String: [UInt8]] = [:]
    for _ in 0..<2 {
      for target in targets {
        for user in users {
          let url = origin.url(target, userInfo: user)
          let bytes = try await downloader.fetch(url).bytes
          #expect(seen[url] == nil || seen[url] == bytes)
          seen[url] = bytes
        }
      }
    }
    // Of each its own; an empty query is none for libcurl.
    #expect(Set(seen.values).count == (targets.count - 1) * users.count)
    #expect(origin.requests.count == (targets.count - 1) * users.count)
    for name in bench.folder.files() where !name.contains("bodies/") {
      #expect(bench.folder.content(name)?.firstRange(of: Array("hunter2".utf8)) == nil, "\(name)")
    }
  }

  @Test("a redirect is asked anew, and its target is found under its own URL")
  func redirect() async throws {
    let target = Mutex("/one.jpg")
    let origin = try FaultyOrigin { request in
      request.target == "/moved"
        ? FaultyOrigin.redirect(to: target.withLock { $0 })
        : FaultyOrigin.response(200, ["Cache-Control: max-age=1000"], body: picture(request.target))
    }
    let downloader = await CachingDownloader(bench)
    for _ in 0..<2 {
      let fetched = try await downloader.fetch(origin.url("/moved"))
      #expect(fetched.bytes == picture("/one.jpg") && fetched.download.redirects == 1)
      #expect(fetched.download.finalURL == origin.url("/one.jpg"))
    }
    #expect(origin.requests.map(\.target) == ["/moved", "/one.jpg", "/moved"])
    #expect(try await downloader.fetch(origin.url("/one.jpg")).download.requests == 0)
    target.withLock { $0 = "/two.jpg" }
    #expect(try await downloader.fetch(origin.url("/moved")).bytes == picture("/two.jpg"))
  }

  @Test("a body that breaks off is not kept")
  func brokenOff() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(200, ["Cache-Control: max-age=1000"], body: picture("one"), length: 5000) + [.close]
    }
    let downloader = await CachingDownloader(bench)
    _ = try await downloader.reason(origin.url("/a.jpg"))
    #expect(bench.folder.files(below: "cache/bodies") == [])
  }
}

@Suite(.enabled(if: Nginx.isInstalled, "nginx and openssl are needed"))
struct CachedNginxTests {
  let bench: CacheBench

  init() throws {
    bench = try CacheBench()
  }

  @Test("nginx sends the bytes once, and then confirms them; where it says for how long, it is not even asked")
  func confirms() async throws {
    // A picture comes as a whole, a video in parts.
    let files = ["a.jpg": [0xFF, 0xD8, 0xFF] + bytes(20_000, seed: 1), "b.mp4": bytes(300_000, seed: 2)]
    let nginx = try await Nginx.serving(files)
    let downloader = await CachingDownloader(bench, trusting: nginx.caFile)
    for base in ["http://127.0.0.1:\(nginx.port)", "https://localhost:\(nginx.tlsPort)"] {
      for (name, bytes) in files {
        let before = nginx.log.count
        for _ in 0..<20 {
          let fetched = try await downloader.fetch("\(base)/\(name)")
          #expect(fetched.bytes == bytes)
        }
        let log = nginx.log.dropFirst(before)
        #expect(log.filter { $0.status == 304 }.count == 19)
        #expect(log.filter { $0.status != 304 }.reduce(0) { $0 + $1.bytesSent } < bytes.count + 3000)

        for _ in 0..<20 { #expect(try await downloader.fetch("\(base)/fresh/\(name)").bytes == bytes) }
        let asked = nginx.log.dropFirst(before + log.count)
        #expect(asked.allSatisfy { $0.status != 304 } && asked.count <= 2)
      }
    }
    try nginx.replace("a.jpg", with: bytes(20_001, seed: 3))
    #expect(try await downloader.fetch("http://127.0.0.1:\(nginx.port)/a.jpg").bytes == bytes(20_001, seed: 3))
    #expect(bench.warnings.list == [])
  }
}

extension AddressPolicy {
  /// What tests with servers of their own need.
  static let loopback = {
    var policy = AddressPolicy()
    policy.ports = Set(1...65_535)
    policy.blocks = ["127.0.0.0/8", "::1"].compactMap { try? AddressBlock($0) }
    return policy
  }()
}
