package import RichPush

/// Keeps attachments under the name of their content, and manifests under the id of their job.
///
/// What is stored is whole or not there at all, also when the process or the machine dies in between. A caller that
/// stores the assets of a manifest before the manifest itself never shows a reader a manifest whose assets are missing.
/// Several tasks and several processes may use one store at once.
///
/// Everything that fails is a `Rejection.Reason` of code `store_failed`.
package protocol AssetStore: Sendable {
  /// Finds out whether the store can be used now, as far as that can be told without storing anything. It is cheap
  /// enough for every few seconds.
  func check() async throws(Rejection.Reason)

  /// Finds out whether the store can be written to, by writing to it where there is no other way.
  func checkWriting() async throws(Rejection.Reason)

  /// Creates an empty file, readable and writable, for the media plane to fill. It vanishes unless it is stored.
  func makeWorkFile() async throws(Rejection.Reason) -> WorkFile

  /// Hashes, syncs and files an asset. One that the store already has is not written again. Nothing may write to
  /// `file` any more; it cannot be stored twice.
  func storeAsset(_ file: WorkFile, as type: AttachmentType) async throws(Rejection.Reason) -> StoredAsset

  /// Files the manifest of the job with this id in place of an earlier one. Returns its location.
  func storeManifest(_ json: [UInt8], id: String) async throws(Rejection.Reason) -> String

  /// The manifest of the job with this id, nil when there is none.
  func manifest(id: String) async throws(Rejection.Reason) -> [UInt8]?

  /// Whether an asset of this size is stored at a location that `storeAsset` once gave. Anything that is not such a
  /// location is not there.
  func hasAsset(at location: String, bytes: Int) async -> Bool
}

extension AssetStore {
  /// For stores whose `check` can tell.
  package func checkWriting() async throws(Rejection.Reason) { try await check() }
}

/// What the store knows about an asset.
package struct StoredAsset: Sendable, Equatable, Codable {
  /// Where it is, relative to the store: `assets/<two hex digits>/<sha256>.<extension>`.
  package var location: String
  /// SHA-256 of the content, in lower-case hex.
  package var sha256: String
  package var bytes: Int

  package init(location: String, sha256: String, bytes: Int) {
    self.location = location
    self.sha256 = sha256
    self.bytes = bytes
  }
}
