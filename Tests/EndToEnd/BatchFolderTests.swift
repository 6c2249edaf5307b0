import Glibc
import RichPush
import TestSupport
import Testing

@Suite("The folders of a batch")
struct BatchFolderTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.put("image/rgba.png", as: "a.png")
    try bench.put("image/progressive.jpg", as: "b.jpg")
  }

  @Test("an output folder inside the source folder is no source")
  func outputInside() async throws {
    let out = "\(bench.source)/prepared"
    for expected in ["2 files\n", "2 files, 2 of them up to date\n"] {
      let run = try await enclosure("batch", bench.source, "--out", out, environment: bench.environment())
      #expect(run.status == 0)
      #expect(run.errors.hasPrefix(expected), "\(run.errors)")
    }
    let store = Store(folder: bench.folder, name: "source/prepared")
    #expect(try store.lines.map(\.id) == ["a.png", "b.jpg"])
    #expect(try await store.faults() == [])
  }

  @Test("the source folder is no output folder")
  func outputIsSource() async throws {
    for out in [bench.source, "\(bench.source)/.", "\(bench.source)/../source"] {
      let run = try await enclosure("batch", bench.source, "--out", out, environment: bench.environment())
      #expect(run.status == EX_USAGE)
      #expect(run.errors.contains("choose another"), "\(run.errors)")
    }
    #expect(bench.folder.files(below: "source").sorted() == ["source/a.png", "source/b.jpg"])
  }

  @Test("a missing output folder is made, with all above it")
  func outputIsMade() async throws {
    let out = "\(bench.folder.path)/x/y/z"
    #expect(try await enclosure("batch", bench.source, "--out", out, environment: bench.environment()).status == 0)
    #expect(try await Store(folder: bench.folder, name: "x/y/z").faults() == [])
  }

  @Test("an output folder that is a file is named, and nothing happens to it")
  func outputIsFile() async throws {
    try bench.folder.write([1], to: "out")
    let run = try await bench.batch()
    #expect(run.status == EX_SOFTWARE)
    #expect(run.errors.contains(bench.out) && run.errors.contains("is a file"), "\(run.errors)")
    #expect(bench.folder.content("out") == [1])
  }

  @Test(
    "an output folder that cannot be written to is named with what to do", .enabled(if: OtherUser.exist, OtherUser.need)
  )
  func outputIsUnwritable() async throws {
    try bench.folder.makeFolder("out")
    chmod(bench.folder.path, 0o755)
    chmod(bench.out, 0o555)
    let run = try await OtherUser.enclosure("batch", bench.source, "--out", bench.out)
    #expect(run.status == EX_SOFTWARE)
    #expect(run.errors.contains("permission denied") && run.errors.contains(bench.out), "\(run.errors)")
    #expect(run.errors.contains("choose another folder"))
    #expect(bench.store.files == [])
  }

  @Test(
    "a folder and a file that cannot be read are rejected, and the rest is prepared",
    .enabled(if: OtherUser.exist, OtherUser.need))
  func unreadable() async throws {
    try bench.put("image/rgb.png", as: "closed/inside.png")
    try bench.put("image/rgb.png", as: "closed.png")
    try bench.folder.makeFolder("out")
    chmod(bench.folder.path, 0o755)
    chmod(bench.out, 0o777)
    chmod("\(bench.source)/closed", 0)
    chmod("\(bench.source)/closed.png", 0)
    let run = try await OtherUser.enclosure("batch", bench.source, "--out", bench.out)
    chmod("\(bench.source)/closed", 0o755)
    #expect(run.status == 0)
    #expect(try bench.store.codes == ["closed": .fetchFailed, "closed.png": .fetchFailed])
    #expect(try bench.store.manifest("closed")?.rejections.first?.reason.message.contains("Permission denied") == true)
    #expect(try bench.store.lines.count == 4)

    // With permission given, they are tried again.
    _ = try await bench.batch()
    #expect(try bench.store.codes == [:])
    #expect(try bench.store.lines.map(\.id) == ["a.png", "b.jpg", "closed.png", "closed/inside.png"])
  }

  @Test(
    "a source folder that cannot be read ends the batch with its name", .enabled(if: OtherUser.exist, OtherUser.need))
  func sourceIsUnreadable() async throws {
    try bench.folder.makeFolder("out")
    chmod(bench.folder.path, 0o755)
    chmod(bench.out, 0o777)
    chmod(bench.source, 0)
    let run = try await OtherUser.enclosure("batch", bench.source, "--out", bench.out)
    chmod(bench.source, 0o755)
    #expect(run.status == EX_SOFTWARE)
    #expect(run.errors.contains(bench.source) && run.errors.contains("Permission denied"), "\(run.errors)")
  }

  @Test("a source folder that is not there or is a file is named, with what would be right")
  func sourceIsNone() async throws {
    let missing = try await enclosure("batch", "\(bench.source)/none", "--out", bench.out)
    #expect(missing.status == EX_USAGE)
    #expect(missing.errors.contains("there is no folder \(bench.source)/none"), "\(missing.errors)")
    let file = try await enclosure("batch", "\(bench.source)/a.png", "--out", bench.out)
    #expect(file.status == EX_USAGE)
    #expect(file.errors.contains("enclosure prepare"), "\(file.errors)")
    #expect(bench.store.files == [])
  }

  @Test("an empty folder is prepared in no time")
  func empty() async throws {
    try bench.folder.remove("source/a.png")
    try bench.folder.remove("source/b.jpg")
    let run = try await bench.batch("--strict")
    #expect(run.status == 0)
    #expect(run.errors.hasPrefix("0 files\n"))
    #expect(bench.store.content("index.jsonl") == [])
  }

  @Test("two batches at once into one folder both succeed, and leave what one would")
  func twoAtOnce() async throws {
    for number in 0..<12 { try bench.put("image/orientation-\(number % 8 + 1).jpg", as: "c\(number).jpg") }
    async let one = bench.batch()
    async let other = bench.batch()
    for run in try await [one, other] {
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try bench.store.lines.count == 14)
    #expect(try await bench.store.faults() == [])
    #expect(try await bench.batch().errors.hasPrefix("14 files, 14 of them up to date\n"))
  }

  @Test("the same picture under two names is stored once")
  func duplicates() async throws {
    try bench.put("image/rgba.png", as: "sub/copy.png")
    _ = try await bench.batch()
    let assets = try ["a.png", "sub/copy.png"].map { try bench.store.manifest($0)?.attachments.first?.asset }
    #expect(assets[0] != nil && assets[0] == assets[1])
    #expect(try await bench.store.faults() == [])
  }
}

