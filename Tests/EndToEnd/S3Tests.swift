import FoundationEssentials
import RichPush
import TestSupport
import Testing

@Suite("A store on S3", .enabled(if: S3Server.isInstalled, "make setup-tests installs the servers"))
struct S3Tests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func environment(_ server: S3Server) -> [String: String] {
    bench.environment().merging([
      "AWS_ACCESS_KEY_ID": server.writer.accessKey, "AWS_SECRET_ACCESS_KEY": server.writer.secretKey,
      "AWS_ENDPOINT_URL": server.endpoint,
    ]) { $1 }
  }

  @Test(
    "prepare stores attachments and manifest in a bucket, and nothing on this machine",
    arguments: S3Server.Kind.allCases)
  func prepares(_ kind: S3Server.Kind) async throws {
    let server = try await S3Server.shared(kind)
    let words =
      ["prepare", fixture("image/rgba.png"), fixture("video/moov-last.mp4"), "--id", "end/to/end"]
      + ["--store", "s3://\(server.bucket)/prepared", "--public-url", "https://media.example.com/p"]
    let run = try await enclosure(words.map { Array($0.utf8) }, environment: environment(server))
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(run.output))
    #expect(manifest.status == .ready && manifest.attachments.count == 2)
    for asset in manifest.attachments.flatMap(\.assets) {
      #expect(asset.url == "https://media.example.com/p/\(asset.location)")
    }
    #expect(bench.folder.files() == [])
    // The same again replaces the manifest, and sends no asset.
    #expect(try await enclosure(words.map { Array($0.utf8) }, environment: environment(server)).status == 0)
  }

  @Test("batch keeps its index in a folder, and does nothing twice")
  func batches() async throws {
    let server = try await S3Server.shared(.swift)
    for name in ["image/rgba.png", "image/one-pixel.png", "bad/text.jpg"] { try bench.put(name) }
    let words = ["batch", bench.source, "--store", "s3://\(server.bucket)/batch", "--index", "\(bench.out)/index"]
    let first = try await enclosure(words.map { Array($0.utf8) }, environment: environment(server))
    #expect(first.status == 0 && first.errors.contains("2 of 3 prepared, 1 rejected"), "\(first.errors)")
    #expect(
      first.errors.contains(
        "Attachments and manifests are in s3://\(server.bucket)/batch, index.jsonl is in \(bench.out)/index"))
    let index = try #require(bench.folder.content("out/index/index.jsonl"))
    let second = try await enclosure(words.map { Array($0.utf8) }, environment: environment(server))
    #expect(second.status == 0)
    // Not even the milliseconds are others.
    #expect(bench.folder.content("out/index/index.jsonl") == index)
  }

  @Test("a bucket that is not there ends a command before anything is prepared")
  func missesBucket() async throws {
    let server = try await S3Server.shared(.moto)
    let run = try await enclosure(
      "prepare", fixture("image/rgba.png"), "--store", "s3://no-such-bucket", environment: environment(server))
    #expect(run.status == 70 && run.output == [])
    #expect(run.errors.contains("has no bucket no-such-bucket; create it, or choose another one with --store"))
  }
}
