import FoundationEssentials
import Glibc
import RichPush
import Synchronization
import TestSupport
import Testing

@Suite("A batch of URLs")
struct BatchURLTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func batch(_ urls: [String], from origins: [FaultyOrigin]) async throws -> Run {
    try bench.put(text: urls.joined(separator: "\n") + "\n", as: "urls.txt")
    let words = ["batch", "\(bench.source)/urls.txt", "--out", bench.out]
    return try await enclosure(
      words.map { Array($0.utf8) }, environment: bench.environment(reaching: origins.map(\.port)))
  }

  @Test("each URL is a job, whose id shows nothing secret; those that look alike are numbered")
  func ids() async throws {
    let picture = try #require(contentOfFile(fixture("image/one-pixel.png")))
    let origin = try FaultyOrigin { request in
      request.target.hasPrefix("/none") ? FaultyOrigin.response(404) : FaultyOrigin.response(body: picture)
    }
    let urls = [
      "# from today's campaign", origin.url("/a.png?token=hunter2"), "", origin.url("/a.png?token=hunter3"),
      origin.url("/none", userInfo: "hunter2:hunter2@"), "no URL at all",
    ]
    let run = try await batch(urls, from: [origin])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.hasPrefix("4 URLs\n"), "\(run.errors)")
    let index = String(decoding: bench.store.content("index.jsonl") ?? [], as: UTF8.self)
    for id in [origin.url("/a.png"), "\(origin.url("/a.png"))~2", origin.url("/none"), "line 6"] {
      #expect(index.contains("\"id\":\"\(id)\""), "\(index)")
    }
    #expect(index.contains("\"code\":\"http_status\"") && index.contains("\"code\":\"invalid_job\""))
    #expect(!index.contains("hunter") && !run.errors.contains("hunter"))
    #expect(try bench.store.manifest("\(origin.url("/a.png"))~2")?.status == .ready)
    #expect(try await bench.store.faults() == [])
  }

  @Test("slow downloads leave the others alone, and what is open at once is more than the helpers could work on")
  func ahead() async throws {
    let picture = try #require(contentOfFile(fixture("image/one-pixel.png")))
    // Each answer waits until twelve requests are there: with as many jobs as helpers it would never come.
    let arrived = Countdown(12)
    let origins = try (0..<4).map { _ in
      try FaultyOrigin { _ in
        arrived.arrive()
        while !arrived.isOver { usleep(2_000) }
        return FaultyOrigin.response(body: picture)
      }
    }
    let run = try await batch((0..<24).map { origins[$0 % 4].url("/\($0)") }, from: origins)
    #expect(run.status == 0 && run.errors.contains("24 of 24 prepared"), "\(run.errors)")
  }

  @Test("a medium that is named instead of a list is no batch")
  func medium() async throws {
    try bench.put("image/landscape.jpg")
    let run = try await enclosure("batch", "\(bench.source)/landscape.jpg", "--out", bench.out)
    #expect(run.status == EX_USAGE)
    #expect(run.errors.contains("no text with a URL on each line") && run.errors.contains("enclosure prepare"))
    #expect(bench.store.files == [])
  }
}

private final class Countdown: Sendable {
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  func arrive() { left.withLock { $0 -= 1 } }
  var isOver: Bool { left.withLock { $0 <= 0 } }
}
