import AssetStore
import FoundationEssentials
import Glibc
import Pipeline
import Preparation
import RichPush
import Synchronization
import TestSupport
import Testing
import Transfer

@Suite("A job in the pipeline")
struct PipelineTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Runs `body` with a pipeline whose helpers commit faults on demand.
  private func withPipeline(
    failing: Set<String> = [], publicAddress: PublicAddress? = nil, _ body: (Pipeline, FakeStore) async throws -> Void
  ) async throws {
    let helpers = HelperPool(configuration: HelperConfiguration(executable: builtProduct("FaultyMedia"), count: 2))
    let downloader = Downloader(configuration: TransferConfiguration())
    defer {
      helpers.close(aborting: true)
      downloader.shutdown()
    }
    let store = try await FakeStore(at: "\(folder.path)/store", failing: failing)
    let reader = SourceReader(helpers: helpers, downloader: downloader, spoolFolder: FilePath(folder.path))
    try await body(Pipeline(reader: reader, store: store, publicAddress: publicAddress), store)
  }

  private func job(_ names: String...) -> Job {
    Job(id: "job", sources: names.map { JobSource(.file(FilePath(fixture($0)))) })
  }

  @Test("stores its attachments before its manifest, and keeps the order of its sources")
  func order() async throws {
    try await withPipeline { pipeline, store in
      let outcome = try await pipeline.run(job("image/rgba.png", "bad/text.jpg", "image/one-pixel.png"))
      #expect(outcome.manifest.attachments.map(\.identifier) == ["media-1", "media-3"])
      #expect(outcome.manifest.rejections.map(\.source) == [fixture("bad/text.jpg")])
      #expect(outcome.manifest.status == .partial)
      #expect(store.calls.withLock { $0.last } == "manifest")
      #expect(folder.content("store/\(outcome.location)") == outcome.json)
      #expect(try JSONDecoder().decode(Manifest.self, from: Data(outcome.json)) == outcome.manifest)
    }
  }

  @Test("says where the public gets an attachment and its poster, when the store has a public address")
  func publicURLs() async throws {
    let address = try PublicAddress("https://media.example.com/push/")
    try await withPipeline(publicAddress: address) { pipeline, _ in
      let outcome = try await pipeline.run(job("image/one-pixel.png", "video/moov-last.mp4"))
      let assets = outcome.manifest.attachments.flatMap(\.assets)
      #expect(assets.count == 3)
      for asset in assets { #expect(asset.url == "https://media.example.com/push/\(asset.location)") }
    }
    try await withPipeline { pipeline, _ in
      let manifest = try await pipeline.run(job("image/one-pixel.png")).manifest
      #expect(manifest.attachments.flatMap(\.assets).allSatisfy { $0.url == nil })
    }
  }

  @Test("keeps the identifiers that it came with, and the payload but for what the media need")
  func payload() async throws {
    try await withPipeline { pipeline, _ in
      let payload = JSONValue.object(["aps": .object(["alert": .string("hi")]), "n": .integer(1)])
      let sources = [JobSource(.file(FilePath(fixture("image/one-pixel.png"))), identifier: "hero")]
      let manifest = try await pipeline.run(Job(id: "a/b", sources: sources, payload: payload)).manifest
      #expect(manifest.id == "a/b")
      #expect(manifest.payload?.text() == #"{"aps":{"alert":"hi","mutable-content":1},"n":1}"#)
      #expect(manifest.attachments.map(\.identifier) == ["hero"])
    }
  }

  @Test("keeps the numbers of its payload as they are, whatever they are")
  func numbers() async throws {
    try await withPipeline { pipeline, _ in
      let numbers = "[18446744073709551615,0.12345678901234567890,1e-400,1.5,7]"
      let file = fixture("image/one-pixel.png")
      let text = #"{"id":"job","sources":["file://\#(file)"],"payload":{"aps":{"alert":"hi"},"n":\#(numbers)}}"#
      let document = try JobDocument(json: Array(text.utf8))
      let outcome = try await pipeline.run(try Job(document, defaults: PreparationOptions()))
      #expect(try JSONValue(parsing: outcome.json)["payload"]?["n"]?.text() == numbers)
      let read = try JSONDecoder().decode(Manifest.self, from: Data(outcome.json))
      #expect(read.attachments == outcome.manifest.attachments)
    }
  }

  @Test("hides thumbnails where it asks for that", arguments: [nil, false, true])
  func thumbnails(isHidden: Bool?) async throws {
    try await withPipeline(publicAddress: PublicAddress("https://media.example.com")) { pipeline, _ in
      let document = JobDocument(
        id: "job", sources: ["image/one-pixel.png", "audio/aac.m4a"].map { .init(url: "file://\(fixture($0))") },
        payload: .object(["aps": .object(["alert": .string("hi")])]), options: .init(thumbnailHidden: isHidden))
      let manifest = try await pipeline.run(try Job(document, defaults: PreparationOptions())).manifest
      #expect(manifest.attachments.map(\.options.thumbnailHidden) == [isHidden ?? false, isHidden ?? false])
      let content = manifest.payload.flatMap { PayloadContent(payload: $0) }
      #expect(content?.media.map(\.thumbnailHidden) == [isHidden ?? false, isHidden ?? false])
    }
  }

  @Test("clips the thumbnails of what has a picture where it asks for that")
  func clipping() async throws {
    let text = #"{"X": 0, "Y": 0.25, "Width": 1, "Height": 0.5}"#
    let document = try JobDocument(
      json: Array(
        #"""
        {"id": "job", "sources": ["file://\#(fixture("image/one-pixel.png"))", "file://\#(fixture("audio/aac.m4a"))"],
         "payload": {"aps": {"alert": "hi"}}, "options": {"thumbnailClippingRect": \#(text)}}
        """#.utf8))
    let rect = ClippingRect(x: 0, y: 0.25, width: 1, height: 0.5)
    try await withPipeline(publicAddress: PublicAddress("https://media.example.com")) { pipeline, _ in
      let manifest = try await pipeline.run(try Job(document, defaults: PreparationOptions())).manifest
      #expect(manifest.attachments.map(\.options.thumbnailClippingRect) == [rect, nil])
      let content = manifest.payload.flatMap { PayloadContent(payload: $0) }
      #expect(content?.media.map(\.thumbnailClippingRect) == [rect, nil])
    }
  }

  @Test("whose attachment cannot be stored is rejected as store_failed", arguments: ["work", "asset"])
  func storeFails(call: String) async throws {
    try await withPipeline(failing: [call]) { pipeline, _ in
      let reason = try await pipeline.run(job("image/one-pixel.png")).manifest.rejections.first?.reason
      #expect(reason?.code == .storeFailed && reason?.message == "the \(call) failed")
    }
    #expect(folder.files(below: "store/assets") == [] && folder.files(below: "store/.work") == [])
  }

  @Test("whose manifest cannot be stored has no outcome")
  func manifestFails() async throws {
    try await withPipeline(failing: ["manifest"]) { pipeline, _ in
      _ = await #expect(throws: Rejection.Reason.self) { try await pipeline.run(job("image/one-pixel.png")) }
    }
    #expect(folder.files(below: "store/manifests") == [])
  }

  @Test("that is cancelled stores no manifest")
  func cancelled() async throws {
    try folder.write(Array("FAULT hang".utf8), to: "hang.jpg")
    try await withPipeline { pipeline, store in
      let job = Job(id: "job", sources: [JobSource(.file(FilePath("\(folder.path)/hang.jpg")))])
      let task = Task { try await pipeline.run(job) }
      task.cancel()
      // A request that is in work comes back when the helpers are closed, as the commands do it; here it never starts.
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(!(store.calls.withLock { $0.contains("manifest") }))
    }
  }

  @Test(
    "tells what is no file from what is not there",
    arguments: [("/dev/null", "device"), ("/nonexistent", "No such file"), ("/tmp", "folder"), ("", "No such file")])
  func noFile(path: String, word: String) async throws {
    try await withPipeline { pipeline, _ in
      let outcome = try await pipeline.run(Job(id: "job", sources: [JobSource(.file(FilePath(path)))]))
      let reason = outcome.manifest.rejections.first?.reason
      #expect(reason?.code == .fetchFailed && reason?.stage == .fetch && reason?.permanent == true)
      #expect(reason?.message.contains(word) == true, "\(reason?.message ?? "")")
      #expect(outcome.state == nil)
    }
  }

  @Test("without room to spool is rejected for now, not for good")
  func noSpool() async throws {
    let helpers = HelperPool(configuration: HelperConfiguration(executable: builtProduct("FaultyMedia"), count: 1))
    let downloader = Downloader(configuration: TransferConfiguration())
    defer {
      helpers.close(aborting: true)
      downloader.shutdown()
    }
    let reader = SourceReader(
      helpers: helpers, downloader: downloader, spoolFolder: FilePath("\(folder.path)/none"))
    let inspection = try await reader.inspection(of: .url("http://127.0.0.1:9/a.jpg"), options: PreparationOptions())
    guard case .reject(let reason) = inspection.plan else {
      Issue.record("was planned")
      return
    }
    #expect(reason.code == .storeFailed && !reason.permanent && reason.message.contains("\(folder.path)/none"))
  }
}
