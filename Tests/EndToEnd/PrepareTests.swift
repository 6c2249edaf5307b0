import FoundationEssentials
import Glibc
import RichPush
import SchemaSupport
import TestSupport
import Testing

@Suite("enclosure prepare")
struct PrepareTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func manifest(_ run: Run) throws -> Manifest {
    try JSONDecoder().decode(Manifest.self, from: Data(run.output))
  }

  @Test("prepares four sources of all kinds in their order, and prints the manifest that it stores")
  func four() async throws {
    let sources = ["image/photo.heic", "animation/simple.gif", "video/moov-last.mp4", "audio/no-id3.mp3"].map(fixture)
    let run = try await bench.prepare(sources, "--id", "order-1234")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    let manifest = try manifest(run)
    #expect(manifest.id == "order-1234" && manifest.status == .ready && manifest.rejections == [])
    #expect(manifest.attachments.map(\.identifier) == ["media-1", "media-2", "media-3", "media-4"])
    #expect(manifest.attachments.map(\.asset.type) == [.jpeg, .gif, .mpeg4, .mp3])
    #expect(manifest.attachments.map(\.source.url) == sources)
    #expect(manifest.attachments.allSatisfy { !$0.steps.isEmpty })
    #expect(bench.store.content("manifests/order-1234.json") == run.output)
    #expect(try await bench.store.faults() == [])
  }

  @Test("prepares what it can: one bad source of two is partial, and a failure only when asked for with --strict")
  func partial() async throws {
    let sources = ["bad/text.jpg", "image/rgba.png"].map(fixture)
    let run = try await bench.prepare(sources, "--id", "x")
    #expect(run.status == 0)
    let manifest = try manifest(run)
    #expect(manifest.status == .partial)
    #expect(manifest.attachments.map(\.identifier) == ["media-2"])
    #expect(manifest.rejections.map(\.source) == [fixture("bad/text.jpg")])
    let log = try run.log
    #expect(log.map { $0["event"] } == ["source_rejected"], "\(run.errors)")
    #expect(log.first?["source"] == fixture("bad/text.jpg") && log.first?["code"] == "unsupported_type")
    #expect(log.first?["stage"] == "inspect" && log.first?["level"] == "warning")
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(try await bench.prepare(sources, "--id", "x", "--strict").status == 1)
  }

  @Test(
    "exits with 1 and a manifest of its reason when all is rejected",
    arguments: [
      ("bad/empty.jpg", Rejection.Code.empty), ("bad/page.jpg", .unsupportedType),
      ("bad/archive.jpg", .unsupportedType),
      ("bad/bomb-60000.png", .tooManyPixels), ("bad/frames-10000.gif", .tooManyFrames),
      ("video/31-seconds.mp4", .videoTooLong), ("nowhere.jpg", .fetchFailed), ("bad", .fetchFailed),
    ])
  func rejected(name: String, code: Rejection.Code) async throws {
    let run = try await bench.prepare([fixture(name)])
    #expect(run.status == 1)
    let manifest = try manifest(run)
    #expect(manifest.status == .rejected && manifest.rejections.map(\.reason.code) == [code])
    #expect(try run.log.map { $0["code"] } == [code.rawValue])
    #expect(try bench.store.manifests.count == 1)
  }

  @Test("a job's id may be anything; its manifest's name is it, percent-encoded")
  func ids() async throws {
    for (id, name) in [
      ("a/b", "a%2Fb"), ("../../etc/passwd", "..%2F..%2Fetc%2Fpasswd"), ("..", "%2E%2E"), ("🙂", "%F0%9F%99%82"),
      ("a b\n", "a%20b%0A"),
    ] {
      let run = try await bench.prepare([fixture("image/one-pixel.png")], "--id=\(id)")
      #expect(run.status == 0)
      #expect(try manifest(run).id == id)
      #expect(bench.store.content("manifests/\(name).json") == run.output, "\(id)")
    }
    #expect(bench.store.files.count == 6)
  }

  @Test("without an id, it is made of the sources' names; with the same one again, the manifest is replaced")
  func defaultID() async throws {
    let sources = ["image/one-pixel.png", "image/rgb.png"].map(fixture)
    let first = try manifest(try await bench.prepare(sources))
    let second = try manifest(try await bench.prepare(sources))
    #expect(first.id == "one-pixel.png+rgb.png" && first.id == second.id)
    #expect(first.attachments.map(\.asset) == second.attachments.map(\.asset))
    #expect(bench.store.files.count == 3)
  }

  @Test("--fit cover fills the square with any picture that is large enough, and inside keeps all of it")
  func fit() async throws {
    let sources = ["image/landscape.jpg", "image/large-orientation-6.jpg"].map(fixture)
    let cover = try manifest(try await bench.prepare(sources, "--fit", "cover")).attachments.map(\.asset)
    #expect(cover.map(\.width) == [1024, 1024] && cover.map(\.height) == [1024, 1024])
    for asset in cover {
      let stream = try await probe("\(bench.out)/\(asset.location)").members["streams"]?.elements.first?.members
      #expect(stream?["width"]?.double == 1024 && stream?["height"]?.double == 1024)
    }
    let inside = try manifest(try await bench.prepare(sources, "--fit", "inside")).attachments.map(\.asset)
    #expect(inside.map(\.width) == [1024, 768] && inside.map(\.height) == [768, 1024])
  }

  @Test("its result survives a reader who goes away, and needs no terminal")
  func closedPipe() async throws {
    let words = ["prepare", fixture("image/one-pixel.png"), "--out", bench.out, "--id", "x"]
    let script = "\"$0\" \"$@\" | :; printf done"
    let child = try ChildProcess(
      "/bin/sh", (["-c", script, builtProduct("enclosure")] + words).map { Array($0.utf8) },
      environment: bench.environment())
    #expect(await child.wait() == .exited(0))
    #expect(String(decoding: child.output, as: UTF8.self) == "done" && child.errors == "")
    #expect(try bench.store.manifests["manifests/x.json"]?.status == .ready)
  }

  @Test("leaves no temporary file and no process behind")
  func clean() async throws {
    let run = try await enclosure(
      "prepare", fixture("image/photo.png"), fixture("bad/text.jpg"), "--out", bench.out,
      environment: bench.environment(faulty: true))
    #expect(run.status == 0)
    #expect(bench.folder.files(below: "tmp") == [] && bench.helpers == [])
    #expect(bench.store.files.allSatisfy { !$0.hasPrefix(".") })
  }
}

