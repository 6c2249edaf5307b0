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
///
/// The store is what has the folder's name now: when that is another folder than before, because somebody replaced or
/// renamed the old one, the new one is used from then on. A folder that is gone is not created again, since a disk may
/// be missing under it.
package final class DirectoryStore: AssetStore {
  /// The folder as it was named, for messages.
  package let path: String
  private let name: [UInt8]
  private let current: Mutex<OpenStore>

  /// Opens a store, creating the folder and what belongs into it, and makes sure that it can be written to.
  package convenience init(path: String) async throws(Rejection.Reason) {
    try await self.init(path: Array(path.utf8))
  }

  /// - Parameter path: the folder's name as the system has it, which need not be valid UTF-8.
  package init(path: [UInt8]) async throws(Rejection.Reason) {
    let name = String(decoding: path, as: UTF8.self)
    let opened = try await blocking { () throws(Rejection.Reason) -> OpenStore in
      do throws(CallFailure) {
        return try OpenStore(try openCreating(path))
      } catch {
        throw storeFailure(error.code, "keep attachments", in: name)
      }
    }
    self.path = name
    self.name = path
    current = Mutex(opened)
  }

  package func check() async throws(Rejection.Reason) {
    try await perform("keep attachments") { (store) throws(CallFailure) in _ = try store.work.makeFile() }
  }

  package func makeWorkFile() async throws(Rejection.Reason) -> WorkFile {
    try await perform("create a work file") { (store) throws(CallFailure) in try store.work.makeFile() }
  }

  package func storeAsset(
    _ file: WorkFile, as type: AttachmentType
  ) async throws(Rejection.Reason) -> StoredAsset {
    let asset = try await perform("store the \(type.kind.rawValue)") { (store) throws(CallFailure) -> StoredAsset in
      let (sha256, bytes) = try hash(file)
      let location = AssetLocation(sha256: sha256, type: type)
      if bytes > 0 {
        try store.place(file, bytes: bytes, at: location)
      }
      return StoredAsset(location: location.description, sha256: sha256, bytes: bytes)
    }
    guard asset.bytes > 0 else { throw .emptyAsset(type) }
    return asset
  }

  package func storeManifest(_ json: [UInt8], id: String) async throws(Rejection.Reason) -> String {
    let name = try fileName(ofManifest: id)
    try await perform("write manifests/\(name)") { (store) throws(CallFailure) in
      let file = try store.work.makeFile()
      try writeAll(json, to: file.descriptor)
      try call { fdatasync(file.descriptor) }
      try withFolder("manifests", in: store.root) { (manifests) throws(CallFailure) in
        try file.move(to: name, in: manifests)
        try call { fsync(manifests) }
      }
    }
    return "manifests/\(name)"
  }

  package func manifest(id: String) async throws(Rejection.Reason) -> [UInt8]? {
    let name = try fileName(ofManifest: id)
    return try await perform("read manifests/\(name)") { (store) throws(CallFailure) -> [UInt8]? in
      try withFolder("manifests", in: store.root) { (manifests) throws(CallFailure) -> [UInt8]? in
        do throws(CallFailure) {
          return try withOpen(name, in: manifests, O_RDONLY, readAll)
        } catch {
          guard error.code == ENOENT else { throw error }
          return nil
        }
      }
    }
  }

  package func hasAsset(at location: String, bytes: Int) async -> Bool {
    guard let location = AssetLocation(location) else { return false }
    return await blocking {
      let found = try? size(of: location.description, in: self.opened().root)
      return found == bytes
    }
  }

  /// Runs on a thread where blocking is harmless, a second time when something of the store was found missing that can
  /// be put there.
  private func perform<Value: Sendable>(
    _ action: String, _ body: @escaping @Sendable (OpenStore) throws(CallFailure) -> Value
  ) async throws(Rejection.Reason) -> Value {
    try await blocking { () throws(Rejection.Reason) -> Value in
      do throws(CallFailure) {
        let store = try self.opened()
        do throws(CallFailure) {
          return try body(store)
        } catch {
          guard error.code == ENOENT || error.code == ESTALE else { throw error }
          return try body(try self.openAgain())
        }
      } catch {
        throw storeFailure(error.code, action, in: self.path)
      }
    }
  }

  /// The folder that has the store's name now. Blocks.
  private func opened() throws(CallFailure) -> OpenStore {
    let store = current.withLock { $0 }
    let path = name.map(CChar.init(bitPattern:)) + [0]
    var status = stat()
    try call { fstatat(AT_FDCWD, path, &status, 0) }
    return store.isSame(as: status) ? store : try openAgain()
  }

  private func openAgain() throws(CallFailure) -> OpenStore {
    let path = name.map(CChar.init(bitPattern:)) + [0]
    let root = try call { openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    let store = try OpenStore(root)
    current.withLock { $0 = store }
    return store
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
