import Blocking
import Digest
import Glibc
package import RichPush
import Synchronization

/// A store in a folder of the local file system.
///
/// ```
/// assets/<two hex digits>/<sha256>.<extension>
/// manifests/<id, percent-encoded>.json
/// .work/                                   files being made
/// ```
/// Files are written in `.work`, synced, renamed, and the folder they come into is synced.
package final class DirectoryStore: AssetStore {
  /// The folder as it was named, for messages.
  package let path: String
  private let root: CInt
  private let manifests: CInt
  private let work: WorkFolder
  /// The folders below `assets` whose own entries are known to last. Another process may have created one and died
  /// before it was on the disk.
  private let syncedShards = Mutex<Set<String>>([])

  /// Opens a store, creating the folder and what belongs into it, and makes sure that it can be written to.
  package convenience init(path: String) async throws(Rejection.Reason) {
    try await self.init(path: Array(path.utf8))
  }

  /// - Parameter path: the folder's name as the system has it, which need not be valid UTF-8.
  package init(path: [UInt8]) async throws(Rejection.Reason) {
    let name = String(decoding: path, as: UTF8.self)
    let opened = try await blocking { () throws(Rejection.Reason) -> Opened in
      do throws(CallFailure) {
        return try Opened(path)
      } catch {
        throw storeFailure(error.code, "keep attachments", in: name)
      }
    }
    self.path = name
    root = opened.root
    manifests = opened.manifests
    work = opened.work
  }

  deinit {
    close(root)
    close(manifests)
  }

  package func check() async throws(Rejection.Reason) {
    try await perform("keep attachments") { () throws(CallFailure) in _ = try self.work.makeFile() }
  }

  package func makeWorkFile() async throws(Rejection.Reason) -> WorkFile {
    try await perform("create a work file") { () throws(CallFailure) in try self.work.makeFile() }
  }

  package func storeAsset(
    _ file: WorkFile, as type: AttachmentType
  ) async throws(Rejection.Reason) -> StoredAsset {
    let asset = try await perform("store the \(type.kind.rawValue)") { () throws(CallFailure) -> StoredAsset in
      let (sha256, bytes) = try hash(file)
      let location = AssetLocation(sha256: sha256, type: type)
      if bytes > 0 {
        try self.place(file, bytes: bytes, at: location)
      }
      return StoredAsset(location: location.description, sha256: sha256, bytes: bytes)
    }
    guard asset.bytes > 0 else { throw .emptyAsset(type) }
    return asset
  }

  package func storeManifest(_ json: [UInt8], id: String) async throws(Rejection.Reason) -> String {
    let name = try fileName(ofManifest: id)
    try await perform("write manifests/\(name)") { () throws(CallFailure) in
      let file = try self.work.makeFile()
      try writeAll(json, to: file.descriptor)
      try call { fdatasync(file.descriptor) }
      try file.move(to: name, in: self.manifests)
      try call { fsync(self.manifests) }
    }
    return "manifests/\(name)"
  }

  package func manifest(id: String) async throws(Rejection.Reason) -> [UInt8]? {
    let name = try fileName(ofManifest: id)
    return try await perform("read manifests/\(name)") { () throws(CallFailure) -> [UInt8]? in
      do throws(CallFailure) {
        return try withOpen(name, in: self.manifests, O_RDONLY, readAll)
      } catch {
        guard error.code == ENOENT else { throw error }
        return nil
      }
    }
  }

  package func hasAsset(at location: String, bytes: Int) async -> Bool {
    guard let location = AssetLocation(location) else { return false }
    return await blocking {
      let found = try? size(of: location.description, in: self.root)
      return found == bytes
    }
  }

  /// Runs on a thread where blocking is harmless.
  private func perform<Value: Sendable>(
    _ action: String, _ body: @escaping @Sendable () throws(CallFailure) -> Value
  ) async throws(Rejection.Reason) -> Value {
    try await blocking { () throws(Rejection.Reason) -> Value in
      do throws(CallFailure) {
        return try body()
      } catch {
        throw storeFailure(error.code, action, in: self.path)
      }
    }
  }

  private func place(_ file: WorkFile, bytes: Int, at location: AssetLocation) throws(CallFailure) {
    try withFolder("assets", in: root) { (assets) throws(CallFailure) in
      try self.makeShard(location.shard, in: assets)
      try withFolder(location.shard, in: assets) { (shard) throws(CallFailure) in
        let name = "\(location.sha256).\(location.fileExtension)"
        if try size(of: name, in: shard) == bytes {
          file.discard()
        } else {
          try call { fdatasync(file.descriptor) }
          try file.move(to: name, in: shard)
        }
        // Also for one that was there: who renamed it may not have come to this.
        try call { fsync(shard) }
      }
    }
  }

  private func makeShard(_ name: String, in assets: CInt) throws(CallFailure) {
    guard !syncedShards.withLock({ $0.contains(name) }) else { return }
    try makeFolder(name, in: assets)
    try call { fsync(assets) }
    syncedShards.withLock { _ = $0.insert(name) }
  }
}

