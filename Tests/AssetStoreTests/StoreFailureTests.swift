import Glibc
import RichPush
import TestSupport
import Testing

@testable import AssetStore

@Suite struct StoreFailureTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func failure(opening path: String) async -> Rejection.Reason? {
    await #expect(throws: Rejection.Reason.self) { try await DirectoryStore(path: path) }
  }

  @Test("a store below a file cannot be opened")
  func opensNothingBelowAFile() async throws {
    try folder.write([], to: "file")
    for path in ["\(folder.path)/file", "\(folder.path)/file/store"] {
      let reason = await failure(opening: path)
      #expect(reason?.code == .storeFailed)
      #expect(reason?.stage == .store)
      #expect(reason?.permanent == false)
      #expect(
        reason?.message == "cannot keep attachments in \(path): something on the way there is a file, not a folder; "
          + "remove it, or choose another folder")
    }
  }

  @Test("a store that may not be written to cannot be opened", .enabled(if: geteuid() != 0, "root may write anywhere"))
  func opensNothingUnwritable() async throws {
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    let reason = await failure(opening: folder.path)
    #expect(reason?.message.contains("permission denied; let this user") == true)
    #expect(await failure(opening: "\(folder.path)/a/b")?.message.contains("permission denied; let this user") == true)
  }

  @Test("a store on a read-only disk cannot be opened", .enabled(if: SmallDisk.canBeMade, "mounting needs root"))
  func opensNothingReadOnly() async throws {
    let disk = try #require(SmallDisk(kilobytes: 64))
    try #require(disk.makeReadOnly())
    let reason = await failure(opening: disk.path)
    #expect(reason?.message.contains("the file system is read-only; mount it writable") == true)
    #expect(reason?.permanent == false)
  }

  @Test("an empty name is no store")
  func opensNothingUnnamed() async throws {
    #expect(await failure(opening: "")?.code == .storeFailed)
  }

  @Test(
    "a full disk is reported, keeps what is whole, and works again once there is space",
    .enabled(if: SmallDisk.canBeMade, "mounting needs root"))
  func survivesFullDisk() async throws {
    let disk = try #require(SmallDisk(kilobytes: 1024))
    let store = try await DirectoryStore(path: disk.path)
    let small = try await storeAsset([1, 2, 3], as: .jpeg, in: store)
    _ = try await store.storeManifest([1], id: "kept")
    try await {
      // What a helper would run into while it encodes.
      let filler = try await store.makeWorkFile()
      let block = [UInt8](repeating: 1, count: 4096)
      while write(filler.descriptor, block, block.count) > 0 {}
      #expect(errno == ENOSPC)

      let reason = await #expect(throws: Rejection.Reason.self) {
        try await store.storeManifest([UInt8](repeating: 2, count: 100_000), id: "kept")
      }
      #expect(reason?.code == .storeFailed)
      #expect(reason?.permanent == false)
      #expect(
        reason?.message == "cannot write manifests/kept.json in \(disk.path): no space is left on the disk; "
          + "free some, or choose another folder")
      #expect(contentOfFile("\(disk.path)/manifests/kept.json") == [1])
      #expect(await store.hasAsset(at: small.location, bytes: 3))
    }()
    // Another test may be starting a process just now, which holds every descriptor until it is its own program.
    for _ in 0..<6_000 where freeBlocks(of: disk.path) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    _ = try await store.storeManifest([3], id: "kept")
    #expect(contentOfFile("\(disk.path)/manifests/kept.json") == [3])
    #expect(try await storeAsset([4], as: .png, in: store).bytes == 1)
  }

  @Test(
    "a name that the file system cannot hold stays rejected; everything else may be tried again",
    arguments: [(ENAMETOOLONG, true), (EFBIG, true), (ENOSPC, false), (EDQUOT, false), (EACCES, false), (EIO, false)])
  func decidesWhatPasses(code: CInt, permanent: Bool) {
    let reason = storeFailure(code, "write x", in: "/out")
    #expect(reason.permanent == permanent)
    #expect(reason.message.hasPrefix("cannot write x in /out: "))
    #expect(reason.message.contains("; "))
  }
}

private func freeBlocks(of path: String) -> UInt {
  var status = statvfs()
  return statvfs(path, &status) == 0 ? UInt(status.f_bavail) : 0
}
