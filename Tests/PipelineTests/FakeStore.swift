import AssetStore
import RichPush
import Synchronization

/// A store that fails when it is told to, and remembers in which order it was used.
final class FakeStore: AssetStore {
  private let real: DirectoryStore
  private let failing: Set<String>
  let calls = Mutex<[String]>([])

  init(at path: String, failing: Set<String> = []) async throws {
    real = try await DirectoryStore(path: path)
    self.failing = failing
  }

  private func note(_ call: String) throws(Rejection.Reason) {
    calls.withLock { $0.append(call) }
    if failing.contains(call) { throw Rejection.Reason(.storeFailed, at: .store, "the \(call) failed") }
  }

  func check() async throws(Rejection.Reason) { try note("check") }

  func makeWorkFile() async throws(Rejection.Reason) -> WorkFile {
    try note("work")
    return try await real.makeWorkFile()
  }

  func storeAsset(_ file: WorkFile, as type: AttachmentType) async throws(Rejection.Reason) -> StoredAsset {
    try note("asset")
    return try await real.storeAsset(file, as: type)
  }

  func storeManifest(_ json: [UInt8], id: String) async throws(Rejection.Reason) -> String {
    try note("manifest")
    return try await real.storeManifest(json, id: id)
  }

  func manifest(id: String) async throws(Rejection.Reason) -> [UInt8]? { try await real.manifest(id: id) }
  func hasAsset(at location: String, bytes: Int) async -> Bool { await real.hasAsset(at: location, bytes: bytes) }
}
