import AssetStore
import Cache
import Glibc
import Pipeline
import Preparation
import RichPush
import Synchronization
import TestSupport
import Testing
import Transfer

/// A store that counts what it is given, and writes no manifests: ten thousand of them would test the disk.
private final class CountingStore: AssetStore {
  private let real: DirectoryStore
  let preparations = Atomic(0)
  let manifests = Atomic(0)

  init(at path: String) async throws {
    real = try await DirectoryStore(path: path)
  }

  func check() async throws(Rejection.Reason) { try await real.check() }

  func makeWorkFile() async throws(Rejection.Reason) -> WorkFile {
    preparations.add(1, ordering: .relaxed)
    return try await real.makeWorkFile()
  }

  func storeAsset(_ file: WorkFile, as type: AttachmentType) async throws(Rejection.Reason) -> StoredAsset {
    try await real.storeAsset(file, as: type)
  }

  func storeManifest(_ json: [UInt8], id: String) async throws(Rejection.Reason) -> String {
    manifests.add(1, ordering: .relaxed)
    return "manifests/\(id).json"
  }

  func manifest(id: String) async throws(Rejection.Reason) -> [UInt8]? { nil }
  func hasAsset(at location: String, bytes: Int) async -> Bool { await real.hasAsset(at: location, bytes: bytes) }
}

@Suite("The same source in very many jobs")
struct CampaignTests {
  let folder: TemporaryFolder
  private let clock = Clock()

  private final class Clock: Sendable {
    private let ahead = Mutex(0.0)
    var now: Double { secondsSince1970() + ahead.withLock { $0 } }
    func advance(_ seconds: Double) { ahead.withLock { $0 += seconds } }
  }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// One run of the program, as far as the cache is concerned.
  private func withPipeline(
    cached: Bool = true, _ body: (Pipeline, SourceReader, CountingStore) async throws -> Void
  ) async throws {
    let helpers = HelperPool(configuration: HelperConfiguration(executable: builtProduct("FaultyMedia"), count: 2))
    var configuration = TransferConfiguration()
    configuration.addressPolicy = .loopback
    configuration.now = { [clock] in clock.now }
    var cache: DiskCache?
    if cached {
      cache = await DiskCache(
        path: Array("\(folder.path)/cache".utf8), maximumBytes: 100_000_000, now: { [clock] in clock.now },
        warn: { Issue.record("\($0)") })
    }
    configuration.cache = cache
    let downloader = Downloader(configuration: configuration)
    defer {
      helpers.close(aborting: true)
      downloader.shutdown()
    }
    var limits = TransferLimits()
    (limits.connectTimeout, limits.stallTimeout, limits.totalTimeout) = (300, 300, 1000)
    let reader = SourceReader(
      helpers: helpers, downloader: downloader, transferLimits: limits, spoolFolder: FilePath(folder.path),
      cache: cache)
    let store = try await CountingStore(at: "\(folder.path)/store")
    try await body(Pipeline(reader: reader, store: store), reader, store)
  }

