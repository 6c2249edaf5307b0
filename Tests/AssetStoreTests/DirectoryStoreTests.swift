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
}