/// What a store holds open. The caller owns the descriptors.
private struct Opened: Sendable {
  let root: CInt
  let manifests: CInt
  let work: WorkFolder

  init(_ path: [UInt8]) throws(CallFailure) {
    root = try openCreating(path)
    do throws(CallFailure) {
      try makeFolder("assets", in: root)
      try makeFolder("manifests", in: root)
      work = try WorkFolder(".work", in: root)
      // Fails where files cannot be created, rather than after the first picture has been prepared.
      _ = try work.makeFile()
      manifests = try call { [root] in openat(root, "manifests", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    } catch {
      close(root)
      throw error
    }
  }
}

/// Creates a folder by its path, unless it exists, and makes its entry last.
private func makeFolder(atPath path: [CChar]) throws(CallFailure) {
  do {
    try call { mkdir(path, 0o777) }
  } catch {
    guard error.code == EEXIST else { throw error }
    return
  }
  let folder = try call { openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  defer { close(folder) }
  // Where the parent may be written to but not read, this cannot be had.
  try? withFolder("..", in: folder) { (parent) throws(CallFailure) in _ = try call { fsync(parent) } }
}

/// Opens a folder, after creating it and what lies above it where that is missing.
private func openCreating(_ path: [UInt8]) throws(CallFailure) -> CInt {
  guard !path.isEmpty, !path.contains(0) else { throw CallFailure(code: ENOENT) }
  var failure: CallFailure?
  for end in path.indices.dropFirst() + [path.count] where end == path.count || path[end] == UInt8(ascii: "/") {
    let part = path[..<end].map(CChar.init(bitPattern:)) + [0]
    do {
      try makeFolder(atPath: part)
    } catch {
      failure = failure ?? error
    }
  }
  do {
    return try call { openat(AT_FDCWD, path.map(CChar.init(bitPattern:)) + [0], O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  } catch {
    // That it is not there follows from why it could not be created.
    throw error.code == ENOENT ? failure ?? error : error
  }
}

/// SHA-256 of what a work file holds, in lower-case hex, and its size. Blocks.
func hash(_ file: WorkFile) throws(CallFailure) -> (sha256: String, bytes: Int) {
  do throws(ReadFailure) {
    let (hex, bytes) = try sha256(ofFile: file.descriptor)
    return (hex, bytes)
  } catch {
    throw CallFailure(code: error.errno)
  }
}

/// The last part of the location of a job's manifest.
func fileName(ofManifest id: String) throws(Rejection.Reason) -> String {
  guard !id.isEmpty else {
    throw Rejection.Reason(.invalidJob, at: .store, "the job's id is empty, so its manifest has no name")
  }
  return manifestName(ofJob: id) + ".json"
}
