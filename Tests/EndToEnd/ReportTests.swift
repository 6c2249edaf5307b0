import FoundationEssentials
import Glibc
import RichPush
import TestSupport
import Testing

@Suite("A report of prepared media")
struct ReportCommandTests {
  let bench: Workbench
  private var path: String { "\(bench.folder.path)/report.html" }

  init() throws {
    bench = try Workbench()
    try bench.put("image/orientation-6.jpg", as: "photo.jpg")
    try bench.put(text: "no media", as: "notes.txt")
  }

  private func page(_ name: String = "report.html") throws -> String {
    String(decoding: try #require(bench.folder.content(name)), as: UTF8.self)
  }

  @Test("shows every job of a batch with its files, and all of them again when nothing was left to do")
  func batch() async throws {
    for _ in 1...2 {
      let run = try await bench.batch("--report", path, "--quiet")
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.hasSuffix("The report is \(path)\n"))
      let page = try page()
      #expect(page.contains(">photo.jpg</h2>") && page.contains(">notes.txt</h2>"))
      #expect(page.contains(">Ready 1</label>") && page.contains(">Rejected 1</label>"))
      // The prepared one, which is shared, and the source.
      #expect(page.split(separator: "href=\"data:image/jpeg;base64,").count == 2)
      #expect(page.split(separator: "src=\"data:image/jpeg;base64,").count == 2)
      #expect(page.hasSuffix("</html>\n"))
    }
    #expect(bench.folder.files().filter { $0.contains(".enclosure-") }.isEmpty)
  }

