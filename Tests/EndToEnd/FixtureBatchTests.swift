import FoundationEssentials
import RichPush
import SchemaSupport
import TestSupport
import Testing

/// One batch over all fixtures; its tests look at what came of it.
@Suite("A batch over all fixtures")
struct FixtureBatchTests {
  /// All that the run left, so that its folder can be removed at once.
  private struct Result: Sendable {
    let run: Run
    let lines: [Store.Line]
    let index: [String: Store.Line]
    let manifests: [String: Manifest]
    let assets: [String: [UInt8]]
    let faults: [String]
    let temporaries: [String]
    let sources: [String]
  }

  private static let result = Task {
    let bench = try Workbench()
    let run = try await enclosure(
      "batch", fixture(""), "--out", bench.out, "--helpers", "2", environment: bench.environment())
    let store = bench.store
    let index = try store.index
    return Result(
      run: run, lines: try store.lines, index: index,
      manifests: try index.keys.reduce(into: [:]) { $0[$1] = try store.manifest($1) },
      assets: store.files.filter { $0.hasPrefix("assets/") }.reduce(into: [:]) { $0[$1] = store.content($1) },
      faults: try await store.faults(), temporaries: bench.folder.files(below: "tmp"),
      sources: try await tool("/usr/bin/find", [fixture(""), "-type", "f", "-printf", "%P\\n"])
        .text.split(separator: "\n").map(String.init).sorted())
  }

  private var result: Result {
    get async throws { try await Self.result.value }
  }

