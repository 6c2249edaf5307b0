import FoundationEssentials
import Glibc
import RichPush
import SchemaSupport
import TestSupport
import Testing

@Suite("enclosure prepare with a notification")
struct NotificationTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.put(text: #"{"aps":{"alert":"hi","category":"photo"},"n":1}"#, as: "payload.json")
    try bench.put(
      text: #"{"schema":"enclosure.categories/1","categories":[{"identifier":"Photo"}]}"#, as: "categories.json")
  }

  private func manifest(_ run: Run) throws -> Manifest {
    try JSONDecoder().decode(Manifest.self, from: Data(run.output))
  }

  @Test("completes its payload, in the manifest and in a file for the simulator")
  func completes() async throws {
    let file = "\(bench.folder.path)/cat.apns"
    let run = try await bench.prepare(
      [fixture("image/one-pixel.png")], "--payload", "\(bench.source)/payload.json", "--apns-file", file, "--bundle",
      "com.example.app")
    #expect(run.status == 0, "\(run.errors)")
    let payload = try #require(try manifest(run).payload)
    #expect(payload["aps"]?["mutable-content"] == .integer(1) && payload["n"] == .integer(1))
    var written = try #require(JSONValue(parsing: contentOfFile(file) ?? []).asObject)
    #expect(written.removeValue(forKey: "Simulator Target Bundle") == .string("com.example.app"))
    #expect(JSONValue.object(written) == payload)
    #expect(bench.folder.files().filter { !$0.contains("/") } == ["cat.apns"])
  }

  @Test("writes the file for the simulator as a whole or not at all, and replaces files only")
  func apnsFile() async throws {
    let file = "\(bench.folder.path)/cat.apns"
    func prepare(_ text: String, to file: String) async throws -> Run {
      try bench.put(text: #"{"aps":{"alert":"\#(text)"}}"#, as: "payload.json")
      return try await bench.prepare(
        [fixture("image/one-pixel.png")], "--payload", "\(bench.source)/payload.json", "--apns-file", file, "--bundle",
        "com.example.app")
    }
    #expect(try await prepare("first", to: file).status == 0)
    let first = contentOfFile(file)
    let tooLarge = try await prepare(String(repeating: "x", count: 4050), to: file)
    #expect(tooLarge.status == EX_SOFTWARE && tooLarge.errors.contains("the simulator takes at most 4096"))
    #expect(contentOfFile(file) == first)
    symlink("cat.apns", "\(bench.folder.path)/link")
    #expect(try await prepare("second", to: "\(bench.folder.path)/link").status == 0)
    #expect(contentOfFile(file) != first && contentOfFile(file) == contentOfFile("\(bench.folder.path)/link"))
    mkfifo("\(bench.folder.path)/pipe", 0o600)
    #expect(try await prepare("third", to: "\(bench.folder.path)/pipe").status == EX_SOFTWARE)
    #expect(try await prepare("third", to: bench.folder.path).errors.contains("Is a directory"))
    #expect(bench.folder.files().filter { !$0.contains("/") }.sorted() == ["cat.apns", "link", "pipe"])
  }

  @Test("has room for a VoIP push where it is said to be one, and wants no extension for it")
  func voip() async throws {
    try bench.put(text: #"{"aps":{},"x":"\#(String(repeating: "x", count: 4500))"}"#, as: "payload.json")
    let options = ["--payload", "\(bench.source)/payload.json"]
    let refused = try await bench.prepare([fixture("image/one-pixel.png")], options[0], options[1])
    #expect(refused.status == 1)
    let run = try await bench.prepare([fixture("image/one-pixel.png")], options[0], options[1], "--voip")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try manifest(run).payload?["aps"] == .object([:]))
  }

  @Test(
    "puts the placeholder into the payload, and leaves it out first where there is no room for it",
    arguments: ["image/landscape.jpg", "image/rgba.png", "animation/simple.gif", "video/faststart.mp4"])
  func placeholder(name: String) async throws {
    let address = "https://cdn.example.com"
    func prepare() async throws -> Manifest {
      try manifest(
        try await bench.prepare(
          [fixture(name)], "--payload", "\(bench.source)/payload.json", "--public-url", address, "--id", "job"))
    }
    let whole = try await prepare()
    let hash = try #require(whole.attachments.first?.placeholder?.thumbHash)
    let payload = try #require(whole.payload)
    let medium = try #require(PayloadContent(payload: payload)?.media.first)
    #expect(medium.thumbHash == hash && ThumbHash(base64: hash) != nil)
    #expect(whole.warnings == [])
    for (excess, isLeftOut) in [(0, false), (1, true)] {
      let text = String(repeating: "a", count: 4096 - payload.utf8().count + "hi".utf8.count + excess)
      try bench.put(text: #"{"aps":{"alert":"\#(text)","category":"photo"},"n":1}"#, as: "payload.json")
      let full = try await prepare()
      #expect(full.attachments.first?.placeholder?.thumbHash == hash)
      let content = try #require(full.payload.flatMap { PayloadContent(payload: $0) })
      #expect(content.manifest == "\(address)/manifests/job.json")
      #expect(content.media.first?.thumbHash == (isLeftOut ? nil : hash))
      #expect(full.warnings.map(\.message) == (isLeftOut ? ["left out the placeholder of “media-1” to fit"] : []))
    }
  }

  @Test("refuses an unknown category before it looks at any source, unless it shall only warn")
  func category() async throws {
    let options = ["--payload", "\(bench.source)/payload.json", "--registry", "\(bench.source)/categories.json"]
    let refused = try await bench.prepare(["nowhere.png"], options[0], options[1], options[2], options[3])
    #expect(refused.status == 1)
    let rejections = try manifest(refused).rejections
    #expect(rejections.map(\.reason.code) == [.invalidJob] && rejections.map(\.source) == ["nowhere.png"])
    #expect(rejections[0].reason.message.hasSuffix("“Photo” differs in case"))
    let warned = try await bench.prepare(
      [fixture("image/one-pixel.png")], options[0], options[1], options[2], options[3], "--unknown-category", "warn")
    #expect(warned.status == 0)
    #expect(try manifest(warned).warnings.contains { $0.source == "payload.aps.category" && $0.code == .payload })
  }

  @Test(
    "says what is wrong with its options before it starts",
    arguments: [
      (["--payload", "nowhere.json"], "nowhere.json cannot be read: No such file"),
      (["--apns-file", "x"], "--payload"), (["--bundle", "a.b"], "--apns-file FILE"),
      (["--apns-file", "x", "--voip"], "the simulator takes no VoIP pushes"),
      (["--payload", "SOURCE/bad.json"], "bad.json, line 2, column 1: a name in quotation marks is expected"),
      (["--registry", "SOURCE/bad.json"], "has 1 error, the first at line 2, column 1"),
      (["--registry", "SOURCE/twice.json"], "there is another category “a”; enclosure categories check shows all"),
      (["--preset", "telegraph"], "plain, airship"), (["--unknown-category", "ignore"], "reject or warn"),
    ])
  func usage(options: [String], expected: String) async throws {
    try bench.put(text: "{\n", as: "bad.json")
    try bench.put(
      text: #"{"schema":"enclosure.categories/1","categories":[{"identifier":"a"},{"identifier":"a"}]}"#,
      as: "twice.json")
    let words = options.map { $0.hasPrefix("SOURCE") ? bench.source + $0.dropFirst(6) : $0 }
    let run = try await enclosure(
      (["prepare", "a.jpg", "--out", bench.out] + words).map { Array($0.utf8) }, environment: bench.environment())
    #expect(run.status == EX_USAGE && run.errors.contains(expected), "\(run.errors)")
  }
}
