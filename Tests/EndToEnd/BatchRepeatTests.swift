import Glibc
import RichPush
import TestSupport
import Testing

@Suite("A batch that is run again")
struct BatchRepeatTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.put("image/landscape.jpg", as: "trip/lake.jpg")
    try bench.put("image/rgba.png")
    try bench.put("bad/text.jpg")
  }

  @Test("does nothing when nothing has changed")
  func nothing() async throws {
    let first = try await bench.batch()
    #expect(first.status == 0)
    #expect(first.errors.hasPrefix("3 files\n"))
    let (stamps, lines) = (bench.store.stamps, try bench.store.lines)
    #expect(lines.map(\.id) == ["rgba.png", "text.jpg", "trip/lake.jpg"])

    let second = try await bench.batch()
    #expect(second.status == 0)
    #expect(second.errors.hasPrefix("3 files, 3 of them up to date\n"))
    #expect(second.errors.contains("2 of 3 prepared, 1 rejected"))
    #expect(bench.store.stamps == stamps)
    #expect(try bench.store.lines == lines)
  }

  @Test("prepares the file that was changed, and no other")
  func changed() async throws {
    _ = try await bench.batch()
    let before = bench.store.stamps
    let old = try #require(try bench.store.manifest("rgba.png"))
    try bench.put("image/rgb.png", as: "rgba.png")

    let run = try await bench.batch()
    #expect(run.errors.hasPrefix("3 files, 2 of them up to date\n"))
    let new = try #require(try bench.store.manifest("rgba.png"))
    #expect(new.attachments.first?.source.sha256 != old.attachments.first?.source.sha256)
    let rewritten = before.filter { bench.store.stamps[$0.key] != $0.value }.map(\.key)
    #expect(rewritten == ["manifests/rgba.png.json"])
  }

  @Test("prepares a file that was replaced by one of the same size")
  func sameSize() async throws {
    _ = try await bench.batch()
    try bench.put(text: String(repeating: "x", count: contentOfFile(fixture("bad/text.jpg"))?.count ?? 0), as: "text.jpg")
    #expect(try await bench.batch().errors.hasPrefix("3 files, 2 of them up to date\n"))
  }

  @Test("mends what was taken from the store", arguments: ["delete", "shorten", "empty"])
  func damagedAsset(damage: String) async throws {
    _ = try await bench.batch()
    let asset = try #require(try bench.store.manifest("trip/lake.jpg")?.attachments.first?.asset)
    let path = "\(bench.out)/\(asset.location)"
    switch damage {
    case "delete": unlink(path)
    case "shorten": truncate(path, off_t(asset.bytes / 2))
    default: truncate(path, 0)
    }
    let run = try await bench.batch()
    #expect(run.errors.hasPrefix("3 files, 2 of them up to date\n"))
    #expect(try await bench.store.faults() == [])
  }

  @Test("makes a lost or emptied manifest again", arguments: [true, false])
  func damagedManifest(isDeleted: Bool) async throws {
    _ = try await bench.batch()
    let path = "\(bench.out)/manifests/trip%2Flake.jpg.json"
    if isDeleted { unlink(path) } else { truncate(path, 0) }
    #expect(try await bench.batch().errors.hasPrefix("3 files, 2 of them up to date\n"))
    #expect(try await bench.store.faults() == [])
  }

  @Test("prepares everything with other options, and returns to what the first ones made")
  func options() async throws {
    _ = try await bench.batch()
    let first = try bench.store.manifest("trip/lake.jpg")?.attachments.first?.asset
    #expect(try await bench.batch("--fit", "cover").errors.hasPrefix("3 files\n"))
    let cover = try #require(try bench.store.manifest("trip/lake.jpg")?.attachments.first?.asset)
    #expect(cover.width == 1024 && cover.height == 1024)
    #expect(try await bench.batch("--fit", "cover").errors.hasPrefix("3 files, 3 of them up to date\n"))
    #expect(try await bench.batch().errors.hasPrefix("3 files\n"))
    #expect(try bench.store.manifest("trip/lake.jpg")?.attachments.first?.asset == first)
  }

  @Test("forgets a file that is gone, and sees a new one")
  func goneAndNew() async throws {
    _ = try await bench.batch()
    try bench.folder.remove("source/rgba.png")
    try bench.put("image/one-pixel.png")
    let run = try await bench.batch()
    #expect(run.errors.hasPrefix("3 files, 2 of them up to date\n"))
    #expect(try bench.store.lines.map(\.id) == ["one-pixel.png", "text.jpg", "trip/lake.jpg"])
  }

  @Test("starts anew without its index, or with one that was cut off or filled with rubbish")
  func index() async throws {
    _ = try await bench.batch()
    let whole = try #require(bench.store.content("index.jsonl"))
    try bench.folder.remove("out/index.jsonl")
    #expect(try await bench.batch().errors.hasPrefix("3 files\n"))
    #expect(try bench.store.lines.count == 3)

    try bench.folder.write(whole.dropLast(20), to: "out/index.jsonl")
    #expect(try await bench.batch().errors.hasPrefix("3 files, 2 of them up to date\n"))
    #expect(try bench.store.lines.count == 3)

    try bench.folder.write(Array("{\n\u{0}rubbish\n".utf8) + whole, to: "out/index.jsonl")
    #expect(try await bench.batch().errors.hasPrefix("3 files, 3 of them up to date\n"))
    #expect(try bench.store.lines.count == 3)
  }

  @Test("with --strict exits with 1 when a file is rejected, also one that was rejected before")
  func strict() async throws {
    #expect(try await bench.batch("--strict").status == 1)
    #expect(try await bench.batch("--strict").status == 1)
    #expect(try await bench.batch().status == 0)
    try bench.folder.remove("source/text.jpg")
    #expect(try await bench.batch("--strict").status == 0)
  }

  @Test("with --quiet says nothing but the summary")
  func quiet() async throws {
    let run = try await bench.batch("--quiet")
    #expect(run.errors.hasPrefix("  image"))
    #expect(!run.errors.contains("3 files"))
  }
}