@Suite("enclosure inspect")
struct InspectTests {
  @Test("prints facts and plan or rejection of each source as JSON, and writes nothing")
  func reports() async throws {
    let bench = try Workbench()
    try bench.put("image/photo.heic")
    try bench.put("bad/text.jpg")
    try bench.put("video/31-seconds.mp4")
    let before = bench.folder.files()
    for (name, part) in [("photo.heic", "plan"), ("text.jpg", "rejection"), ("31-seconds.mp4", "rejection")] {
      let run = try await enclosure("inspect", "\(bench.source)/\(name)", environment: bench.environment())
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      let report = try JSONDecoder().decode(JSONValue.self, from: Data(run.output)).members
      #expect(report["source"]?.text == "\(bench.source)/\(name)")
      #expect(report[part] != nil && (report["facts"] == nil) == (name == "text.jpg"), "\(report.keys)")
    }
    #expect(bench.folder.files() == before)
  }

  @Test("of several sources is one JSON document after the other")
  func several() async throws {
    let names = ["image/rgb.png", "nowhere.jpg", "audio/no-id3.mp3"].map(fixture)
    let run = try await enclosure((["inspect"] + names).map { Array($0.utf8) })
    #expect(run.status == 0)
    let documents = run.text.split(separator: "\n}\n").map { "\($0)\n}" }
    #expect(documents.count == 3)
    for (document, name) in zip(documents, names) {
      let report = try JSONDecoder().decode(JSONValue.self, from: Data(document.utf8))
      #expect(report.members["source"]?.text == name)
    }
  }
}
