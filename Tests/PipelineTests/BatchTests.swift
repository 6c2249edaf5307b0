import AssetStore
import Pipeline
import Preparation
import RichPush
import TestSupport
import Testing
import Transfer

/// In these tests a decoder hangs on one of the files, so that the batch is in the middle.
@Suite("A batch whose decoder is busy")
struct BatchTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Array("FAULT hang".utf8), to: "source/hang.jpg")
    let picture = try #require(contentOfFile(fixture("image/one-pixel.png")))
    try folder.write(picture, to: "source/a.png")
    try folder.write(picture, to: "source/b.png")
  }

  private var index: FilePath { FilePath("\(folder.path)/out/index.jsonl") }

  private func run(failing: Set<String> = [], report: (Batch.Event) -> Void) async throws {
    var configuration = HelperConfiguration(executable: builtProduct("FaultyMedia"), count: 2)
    configuration.setDeadlines(to: 3600)
    let helpers = HelperPool(configuration: configuration)
    let downloader = Downloader(configuration: TransferConfiguration())
    defer {
      helpers.close(aborting: true)
      downloader.shutdown()
    }
    let store = try await FakeStore(at: "\(folder.path)/out", failing: failing)
    let pipeline = Pipeline(reader: SourceReader(helpers: helpers, downloader: downloader), store: store)
    let batch = Batch(
      .folder(FilePath("\(folder.path)/source")), output: FilePath("\(folder.path)/out"), pipeline: pipeline,
      store: store, options: PreparationOptions(), parallelJobs: 3)
    _ = try await batch.run(report: report)
  }

  @Test("ends at once when a manifest cannot be stored", .timeLimit(.minutes(2)))
  func storeFails() async {
    let failure = Batch.Failure.store(Rejection.Reason(.storeFailed, at: .store, "the manifest failed"))
    await #expect(throws: failure) { try await run(failing: ["manifest"]) { _ in } }
    #expect(BatchIndex(at: index).lines.isEmpty)
  }

  @Test("ends at once when it is cancelled, and has what is done in its index", .timeLimit(.minutes(2)))
  func cancelled() async {
    let batch = Task { try await run { _ in } }
    #expect(await eventually { BatchIndex(at: index).lines.count == 2 })
    batch.cancel()
    await #expect(throws: CancellationError.self) { try await batch.value }
    #expect(BatchIndex(at: index).lines.keys.sorted() == ["a.png", "b.png"])
  }
}
