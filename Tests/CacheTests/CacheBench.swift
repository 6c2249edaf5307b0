import Cache
import Digest
import Synchronization
import TestSupport
import Testing
import Transfer

/// A cache in a folder of its own, with a clock that only the test moves.
final class CacheBench: Sendable {
  let folder: TemporaryFolder
  let path: String
  let clock = Clock()
  let warnings = Warnings()

  final class Clock: Sendable {
    private let time = Mutex(1_764_000_000.0)
    var now: Double { time.withLock { $0 } }
    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
  }

  final class Warnings: Sendable {
    private let all = Mutex<[String]>([])
    var list: [String] { all.withLock { $0 } }
    func add(_ warning: String) { all.withLock { $0.append(warning) } }
  }

  init(at path: String? = nil) throws {
    folder = try TemporaryFolder()
    self.path = path ?? "\(folder.path)/cache"
  }

  func open(maximumBytes: Int = 100_000_000) async -> DiskCache {
    await DiskCache(
      path: Array(path.utf8), maximumBytes: maximumBytes, now: { [clock] in clock.now },
      warn: { [warnings] in warnings.add($0) })
  }

  func response(_ body: [UInt8], cacheControl: String = "max-age=3600", etag: String? = nil) throws -> StoredResponse {
    try #require(
      StoredResponse(
        ResponseHeaders(cacheControl: cacheControl, etag: etag),
        at: ExchangeTimes(requested: clock.now, received: clock.now), sha256: sha256(of: body), bytes: body.count,
        declaredType: "image/png"))
  }

  @discardableResult
  func store(_ body: [UInt8], for key: RequestKey, in cache: DiskCache) async throws -> Bool {
    let file = try ScratchFile(body)
    return await cache.store(try response(body), body: file.descriptor, for: key)
  }
}

func key(_ name: String) -> RequestKey { RequestKey(sha256: sha256(of: name.utf8)) }

/// Different bytes for different seeds.
func bytes(_ count: Int, seed: Int) -> [UInt8] {
  Array("\(seed) ".utf8) + (0..<count).map { UInt8(truncatingIfNeeded: $0 &* seed) }
}

/// The whole body of a cached response.
func content(_ cached: CachedResponse?) -> [UInt8]? {
  cached.flatMap { contentOfDescriptor($0.body.descriptor) }
}