  /// Runs so many jobs of one source at the same moment. Returns the assets they got.
  private func run(
    _ count: Int, _ source: JobSource.Location, in pipeline: Pipeline, fit: PreparationOptions.Fit = .inside
  ) async throws -> Set<String> {
    try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<count {
        group.addTask {
          let job = Job(id: "\(number)", sources: [JobSource(source)], options: PreparationOptions(fit: fit))
          let manifest = try await pipeline.run(job).manifest
          #expect(manifest.attachments.allSatisfy { $0.placeholder != nil })
          return manifest.attachments.first?.asset.sha256 ?? manifest.rejections.first?.reason.message ?? ""
        }
      }
      return try await group.reduce(into: []) { $0.insert($1) }
    }
  }

  @Test(
    "is fetched once while it is fresh, and prepared once, across restarts too",
    .enabled(if: Nginx.isInstalled, "nginx and openssl are needed"))
  func tenThousand() async throws {
    let nginx = try await Nginx.serving(["a.jpg": try #require(contentOfFile(fixture("image/landscape.jpg")))])
    let url = JobSource.Location.url("http://127.0.0.1:\(nginx.port)/fresh/a.jpg")
    var assets: Set<String> = []
    try await withPipeline { pipeline, _, store in
      assets = try await run(10_000, url, in: pipeline)
      #expect(assets.count == 1 && assets.first?.utf8.count == 64, "\(assets)")
      #expect(nginx.log.map(\.status) == [200])
      #expect(store.preparations.load(ordering: .relaxed) == 1)
      #expect(store.manifests.load(ordering: .relaxed) == 10_000)
      // And those that come one after the other.
      for _ in 0..<20 { #expect(try await run(1, url, in: pipeline) == assets) }
      #expect(nginx.log.map(\.status) == [200])
      // Another recipe is another attachment, of the same bytes.
      #expect(try await run(1000, url, in: pipeline, fit: .cover) != assets)
      #expect(store.preparations.load(ordering: .relaxed) == 2)
    }
    try await withPipeline { pipeline, _, store in
      #expect(try await run(100, url, in: pipeline) == assets)
      #expect(nginx.log.map(\.status) == [200])
      #expect(store.preparations.load(ordering: .relaxed) == 0)
      // An attachment that the store has no longer is made again.
      for name in folder.files(below: "store/assets") { try folder.remove(name) }
      #expect(try await run(100, url, in: pipeline) == assets)
      #expect(store.preparations.load(ordering: .relaxed) == 1)
      #expect(nginx.log.count == 1)
    }
  }

  @Test("is asked about once when it is no longer fresh, and not prepared again when it has not changed")
  func confirmed() async throws {
    let content = try #require(contentOfFile(fixture("image/landscape.jpg")))
    let origin = try FaultyOrigin { request in
      let fields = ["ETag: \"v1\"", "Cache-Control: max-age=3600", "Content-Type: image/jpeg"]
      return request["if-none-match"] == "\"v1\""
        ? FaultyOrigin.response(304, fields, length: 0) : FaultyOrigin.response(200, fields, body: content)
    }
    let url = JobSource.Location.url(origin.url("/a.jpg"))
    try await withPipeline { pipeline, _, store in
      let assets = try await run(1000, url, in: pipeline)
      for round in 2...4 {
        clock.advance(3601)
        #expect(try await run(10_000, url, in: pipeline) == assets)
        #expect(origin.requests.count == round)
        #expect(origin.requests.last?["if-none-match"] == "\"v1\"")
      }
      #expect(store.preparations.load(ordering: .relaxed) == 1)
    }
  }

  @Test("is fetched and prepared once at the same moment without a cache, too")
  func withoutCache() async throws {
    let content = try #require(contentOfFile(fixture("image/landscape.jpg")))
    try await withPipeline(cached: false) { pipeline, reader, store in
      let place = Mutex("")
      let origin = try FaultyOrigin { _ in
        // Until all have come to wait.
        while reader.waiting(for: place.withLock { $0 }) < 1000 { usleep(1000) }
        return FaultyOrigin.response(200, ["Content-Type: image/jpeg"], body: content)
      }
      place.withLock { $0 = origin.url("/a.jpg") }
      let assets = try await run(1000, .url(origin.url("/a.jpg")), in: pipeline)
      #expect(assets.count == 1 && assets.first?.utf8.count == 64, "\(assets)")
      #expect(origin.requests.count == 1)
      #expect(store.preparations.load(ordering: .relaxed) == 1)
    }
  }

  @Test("is rejected for all of them alike when it cannot be had")
  func rejected() async throws {
    try await withPipeline(cached: false) { pipeline, reader, _ in
      let place = Mutex("")
      let origin = try FaultyOrigin { _ in
        while reader.waiting(for: place.withLock { $0 }) < 100 { usleep(1000) }
        return FaultyOrigin.response(404)
      }
      place.withLock { $0 = origin.url("/a.jpg") }
      #expect(
        try await run(100, .url(origin.url("/a.jpg")), in: pipeline)
          == ["the server answered with status 404 (not found)"])
      #expect(origin.requests.count == 1)
    }
  }

  @Test("is prepared once from local files with the same bytes, when there is a cache")
  func localFiles() async throws {
    let content = try #require(contentOfFile(fixture("image/rgba.png")))
    for name in ["a.png", "b.png", "c"] { try folder.write(content, to: name) }
    try await withPipeline { pipeline, _, store in
      var assets: Set<String> = []
      for name in ["a.png", "b.png", "c"] {
        assets.formUnion(try await run(1, .file(FilePath("\(folder.path)/\(name)")), in: pipeline))
      }
      #expect(assets.count == 1 && assets.first?.utf8.count == 64, "\(assets)")
      #expect(store.preparations.load(ordering: .relaxed) == 1)
    }
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
