import FoundationEssentials
import Glibc
import RichPush
import TestSupport
import Testing

@Suite("The cache of the built program")
struct CacheTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  @Test(
    "what one run has fetched the next one does not fetch, and its manifest is the same",
    .enabled(if: Nginx.isInstalled, "nginx and openssl are needed"))
  func restarts() async throws {
    let names = ["image/landscape.jpg", "video/moov-last.mp4"]
    let nginx = try await Nginx.serving(
      names.reduce(into: [:]) { $0[lastComponent($1)] = contentOfFile(fixture($1)) })
    let urls = names.map { "http://127.0.0.1:\(nginx.port)/fresh/\(lastComponent($0))" }
    let cache = "\(bench.folder.path)/cache"
    var attachments: [[RichPush.Attachment]] = []
    var requests: [Int] = []
    for number in 0..<3 {
      // Killed in between, as it were: the next run finds what is there.
      let run = try await bench.prepare(urls, "--id", "run-\(number)", "--cache", cache, reaching: [nginx.port])
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      let manifest = try JSONDecoder().decode(Manifest.self, from: Data(run.output))
      attachments.append(manifest.attachments)
      requests.append(nginx.log.count)
      if number > 0 { #expect(manifest.attachments.allSatisfy { $0.source.bytesFetched == 0 }) }
    }
    #expect(requests[1] == requests[0] && requests[2] == requests[0])
    #expect(attachments[0].map(\.asset) == attachments[1].map(\.asset))
    #expect(attachments[0].map(\.steps) == attachments[2].map(\.steps))
    #expect(attachments[0].allSatisfy { $0.placeholder != nil })
    #expect(attachments[0].map(\.placeholder) == attachments[1].map(\.placeholder))
    #expect(attachments[0].map(\.placeholder) == attachments[2].map(\.placeholder))
    #expect(attachments[0].map(\.source.sha256) == attachments[2].map(\.source.sha256))
    #expect(try await bench.store.faults() == [])
    // A store that does not have them gets them, without a download.
    let elsewhere = "\(bench.folder.path)/elsewhere"
    let run = try await enclosure(
      (["prepare"] + urls + ["--out", elsewhere, "--id", "x", "--cache", cache]).map { Array($0.utf8) },
      environment: bench.environment(reaching: [nginx.port]))
    #expect(run.status == 0 && nginx.log.count == requests[0], "\(run.errors)")
    // The video's poster is the third.
    #expect(bench.folder.files(below: "elsewhere/assets").count == 3)
  }

  @Test("a batch with its cache inside the sources takes it for no source")
  func insideSources() async throws {
    try bench.put("image/one-pixel.png")
    for _ in 0..<2 {
      let run = try await bench.batch("--cache", "\(bench.source)/cache")
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(bench.folder.files(below: "source/cache").contains { $0.hasSuffix("index.sqlite") })
    let run = try await bench.batch("--cache", bench.source)
    #expect(run.status == 64 && run.errors.contains("--cache"), "\(run.errors)")
  }

  @Test(
    "a limit that makes no sense is wrong use", arguments: ["0", "-1", "999999", "10GB", "1e9", "99999999999999999999"])
  func limit(text: String) async throws {
    let run = try await bench.prepare(
      ["\(bench.source)/none"], "--cache", "\(bench.folder.path)/cache", "--cache-bytes", text)
    #expect(run.status == 64 && run.errors.contains("--cache-bytes"), "\(run.errors)")
  }

  @Test("a cache that cannot be used is said once, and the job is done without it")
  func unusable() async throws {
    try bench.put("image/one-pixel.png")
    try bench.put(text: "a file", as: "no-folder")
    let run = try await bench.prepare(["\(bench.source)/one-pixel.png"], "--cache", "\(bench.source)/no-folder")
    #expect(run.status == 0)
    #expect(run.errors.split(separator: "\n").count == 1 && run.errors.contains("cannot be used"), "\(run.errors)")
  }
}