@Suite("A full disk", .enabled(if: SmallDisk.canBeMade, "only root may mount the small disk that is filled"))
struct FullDiskTests {
  let bench: Workbench
  let disk: SmallDisk

  init() throws {
    bench = try Workbench()
    disk = try #require(SmallDisk(kilobytes: 1024))
    try bench.put("image/landscape.jpg", as: "a.jpg")
    try bench.put("image/rgba.png", as: "b.png")
    symlink(disk.path, bench.out)
  }

  /// Fills the disk up to so many bytes.
  private func fill(leaving bytes: Int) throws {
    var status = statvfs()
    try #require(statvfs(disk.path, &status) == 0)
    let free = Int(status.f_bavail) * Int(status.f_bsize)
    let file = try #require(fopen("\(disk.path)/filler", "w"))
    defer { fclose(file) }
    let rubbish = [UInt8](repeating: 1, count: max(0, free - bytes))
    _ = fwrite(rubbish, 1, rubbish.count, file)
  }

  @Test(
    "ends a batch with a clear error or rejects what has no room, and space is all that the next run needs",
    arguments: [0, 4096, 16_384, 32_768, 65_536])
  func batch(left: Int) async throws {
    try fill(leaving: left)
    let run = try await bench.batch()
    let isRejected = try bench.store.codes.values.contains(.storeFailed)
    #expect(isRejected || run.errors.lowercased().contains("no space"), "\(run.errors)")
    #expect(run.status == EX_SOFTWARE || run.status == 0)
    #expect(run.status == 0 || run.errors.contains("free some"), "\(run.errors)")
    let partial = Store(folder: bench.folder, name: "out")
    #expect(try await partial.faults(strays: false).filter { !$0.hasSuffix("has no manifest") } == [])

    unlink("\(disk.path)/filler")
    #expect(try await bench.batch("--strict").status == 0)
    #expect(try bench.store.lines.map(\.id) == ["a.jpg", "b.png"])
    #expect(try await bench.store.faults() == [])
  }

  @Test("rejects what has no room to be spooled as store_failed, to be tried again")
  func spool() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(
        200, ["Content-Type: image/jpeg"], body: [0xFF, 0xD8] + Array(repeating: 1, count: 2_000_000))
    }
    try bench.folder.makeFolder("store")
    let run = try await enclosure(
      "prepare", origin.url("/a.jpg"), "--out", "\(bench.folder.path)/store", "--spool", disk.path,
      environment: bench.environment(reaching: [origin.port]))
    #expect(run.status == 1)
    #expect(try run.log.map { $0["code"] } == ["store_failed"], "\(run.errors)")
    #expect(run.text.contains("\"permanent\" : false"))
  }
}
