import AssetStore
import Glibc
import RichPush
import TestSupport
import Testing

@Suite struct DirectoryStoreTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("a folder is a store", arguments: AssetStoreConformance.allCases)
  func conforms(_ conformance: AssetStoreConformance) async throws {
    let folder = folder
    try await conformance.check(
      StoreUnderTest(
        store: try await DirectoryStore(path: folder.path), content: { folder.content($0) },
        locations: { below in folder.files(below: below) }))
  }

  @Test("folders on the way to the store are created")
  func createsFolders() async throws {
    let store = try await DirectoryStore(path: folder.path + "/a/b/../c//d/")
    _ = try await store.storeManifest([1], id: "x")
    #expect(folder.content("a/c/d/manifests/x.json") == [1])
  }

  @Test("a store's folder may have a name that is not UTF-8")
  func keepsForeignNames() async throws {
    let path = Array("\(folder.path)/".utf8) + [0xFF, 0xFE]
    let store = try await DirectoryStore(path: path)
    _ = try await store.storeManifest([1], id: "x")
    let file = try #require(path.map(CChar.init(bitPattern:)).withUnsafeBufferPointer { _ in opendir(folder.path) })
    defer { closedir(file) }
    var status = stat()
    let manifest = (path + Array("/manifests/x.json".utf8) + [0]).map(CChar.init(bitPattern:))
    #expect(stat(manifest, &status) == 0)
  }

  @Test("an asset that was damaged in length is replaced")
  func replacesDamagedAsset() async throws {
    let store = try await DirectoryStore(path: folder.path)
    let asset = try await storeAsset([1, 2, 3], as: .jpeg, in: store)
    try folder.write([1], to: asset.location)
    _ = try await storeAsset([1, 2, 3], as: .jpeg, in: store)
    #expect(folder.content(asset.location) == [1, 2, 3])
  }

  @Test("an asset that is there is not written again")
  func keepsInode() async throws {
    let store = try await DirectoryStore(path: folder.path)
    var (before, after) = (stat(), stat())
    let asset = try await storeAsset([1, 2, 3], as: .jpeg, in: store)
    stat("\(folder.path)/\(asset.location)", &before)
    _ = try await storeAsset([1, 2, 3], as: .jpeg, in: store)
    stat("\(folder.path)/\(asset.location)", &after)
    #expect(before.st_ino == after.st_ino)
  }

  @Test("files are as readable as the user's mask says")
  func respectsMask() async throws {
    let store = try await DirectoryStore(path: folder.path)
    let asset = try await storeAsset([1], as: .jpeg, in: store)
    var (stored, usual) = (stat(), stat())
    try folder.write([], to: "usual")
    stat("\(folder.path)/\(asset.location)", &stored)
    stat("\(folder.path)/usual", &usual)
    #expect(stored.st_mode == usual.st_mode)
  }

  @Test("files of a store that is in use stay, those of a dead process go")
  func removesAbandonedFiles() async throws {
    let store = try await DirectoryStore(path: folder.path)
    let file = try await store.makeWorkFile()
    try fill(file, with: [1, 2, 3])
    try folder.write([1], to: ".work/work-abandoned")
    try folder.write([1], to: ".work/something else")
    let second = try await DirectoryStore(path: folder.path)
    #expect(folder.files(below: ".work").count == 2)
    #expect(folder.content(".work/work-abandoned") == nil)
    #expect(folder.content(".work/something else") == [1])
    let asset = try await store.storeAsset(file, as: .jpeg)
    #expect(await second.hasAsset(at: asset.location, bytes: 3))
  }

  @Test("a descriptor that went to another process keeps its work file from being tidied up")
  func keepsFilesOfHelpers() async throws {
    let store = try await DirectoryStore(path: folder.path)
    var file: WorkFile? = try await store.makeWorkFile()
    let helpers = dup(try #require(file).descriptor)
    defer { close(helpers) }
    try folder.write([], to: ".work/work-0")
    let second = try await DirectoryStore(path: folder.path)
    #expect(folder.files(below: ".work").count == 1)
    file = nil
    #expect(folder.files(below: ".work").isEmpty)
    _ = second
  }

  @Test(
    "a store that cannot be opened closes nothing of others", .enabled(if: SmallDisk.canBeMade, "only root may mount"))
  func closesOnce() async throws {
    let disk = try #require(SmallDisk(kilobytes: 1_000))
    _ = try await DirectoryStore(path: disk.path)
    try #require(disk.makeReadOnly())
    let watch = try DescriptorWatch()
    for _ in 0..<5_000 {
      await #expect(throws: Rejection.Reason.self) { try await DirectoryStore(path: disk.path) }
    }
    #expect(watch.rounds > 0)
    #expect(watch.losses == 0)
  }

  /// What happens to the folder of a store that is in use.
  enum Replacement: String, CaseIterable {
    case removed, renamed, linked
  }

  @Test("a store whose folder is replaced goes on in the new one", arguments: Replacement.allCases)
  func followsName(_ replacement: Replacement) async throws {
    let path = "\(folder.path)/store"
    if replacement == .linked {
      try folder.makeFolder("first")
      try #require(symlink("first", path) == 0)
    }
    let store = try await DirectoryStore(path: path)
    let old = try await storeAsset([1], as: .jpeg, in: store)
    switch replacement {
    case .removed: try folder.removeFolder("store")
    case .renamed: try #require(rename(path, "\(folder.path)/old") == 0)
    case .linked: try #require(unlink(path) == 0)
    }
    for _ in 1...2 {
      for use in [{ try await store.check() }, { _ = try await store.storeManifest([1], id: "x") }] {
        let reason = await #expect(throws: Rejection.Reason.self) { try await use() }
        #expect(reason?.message.hasSuffix("there is no such folder; create it, or choose another one") == true)
      }
      #expect(await !store.hasAsset(at: old.location, bytes: 1))
    }
    #expect(folder.content("store/manifests/x.json") == nil && folder.content("old/manifests/x.json") == nil)

    if replacement == .linked {
      try folder.makeFolder("second")
      try #require(symlink("second", path) == 0)
    } else {
      try folder.makeFolder("store")
    }
    #expect(try await store.manifest(id: "x") == nil)
    try await store.check()
    let asset = try await storeAsset([1], as: .jpeg, in: store)
    _ = try await store.storeManifest([2], id: "x")
    #expect(folder.content("store/\(asset.location)") == [1])
    #expect(folder.content("store/manifests/x.json") == [2])
    #expect(folder.content("old/manifests/x.json") == nil && folder.content("first/manifests/x.json") == nil)
  }

  @Test("what is missing in a store's folder is made anew", arguments: ["assets", "assets/*", "manifests", ".work"])
  func mendsFolder(missing: String) async throws {
    let store = try await DirectoryStore(path: folder.path)
    let asset = try await storeAsset([1], as: .jpeg, in: store)
    _ = try await store.storeManifest([1], id: "x")
    let name = missing == "assets/*" ? String(asset.location.prefix(9)) : missing
    try folder.removeFolder(name)
    try await store.check()
    #expect(try await store.manifest(id: "x") == (name == "manifests" ? nil : [1]))
    #expect(try await storeAsset([1], as: .jpeg, in: store) == asset)
    #expect(folder.content(asset.location) == [1])
    _ = try await store.storeManifest([2], id: "x")
    #expect(folder.content("manifests/x.json") == [2])
  }

  @Test("a file that is being made while its store is renamed is stored in the new one")
  func movesWorkFile() async throws {
    let path = "\(folder.path)/store"
    let store = try await DirectoryStore(path: path)
    let file = try await store.makeWorkFile()
    try fill(file, with: [1])
    try #require(rename(path, "\(folder.path)/old") == 0)
    try folder.makeFolder("store")
    let asset = try await store.storeAsset(file, as: .jpeg)
    #expect(folder.content("store/\(asset.location)") == [1])
  }
}
