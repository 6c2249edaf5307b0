import AssetStore
import Cache
import Digest
import FoundationEssentials
import Preparation
import RichPush
import Synchronization

/// What was found out about sources and made of them before, by the SHA-256 of their bytes.
///
/// All of it holds only for this version of the program with these versions of its libraries: what one cannot decode,
/// the next one may.
final class SourceMemory: Sendable {
  let cache: DiskCache
  private let helpers: HelperPool
  private let versions = SingleFlight<Int, String>()
  private let mediaPlane = Mutex<String?>(nil)

  init(_ cache: DiskCache, helpers: HelperPool) {
    self.cache = cache
    self.helpers = helpers
  }

  func facts(of sha256: String, _ request: InspectRequest) async throws -> MediaFacts? {
    await cache.document(.facts, of: sha256, version: try await version(request), as: MediaFacts.self)
  }

  func keep(_ facts: MediaFacts, of sha256: String, _ request: InspectRequest) async throws {
    await cache.keep(facts, as: .facts, of: sha256, version: try await version(request))
  }

  /// An attachment that was made before; whoever asks must see whether the store still has it.
  func asset(of sha256: String, _ recipe: Recipe) async throws -> PreparedAsset? {
    await cache.document(.prepared, of: sha256, version: try await version(recipe), as: PreparedAsset.self)
  }

  func keep(_ asset: PreparedAsset, of sha256: String, _ recipe: Recipe) async throws {
    await cache.keep(asset, as: .prepared, of: sha256, version: try await version(recipe))
  }

  /// The name of a question, with everything besides the source that the answer depends on.
  private func version(_ question: some Encodable) async throws -> String {
    Digest.sha256(of: try encoded(question) + Array(try await describedMediaPlane().utf8))
  }

  /// What the media plane consists of. Asked once.
  private func describedMediaPlane() async throws -> String {
    if let known = mediaPlane.withLock({ $0 }) { return known }
    let helpers = helpers
    let text = try await versions.value(for: 0) {
      guard case .capabilities(let capabilities) = try await helpers.perform(.describe, files: []) else {
        throw unexpectedAnswer(at: .inspect)
      }
      return "\(Profile.version) " + String(decoding: try encoded(capabilities), as: UTF8.self)
    }
    mediaPlane.withLock { $0 = text }
    return text
  }
}

/// An attachment's file in the store, and how it was made.
struct PreparedAsset: Codable, Sendable, Equatable {
  let stored: StoredAsset
  let file: PreparedFile
}

/// What was found out about one download, as long as jobs have it.
final class SourceFindings: Sendable {
  let facts = Mutex<MediaFacts?>(nil)
  /// By the recipe, encoded.
  let assets = Mutex<[[UInt8]: PreparedAsset]>([:])
}
