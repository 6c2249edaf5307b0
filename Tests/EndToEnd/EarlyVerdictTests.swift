import FoundationEssentials
import Glibc
import RichPush
import TestSupport
import Testing

@Suite("Early verdicts over HTTP")
struct EarlyVerdictTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  /// What `inspect` prints, as far as it matters here.
  private struct Report: Decodable {
    struct Claim: Decodable {
      var format: String
      var kind: String
      var seconds: Double
      var evidence: String
    }

    struct Fetch: Decodable {
      var bytes: Int?
      var bytesFetched: Int
      var requests: Int
      var redirects: Int
      var attempts: Int
      var declaredType: String?
      var finalURL: String?
      var milliseconds: [String: Double]
    }

    var claim: Claim?
    var rejection: Rejection.Reason?
    var fetch: Fetch?
  }

  private func inspect(_ url: String, reaching port: Int, faulty: Bool = false) async throws -> Report {
    let run = try await enclosure(
      ["inspect", url].map { Array($0.utf8) }, environment: bench.environment(faulty: faulty, reaching: [port]))
    #expect(run.status == 0, "\(run.errors)")
    return try JSONDecoder().decode(Report.self, from: Data(run.output))
  }

  private func manifest(_ url: String, reaching port: Int) async throws -> Manifest {
    let words = ["prepare", url, "--out", bench.out, "--id", "x"]
    let run = try await enclosure(words.map { Array($0.utf8) }, environment: bench.environment(reaching: [port]))
    return try JSONDecoder().decode(Manifest.self, from: Data(run.output))
  }

  private func nginx(_ names: String...) async throws -> Nginx {
    try await Nginx.serving(
      names.reduce(into: [:]) { $0[lastComponent($1)] = contentOfFile(fixture($1)) })
  }

  @Test(
    "a long film is rejected when its index has come, and the rest is not fetched",
    .enabled(if: Nginx.isInstalled, "nginx and openssl are needed"))
  func film() async throws {
    let nginx = try await nginx("video/31-seconds.mp4")
    let url = "http://127.0.0.1:\(nginx.port)/31-seconds.mp4"
    let size = try #require(contentOfFile(fixture("video/31-seconds.mp4"))?.count)
    let reason = try #require(try await manifest(url, reaching: nginx.port).rejections.first?.reason)
    #expect(reason.code == .videoTooLong && reason.stage == .fetch && reason.permanent)
    #expect(reason.limit == 30 && reason.measured == 31)
    #expect(nginx.log.reduce(0) { $0 + $1.bytesSent } < size)

    let report = try await inspect(url, reaching: nginx.port)
    #expect(report.rejection == reason)
    let claim = try #require(report.claim)
    #expect(claim.format == "mp4" && claim.kind == "video" && claim.seconds == 31 && claim.evidence == "header")
    let fetch = try #require(report.fetch)
    #expect(fetch.bytes == size && fetch.bytesFetched < size)
    #expect(fetch.requests == 2 && fetch.redirects == 0 && fetch.attempts == 1)
    #expect(fetch.finalURL == url)
    #expect(fetch.milliseconds["total"] ?? -1 > 0)
  }

  @Test(
    "a header that claims less than the packets show does not get through",
    .enabled(if: Nginx.isInstalled, "nginx and openssl are needed"))
  func lyingHeader() async throws {
    let nginx = try await nginx("video/lying-header.mp4")
    let url = "http://127.0.0.1:\(nginx.port)/lying-header.mp4"
    let reason = try #require(try await manifest(url, reaching: nginx.port).rejections.first?.reason)
    #expect(reason.code == .videoTooLong && reason.stage == .plan)
    #expect(try #require(reason.measured) >= 39.9)
  }

  @Test(
    "what the whole file's verdict accepts is not rejected by its index, and comes whole",
    .enabled(if: Nginx.isInstalled, "nginx and openssl are needed"),
    arguments: [
      "30-seconds-and-a-frame.mp4", "audio-longer-29.5-31.mp4", "edit-list-10-of-40.mp4", "h264-aac.ts",
      "live-no-duration.mkv", "fragmented.mp4",
    ])
  func accepted(name: String) async throws {
    let nginx = try await nginx("video/\(name)")
    let manifest = try await manifest("http://127.0.0.1:\(nginx.port)/\(name)", reaching: nginx.port)
    #expect(manifest.status == .ready, "\(manifest.rejections)")
    let source = try #require(manifest.attachments.first?.source)
    #expect(source.bytes == contentOfFile(fixture("video/\(name)"))?.count)
    #expect(try await bench.store.faults() == [])
  }

  @Test("a server that sends no parts is left as soon as its stream shows enough", arguments: [true, false])
  func stream(saysLength: Bool) async throws {
    let film = try #require(contentOfFile(fixture("video/40-seconds-no-duration.mkv")))
    let origin = try FaultyOrigin { _ in
      // The last bytes never come: whoever waits for them has a long wait.
      let body = Array(film.dropLast(500))
      guard !saysLength else {
        return FaultyOrigin.response(200, ["Content-Type: video/x-matroska"], body: body, length: film.count) + [.stall]
      }
      let fields = ["Content-Type: video/x-matroska", "Transfer-Encoding: chunked"]
      return FaultyOrigin.response(200, fields, body: FaultyOrigin.chunk(body)) + [.stall]
    }
    let report = try await inspect(origin.url("/film.mkv"), reaching: origin.port)
    let reason = try #require(report.rejection)
    #expect(reason.code == .videoTooLong && reason.stage == .fetch, "\(reason)")
    #expect(reason.message.hasPrefix("the video lasts at least 30.") && reason.measured ?? 0 > 30.05)
    #expect(report.claim?.evidence == "packets")
    #expect(report.fetch?.requests == 1 && report.fetch?.attempts == 1)
    #expect(report.fetch?.bytes == (saysLength ? film.count : nil))
    #expect(report.fetch?.declaredType == "video/x-matroska")
  }

  @Test("a helper that a part of a file brings down says nothing about the whole")
  func helperLost() async throws {
    let body = Array("FAULT crash".utf8) + [UInt8](repeating: 0x20, count: 200_000)
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(200, ["Content-Type: video/mp4"], body: body) }
    let report = try await inspect(origin.url("/film"), reaching: origin.port, faulty: true)
    #expect(report.rejection?.code == .decoderCrashed && report.rejection?.stage == .inspect)
    #expect(report.claim == nil && report.fetch?.bytes == body.count)
  }
}