  @Test("gives each the verdict that Fixtures/README.md promises", arguments: FixtureVerdict.all)
  func verdicts(fixture: FixtureVerdict) async throws {
    let result = try await result
    let manifest = try #require(result.manifests[fixture.name])
    var verdict =
      manifest.rejections.first?.reason.code.rawValue ?? manifest.attachments.first?.asset.type.kind.rawValue
    if let frames = manifest.attachments.first?.asset.frames, frames > 1 { verdict = "animation" }
    #expect(
      fixture.verdicts.contains(verdict ?? "none"),
      "\(verdict ?? "none"): \(manifest.rejections.first?.reason.message ?? "")")
  }

  @Test("has a line in the index for each, sorted, and ends with 0")
  func index() async throws {
    let result = try await result
    #expect(result.run.status == 0)
    #expect(result.lines.map(\.id) == result.sources)
    #expect(Set(FixtureVerdict.all.map(\.name)) == Set(result.sources))
    for (id, line) in result.index {
      let manifest = try #require(result.manifests[id])
      #expect(line.status == manifest.status && line.code == manifest.rejections.first?.reason.code, "\(id)")
      #expect(line.kind == manifest.attachments.first?.asset.type.kind, "\(id)")
      #expect((line.kind == nil) != (line.code == nil) && line.milliseconds >= 0, "\(id)")
    }
  }

  @Test("stores only whole files: manifests by the schema, assets of the size and hash that they say, nothing else")
  func store() async throws {
    #expect(try await result.faults == [])
    #expect(try await result.temporaries == [])
  }

  @Test("prints nothing on standard output, and progress and a summary that counts right on standard error")
  func summary() async throws {
    let result = try await result
    #expect(result.run.output == [])
    let lines = result.run.errors.split(separator: "\n").map(String.init)
    #expect(lines.first == "\(result.sources.count) files")
    #expect(!lines.contains { $0.contains("helper lost") || $0.contains("\u{1B}") || $0.contains("\r") }, "\(lines)")
    let rejected = result.lines.count { $0.status == .rejected }
    let prepared = result.lines.count - rejected
    #expect(lines.contains { $0.hasPrefix("\(prepared) of \(result.lines.count) prepared, \(rejected) rejected, in ") })
    for kind in MediaKind.allCases {
      let count = result.lines.count { $0.kind == kind }
      #expect(lines.contains { $0.split(separator: " ") == [kind.rawValue[...], "\(count)"] }, "\(kind): \(count)")
    }
    for code in Rejection.Code.allCases {
      let count = result.lines.count { $0.code == code }
      let row = lines.first { $0.hasPrefix("  rejected: \(code.rawValue) ") }
      #expect(row.map { $0.split(separator: " ")[2] == "\(count)" } ?? (count == 0), "\(code): \(count), \(row ?? "")")
    }
  }

  @Test("says why in a sentence, with limit and measure where there is one")
  func sentences() async throws {
    for (id, manifest) in try await result.manifests {
      for reason in manifest.rejections.map(\.reason) {
        let message = reason.message
        // Names such as H.264 may stand first.
        let isName = message.dropFirst().first?.isLowercase == false
        #expect(message.first?.isUppercase == false || isName, "\(id): \(message)")
        #expect(message.last != "." && message.count > 15, "\(id): \(message)")
        #expect(!message.contains("\n") && !message.contains("/tmp/"), "\(id): \(message)")
        if let limit = reason.limit, let measured = reason.measured {
          #expect(measured > limit, "\(id): \(message)")
        }
      }
    }
  }

  @Test("makes files whose bytes are what type, extension and content type say, within the limits of their kind")
  func types() async throws {
    let result = try await result
    for (id, manifest) in result.manifests {
      for asset in manifest.attachments.map(\.asset) {
        let bytes = try #require(result.assets[asset.location], "\(id)")
        #expect(asset.location.hasSuffix(".\(asset.type.fileExtension)"))
        #expect(bytes.count <= asset.type.kind.maximumAttachmentBytes)
        #expect(starts(bytes, as: asset.type), "\(id): \(bytes.prefix(16))")
        if asset.type.kind == .image {
          #expect(try #require(asset.width) <= 1024 && (try #require(asset.height)) <= 1024, "\(id)")
        }
        #expect((asset.duration == nil) == (asset.type.kind == .image && asset.frames == 1), "\(id)")
      }
    }
  }

  private func starts(_ bytes: [UInt8], as type: AttachmentType) -> Bool {
    func has(_ text: String, at offset: Int) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
    return switch type {
    case .jpeg: bytes.starts(with: [0xFF, 0xD8, 0xFF, 0xE0]) && has("JFIF", at: 6)
    case .png: bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    case .gif: has("GIF89a", at: 0)
    case .mpeg4: has("ftypisom", at: 4) || has("ftypmp42", at: 4)
    case .mpeg4Audio: has("ftypM4A ", at: 4)
    case .mp3: has("ID3", at: 0) || (bytes[0] == 0xFF && bytes[1] & 0xE0 == 0xE0)
    case .wav: has("RIFF", at: 0) && has("WAVE", at: 8)
    case .aiff: has("FORM", at: 0) && (has("AIFF", at: 8) || has("AIFC", at: 8))
    }
  }

  @Test("lets none of the sources' metadata and trailing data through to pictures and videos")
  func metadata() async throws {
    let words = ["Fixture Works", "enclosure-fixture", "+48.8584", "readme.txt", "Exif", "http://ns.adobe.com"]
    for (location, bytes) in try await result.assets where !location.hasSuffix(".mp3") && !location.hasSuffix(".m4a") {
      for word in words { #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(location) holds \(word)") }
    }
  }

  @Test("gives every image and video a placeholder of its shape, and sound none")
  func placeholders() async throws {
    for (id, manifest) in try await result.manifests {
      for attachment in manifest.attachments {
        let shown = attachment.asset.type.kind == .video ? try #require(attachment.poster) : attachment.asset
        guard let width = shown.width, let height = shown.height else {
          #expect(attachment.asset.type.kind == .audio && attachment.placeholder == nil, "\(id)")
          continue
        }
        let text = try #require(attachment.placeholder?.thumbHash, "\(id)")
        let hash = try #require(ThumbHash(base64: text), "\(id)")
        // The shorter side is known in sevenths of the longer one, in fifths of what is transparent.
        let long = Double(max(width, height))
        let step = hash.bytes[2] & 0x80 == 0 ? 1.0 / 7 : 1.0 / 5
        #expect(abs(min(hash.aspectRatio, 1) - max(step, Double(width) / long)) <= step / 2 + 0.01, "\(id)")
        #expect(abs(min(1 / hash.aspectRatio, 1) - max(step, Double(height) / long)) <= step / 2 + 0.01, "\(id)")
      }
    }
  }

  @Test("warns about a file whose name promises something else, and about no other")
  func mismatches() async throws {
    let warned = try await result.manifests.filter { $0.value.warnings.contains { $0.code == .typeMismatch } }.keys
    for name in ["image/png-named.jpg", "image/webp-named.png", "image/heic-named.jpg"] {
      #expect(warned.contains(name), "\(name)")
    }
    for name in ["image/landscape.jpg", "image/photo.heic", "animation/plain.apng", "video/quicktime.mov"] {
      #expect(!warned.contains(name), "\(name)")
    }
    #expect(
      try await result.manifests["image/webp-named.png"]?.warnings.first?.message == "named .png, contains webp")
  }

  @Test(
    "keeps all frames of an animation",
    arguments: [
      ("animation/simple.gif", 4), ("animation/disposal.gif", 5), ("animation/dispose-blend.png", 4),
      ("animation/plain.apng", 3), ("animation/hidden-default.png", 2), ("animation/alpha.webp", 4),
      ("animation/no-control.gif", 3), ("animation/sequence.avif", 4), ("animation/large-1600x900.gif", 6),
    ])
  func frames(name: String, count: Int) async throws {
    let result = try await result
    let asset = try #require(result.manifests[name]?.attachments.first?.asset)
    #expect(asset.type == .gif && asset.frames == count)
    let folder = try TemporaryFolder()
    try folder.write(try #require(result.assets[asset.location]), to: "asset.gif")
    let stream = try #require(try await probe("\(folder.path)/asset.gif").members["streams"]?.elements.first?.members)
    #expect(stream["nb_read_frames"]?.text == "\(count)")
    #expect(stream["width"]?.double == asset.width.map(Double.init))
  }

  @Test(
    "makes of videos what phones play: first the header, H.264 or hvc1, AAC, nothing else",
    arguments: [
      ("video/moov-last.mp4", "avc1"), ("video/quicktime.mov", "avc1"), ("video/fragmented.mp4", "avc1"),
      ("video/h264-aac.mkv", "avc1"), ("video/h264-aac.ts", "avc1"), ("video/hevc-hev1.mp4", "hvc1"),
      ("video/subtitle-chapters.mp4", "avc1"), ("video/rotation-90.mp4", "avc1"), ("video/silent.mp4", "avc1"),
    ])
  func videos(name: String, tag: String) async throws {
    let result = try await result
    let asset = try #require(result.manifests[name]?.attachments.first?.asset)
    let bytes = try #require(result.assets[asset.location])
    let moov = try #require(bytes.firstRange(of: Array("moov".utf8)))
    let mdat = try #require(bytes.firstRange(of: Array("mdat".utf8)))
    #expect(moov.lowerBound < mdat.lowerBound)
    let folder = try TemporaryFolder()
    try folder.write(bytes, to: "asset.mp4")
    let streams = try #require(try await probe("\(folder.path)/asset.mp4").members["streams"]?.elements.map(\.members))
    #expect(streams.first?["codec_tag_string"]?.text == tag)
    #expect(streams.dropFirst().allSatisfy { $0["codec_name"]?.text == "aac" } && streams.count <= 2)
    let played = try await tool(
      "/usr/bin/ffmpeg", ["-v", "error", "-i", "\(folder.path)/asset.mp4", "-f", "null", "-"])
    #expect(played.status == 0 && played.errors == "", "\(played.errors)")
    let duration = try #require(asset.duration)
    #expect(duration > 0.9 && duration < 2.2, "\(duration)")
  }
}

/// What ffprobe says about a file, its frames counted.
func probe(_ path: String) async throws -> JSONValue {
  let run = try await tool(
    "/usr/bin/ffprobe", ["-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "json", path])
  return try JSONDecoder().decode(JSONValue.self, from: Data(run.output))
}
