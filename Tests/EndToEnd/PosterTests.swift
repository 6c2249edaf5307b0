import FoundationEssentials
import RichPush
import TestSupport
import Testing

@Suite("Posters, and videos that are too long")
struct PosterTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func manifest(_ name: String, _ options: String...) async throws -> Manifest {
    try await manifest(at: fixture(name), options)
  }

  private func manifest(at path: String, _ options: [String]) async throws -> Manifest {
    let arguments = ["prepare", path, "--out", bench.out, "--id", "job"] + options
    let run = try await enclosure(arguments.map { Array($0.utf8) }, environment: bench.environment())
    #expect(try await bench.store.faults(strays: false) == [])
    return try JSONDecoder().decode(Manifest.self, from: Data(run.output))
  }

  private func path(_ location: String) -> String { "\(bench.out)/\(location)" }

  /// What ffprobe says of a file's first video stream, by the names of its fields.
  private func probed(_ location: String, _ fields: String) async throws -> [String: String] {
    let run = try await tool(
      "/usr/bin/ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=\(fields)", "-of", "default=nw=1",
        path(location),
      ])
    return run.text.split(separator: "\n").reduce(into: [:]) { values, line in
      let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2 { values[parts[0]] = parts[1] }
    }
  }

  @Test(
    "a video's poster is a JPEG of its own, with JFIF, upright, and its time lies inside the clip",
    arguments: [
      ("video/faststart.mp4", 320, 180), ("video/rotation-90.mp4", 160, 240), ("video/anamorphic-4-3.mp4", 212, 90),
      ("video/black-start.mp4", 160, 90), ("video/one-frame.mp4", 160, 90), ("video/hdr-pq.mp4", 240, 160),
    ])
  func poster(name: String, width: Int, height: Int) async throws {
    let attachment = try #require(try await manifest(name).attachments.first)
    let poster = try #require(attachment.poster)
    #expect(attachment.asset.type == .mpeg4 && poster.type == .jpeg)
    #expect((poster.width, poster.height) == (width, height))
    let time = try #require(attachment.options.thumbnailTime)
    let duration = try #require(attachment.asset.duration)
    #expect(time >= 0 && time < duration)
    #expect(attachment.steps.last?.hasPrefix("made a poster of the picture at ") == true)
    let bytes = try #require(bench.store.content(poster.location))
    #expect(bytes.starts(with: [0xFF, 0xD8, 0xFF, 0xE0]) && bytes[6...].starts(with: Array("JFIF".utf8)))
    let seen = try await probed(poster.location, "codec_name,width,height")
    #expect(seen["codec_name"] == "mjpeg" && seen["width"] == "\(width)" && seen["height"] == "\(height)")
  }

  @Test("images and sound have no poster", arguments: ["image/one-pixel.png", "animation/simple.gif", "audio/aac.m4a"])
  func none(name: String) async throws {
    let attachment = try #require(try await manifest(name).attachments.first)
    #expect(attachment.poster == nil && attachment.options.thumbnailTime == nil)
  }

  @Test("a video that is too long is rejected by default")
  func rejected() async throws {
    #expect(try await manifest("video/31-seconds.mp4").rejections.map(\.reason.code) == [.videoTooLong])
  }

  @Test(
    "trimmed, its first 30 seconds are shown and the sender told",
    arguments: [("video/31-seconds.mp4", "31"), ("video/lying-header.mp4", "40.2")])
  func trimmed(name: String, seconds: String) async throws {
    try await requireTrimmed(fixture(name), seconds: seconds)
  }

  @Test(
    "so they are when picture, sound or both have to be encoded",
    arguments: [
      ("picture.mp4", ["-c:v", "mpeg4", "-c:a", "aac"]), ("sound.mkv", ["-c:v", "libx264", "-c:a", "libvorbis"]),
      ("both.webm", ["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus"]),
    ])
  func trimmedAndEncoded(name: String, coders: [String]) async throws {
    let path = "\(bench.source)/\(name)"
    _ = try await ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=33", "-f", "lavfi", "-i", "sine=duration=33"] + coders
        + ["-pix_fmt", "yuv420p", path])
    try await requireTrimmed(path, seconds: "33")
  }

  /// - Parameter seconds: how long the whole lasts, but for a frame of sound.
  private func requireTrimmed(_ source: String, seconds: String) async throws {
    let manifest = try await manifest(at: source, ["--overlong", "trim"])
    let attachment = try #require(manifest.attachments.first)
    #expect(attachment.asset.type == .mpeg4 && manifest.rejections == [])
    #expect(try #require(attachment.asset.duration) <= 30)
    #expect(manifest.warnings.map(\.code) == [.reduced])
    let warning = try #require(manifest.warnings.first?.message)
    #expect(
      warning.hasPrefix("the video lasts \(seconds)") && warning.hasSuffix(" s; only its first 30 s are shown"))
    #expect(attachment.steps.contains("cut to the first 30 s"))
    #expect(try #require(attachment.options.thumbnailTime) < 30)
    #expect(attachment.poster != nil)
    let seen = try await probed(attachment.asset.location, "duration")
    let length = try #require(Double(seen["duration"] ?? ""))
    #expect(29.7...30 ~= length)
    // Told to take no more than it is given, a player comes to an end by itself.
    let played = try await tool(
      "/usr/bin/ffmpeg", ["-v", "error", "-xerror", "-i", path(attachment.asset.location), "-f", "null", "-"])
    #expect(played.status == 0 && played.errors == "")
  }

  @Test(
    "or a poster takes its place, also of what cannot be copied",
    arguments: [("video/31-seconds.mp4", "31"), ("video/40-seconds-no-duration.mkv", "40")])
  func replaced(name: String, seconds: String) async throws {
    let manifest = try await manifest(name, "--overlong=poster")
    let attachment = try #require(manifest.attachments.first)
    #expect(attachment.asset.type == .jpeg && attachment.asset.frames == 1 && attachment.asset.duration == nil)
    #expect(attachment.poster == nil && attachment.options.thumbnailTime == nil)
    #expect(attachment.source.duration.map { Int($0) } == Int(seconds))
    #expect(
      manifest.warnings.map(\.message) == [
        "the video lasts \(seconds) s, which is too long; a picture of it takes its place"
      ])
  }

  @Test("the variable asks for it as well, and what another choice made is made anew")
  func variable() async throws {
    try bench.put("video/31-seconds.mp4")
    _ = try await bench.batch()
    #expect(try bench.store.codes == ["31-seconds.mp4": .videoTooLong])
    for (choice, type) in [("trim", AttachmentType.mpeg4), ("poster", .jpeg)] {
      let variables = bench.environment().merging(["ENCLOSURE_OVERLONG": choice]) { $1 }
      let run = try await enclosure("batch", bench.source, "--out", bench.out, environment: variables)
      #expect(run.status == 0)
      #expect(try bench.store.manifest("31-seconds.mp4")?.attachments.first?.asset.type == type)
    }
    #expect(try await bench.store.faults(strays: false) == [])
  }

  @Test("a batch prepares a video again whose poster is gone")
  func lostPoster() async throws {
    try bench.put("video/silent.mp4")
    _ = try await bench.batch()
    let poster = try #require(try bench.store.manifest("silent.mp4")?.attachments.first?.poster)
    try FileManager.default.removeItem(atPath: path(poster.location))
    _ = try await bench.batch()
    #expect(try await bench.store.faults() == [])
  }
}