  @Test(
    "opens in a browser, whose policy lets its script run",
    .enabled(if: TestPrograms.haveChromium, "chromium is not installed; make test does that"))
  func browser() async throws {
    try bench.put("video/rotation-90.mp4")
    try bench.put("animation/disposal.gif")
    #expect(try await bench.batch("--report", path).status == 0)
    let browser = try await tool(
      TestPrograms.chromium,
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--user-data-dir=\(bench.temporary)/profile", "--dump-dom", "file://\(path)",
      ])
    #expect(browser.text.contains("<p class=\"search\">"), "\(browser.errors)")
    #expect(browser.text.split(separator: "<article ").count == 5)
    #expect(browser.text.contains("<video class=\"medium\" controls=\"\""))
  }

  @Test("has a card for a manifest that is gone, instead of passing over its job")
  func missingManifest() async throws {
    try bench.put("image/rgba.png", as: "other.png")
    _ = try await bench.batch()
    // Rejected for good, so that it is up to date as long as its manifest has a length.
    try bench.folder.write(Array("{}".utf8), to: "out/manifests/notes.txt.json")
    #expect(try await bench.batch("--report", path).status == 0)
    #expect(try page().contains("manifests/notes.txt.json cannot be shown: it is no manifest"))
    #expect(try page().contains("All 3</label>"))
  }

  @Test("holds names that play tricks, and shows them as names")
  func hostileNames() async throws {
    let names = [
      "<img src=x onerror=alert(1)>.jpg", "\"' onload='x.jpg", "line\nbreak\u{1B}[31m.jpg", "\u{202E}gpj.exe",
      "&lt;.jpg",
      "<script>alert(1)<script>.jpg",
    ]
    for name in names { try bench.put(text: "no media", as: name) }
    try bench.folder.write(Array("no media".utf8), toBytes: Array("source/latin-".utf8) + [0xE9])
    #expect(try await bench.batch("--report", path, "--quiet").status == 0)
    let page = try page()
    #expect(page.contains("All 9</label>"))
    #expect(page.contains(">&lt;img src=x onerror=alert(1)&gt;.jpg</h2>"))
    #expect(page.contains(">\u{FFFD}gpj.exe</h2>") && page.contains(">latin-\\xE9</h2>"))
    #expect(page.split(separator: "<script>").count == 2 && !page.contains("<img src"))
    #expect(!page.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
  }

  @Test("of a job has its words, the buttons of its category, and the sources before and after")
  func prepare() async throws {
    try bench.put(text: #"{"aps":{"alert":{"title":"Tom","body":"Look"},"category":"message"}}"#, as: "payload.json")
    try bench.put(
      text: """
        {"schema":"enclosure.categories/1","categories":[{"identifier":"message","actions":[
          {"identifier":"reply","title":"Reply","textInput":{"buttonTitle":"Send"}},
          {"identifier":"mute","title":"Mute","options":["destructive","authenticationRequired"]}]}]}
        """, as: "categories.json")
    let run = try await bench.prepare(
      [fixture("image/orientation-6.jpg"), fixture("bad/text.jpg")], "--payload", "\(bench.source)/payload.json",
      "--registry", "\(bench.source)/categories.json", "--report", path)
    #expect(run.status == 0, "\(run.errors)")
    let page = try page()
    #expect(page.contains(">Tom</p>") && page.contains(">Look</p>") && page.contains("<bdi>Mute</bdi>"))
    #expect(page.contains("<li><bdi>Reply</bdi> <small>text input</small></li>"))
    #expect(page.contains("<img alt=\"Before\"") && page.contains("aria-label=\"After\""))
    #expect(page.contains(">Partial 1</label>") && page.contains("<strong>Rejected</strong>"))
  }

  @Test("shows the poster of a video that is too large for the page")
  func largeVideo() async throws {
    let clip = "\(bench.source)/noise.mp4"
    let made = try await tool(
      "/usr/bin/ffmpeg",
      [
        "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=30:d=9,noise=alls=100:allf=t", "-c:v",
        "libx264", "-preset", "ultrafast", "-b:v", "18M", "-pix_fmt", "yuv420p", clip,
      ])
    #expect(made.ending == .exited(0), "\(made.errors)")
    let run = try await bench.prepare([clip], "--report", path)
    #expect(run.status == 0, "\(run.errors)")
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(run.output))
    let attachment = try #require(manifest.attachments.first)
    #expect(attachment.asset.bytes > 16_000_000 && attachment.placeholder != nil)
    let page = try page()
    #expect(page.contains("<img class=\"medium\" alt=\"Poster of media-1\"") && !page.contains("<video"))
    #expect(page.split(separator: "src=\"data:image/jpeg;base64,").count == 3 && page.utf8.count < 1_000_000)
  }

  @Test("may lie in the output's folder, which is made for it too")
  func inOutput() async throws {
    for inner in ["out", "source/out"] {
      let out = "\(bench.folder.path)/\(inner)"
      for round in 1...2 {
        let run = try await enclosure(
          "batch", bench.source, "--out", out, "--report", "\(out)/look/report.html",
          environment: bench.environment())
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.hasPrefix(round == 1 ? "2 files\n" : "2 files, 2 of them up to date\n"))
        #expect(try page("\(inner)/look/report.html").contains("All 2</label>"))
      }
    }
  }

  @Test("is refused where it would be a source of the next run", arguments: ["source", "link", "source/new"])
  func inSources(folder: String) async throws {
    symlink(bench.source, "\(bench.folder.path)/link")
    let run = try await bench.batch("--report", "\(bench.folder.path)/\(folder)/report.html")
    #expect(run.status == EX_USAGE && run.errors.contains("would be a source of the next run"), "\(run.errors)")
    #expect(bench.folder.files(below: "source").count == 2 && bench.store.files.isEmpty)
  }

  @Test("replaces nothing but a report", arguments: ["file", "folder", "source", "index"])
  func othersFiles(what: String) async throws {
    try bench.folder.write(Array("mine".utf8), to: "file")
    let target =
      ["file": "file", "folder": "tmp", "source": "source/photo.jpg", "index": "out/index.jsonl"][what] ?? ""
    let run = try await bench.batch("--report", "\(bench.folder.path)/\(target)")
    // The index is not there yet when the run begins.
    #expect(run.status == (what == "index" ? EX_SOFTWARE : EX_USAGE))
    #expect(
      run.errors.contains(["folder": "is a folder", "index": "File exists"][what] ?? "is no report"), "\(run.errors)")
    #expect(bench.folder.content("file") == Array("mine".utf8))
    if what == "index" { #expect(try bench.store.lines.count == 2) }
  }

  @Test("replaces the file that a link leads to")
  func link() async throws {
    try bench.folder.write([], to: "real.html")
    symlink("real.html", path)
    #expect(try await bench.batch("--report", path).status == 0)
    #expect(try page("real.html").contains("All 2</label>"))
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test("that cannot be written costs the report alone", .enabled(if: SmallDisk.canBeMade, "only root may mount"))
  func fullDisk() async throws {
    let disk = try #require(SmallDisk(kilobytes: 16))
    let run = try await bench.batch("--report", "\(disk.path)/report.html", "--quiet")
    #expect(run.status == EX_SOFTWARE)
    #expect(run.errors.contains("report.html cannot be written: No space left on device; all but the report is done"))
    #expect(run.errors.contains("1 of 2 prepared, 1 rejected"))
    #expect(try bench.store.lines.count == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
  }

  @Test("needs a folder that can be written, before any work is done")
  func noFolder() async throws {
    try bench.folder.write([], to: "file")
    let run = try await bench.batch("--report", "\(bench.folder.path)/file/report.html")
    #expect(run.status == EX_USAGE && run.errors.contains("cannot be written"), "\(run.errors)")
    let bucket = try await enclosure(
      "batch", bench.source, "--store", "s3://bucket/prefix", "--index", bench.out, "--report", path)
    #expect(bucket.status == EX_USAGE && bucket.errors.contains("--report shows the files of a folder"))
    #expect(bench.store.files.isEmpty)
  }
}
