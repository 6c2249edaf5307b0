import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Copying streams")
struct RemuxTests {
  /// Inspects, plans, copies and verifies a fixture.
  private func copied(_ fixture: TimelineFixture) throws -> (output: TimelineFixture, prepared: PreparedFile) {
    let facts = try fixture.facts()
    guard case .prepare(.remux(let recipe)) = plan(facts) else { throw NotThatKind() }
    let output = try TimelineFixture()
    let prepared = try remux(try fixture.file, into: output.descriptor, facts: facts, recipe)
    try verifyTimeline(try output.file, prepared)
    return (output, prepared)
  }

  /// A sum over each picture of a video, in order.
  private func pictures(_ fixture: TimelineFixture) throws -> [UInt64] {
    let reader = try LibavPictureReader(try fixture.file, format: .mp4, at: .verify)
    var sums: [UInt64] = []
    while let picture = try reader.next() {
      sums.append(picture.pixels.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 })
    }
    return sums
  }

  @Test(
    "a copied video decodes to the very pictures of its source",
    arguments: [
      "moov-last.mp4", "faststart.mp4", "silent.mp4", "quicktime.mov", "fragmented.mp4", "h264-aac.mkv", "h264-aac.ts",
      "live-no-duration.mkv", "variable-rate.mkv", "hevc-hev1.mp4", "rotation-90.mp4", "edit-list-10-of-40.mp4",
    ])
  func pictures(_ path: String) throws {
    let source = try TimelineFixture("video/" + path)
    let (output, _) = try copied(source)
    let before = try pictures(source)
    #expect(!before.isEmpty)
    #expect(try pictures(output) == before)
  }

  @Test(
    "a copied video is an MP4 with its index first, tagged for Apple, without a word about people or places",
    arguments: ["location.mp4", "location-apple.mov", "subtitle-chapters.mp4", "hevc-hev1.mp4", "h264-aac.ts"])
  func container(_ path: String) throws {
    let (output, prepared) = try copied(try TimelineFixture("video/" + path))
    let boxes = Box.boxes(in: try output.file).map(\.type)
    #expect(boxes.first == "ftyp")
    #expect(try #require(boxes.firstIndex(of: "moov")) < #require(boxes.firstIndex(of: "mdat")))
    let facts = try output.facts()
    guard case .video(let video) = facts.content else { throw NotThatKind() }
    #expect(facts.metadata == [])
    #expect(video.picture.tag == (video.picture.codec == "hevc" ? "hvc1" : "avc1"))
    #expect(video.streams.count == 2)
    let text = String(decoding: try output.bytes, as: UTF8.self)
    for word in ["48.85", "Fixture Works", "com.apple.quicktime", "Lavf"] { #expect(!text.contains(word)) }
    #expect(prepared.steps.last == "wrote mp4 with moov first")
    #expect(prepared.bytes == (try output.file.bytes))
  }

  @Test("rotation is kept once", arguments: [("rotation-90.mp4", 90), ("rotation-270.mp4", 270)])
  func rotation(_ path: String, _ degrees: Int) throws {
    let (output, prepared) = try copied(try TimelineFixture("video/" + path))
    let video = try output.video()
    #expect(video.rotation == degrees)
    #expect((video.codedWidth, video.codedHeight) == (240, 160))
    #expect((prepared.width, prepared.height) == (160, 240))
  }

  @Test(
    "a copy lasts as long as its source",
    arguments: [
      ("30-seconds.mp4", 30), ("30-seconds-and-a-frame.mp4", 30.033), ("edit-list-10-of-40.mp4", 10),
      ("variable-rate.mkv", 2.02),
    ] as [(String, Double)])
  func durations(_ path: String, _ seconds: Double) throws {
    let (output, prepared) = try copied(try TimelineFixture("video/" + path))
    #expect(abs(try #require(prepared.duration) - seconds) < 0.03)
    #expect(abs(try #require(try output.video().duration.presented) - seconds) < 0.002)
  }

  @Test("what an edit list hides does not come along")
  func editList() throws {
    let source = try TimelineFixture("video/edit-list-10-of-40.mp4")
    let (output, _) = try copied(source)
    #expect(try output.file.bytes < (try source.file.bytes) / 2)
  }

  @Test("sound that outlasts the 30 seconds is cut and the sender told")
  func longSound() throws {
    let (output, prepared) = try copied(try TimelineFixture("video/audio-longer-29.5-31.mp4"))
    #expect(try #require(prepared.duration) <= 30.05)
    #expect(prepared.reductions == ["the sound ends at 30 s; 1 s of it were cut off"])
    #expect(abs(try #require(try output.video().duration.presented) - 29.5) < 0.002)
  }

  @Test(
    "of a video that is too long, the first 30 seconds are copied when they are wanted",
    arguments: ["31-seconds.mp4", "30.1-seconds.mp4", "40-seconds-no-duration.mkv", "lying-header.mp4"])
  func trimmed(_ path: String) throws {
    let source = try TimelineFixture("video/" + path)
    let facts = try source.facts()
    guard case .prepare(.remux(let recipe)) = plan(facts, options: PreparationOptions(overlong: .trim)) else {
      throw NotThatKind()
    }
    let output = try TimelineFixture()
    let prepared = try remux(try source.file, into: output.descriptor, facts: facts, recipe)
    try verifyTimeline(try output.file, prepared)
    #expect(try #require(prepared.duration) <= 30)
    let length = try #require(try output.video().duration.presented)
    #expect(29.7...30.000_1 ~= length)
    #expect(prepared.steps.contains("cut to the first 30 s"))
    let whole = rounded(try #require(try source.video().duration.presented))
    #expect(prepared.reductions == ["the video lasts \(whole) s; only its first 30 s are shown"])
    let (before, after) = (try pictures(source), try pictures(output))
    #expect(Array(before.prefix(after.count)) == after)
    #expect(after.count < before.count)
  }

  @Test(
    "sound leaves as the type that its bytes begin with",
    arguments: [
      ("id3-cover.mp3", .mp3, "ID3"), ("no-id3.mp3", .mp3, "ID3"), ("aac-cover.m4a", .mpeg4Audio, "ftypM4A "),
      ("only-aac.mp4", .mpeg4Audio, "ftypM4A "), ("adts.aac", .mpeg4Audio, "ftypM4A "),
      ("alac.m4a", .mpeg4Audio, "ftypM4A "), ("alac.caf", .mpeg4Audio, "ftypM4A "), ("pcm16.wav", .wav, "RIFF"),
      ("float.wav", .wav, "RIFF"), ("pcm16.aiff", .aiff, "FORM"), ("31-seconds.mp3", .mp3, "ID3"),
    ] as [(String, AttachmentType, String)])
  func sounds(_ path: String, _ type: AttachmentType, _ beginning: String) throws {
    let (output, prepared) = try copied(try TimelineFixture("audio/" + path))
    #expect(prepared.type == type)
    let head = try output.file.bytes(at: beginning.hasPrefix("ftyp") ? 4 : 0, count: beginning.utf8.count)
    #expect(String(decoding: head, as: UTF8.self) == beginning)
    #expect(try output.facts().metadata == [])
    #expect(try output.audio().streams.count == 1)
  }

  @Test("a copy over the limit is given up, with limit and measure")
  func limit() throws {
    let fixture = try TimelineFixture("video/silent.mp4")
    let facts = try fixture.facts()
    let recipe = RemuxRecipe(type: .mpeg4, picture: 0, pictureTag: "avc1", maximumBytes: 10_000)
    let output = try TimelineFixture()
    let reason = try refusal {
      _ = try remux(try fixture.file, into: output.descriptor, facts: facts, recipe)
    }
    #expect(reason?.code == .cannotFitLimit)
    #expect(reason?.limit == 10_000)
  }

  @Test("parameter sets among the pictures move to the sample entry when that has none")
  func parameterSets() throws {
    let source = try TimelineFixture("video/hevc-hev1.mp4")
    var bytes = try source.bytes
    let record = try #require(bytes.firstRange(of: Array("hvcC".utf8))).upperBound
    let sets = try #require(VideoNALUnits.Record(Array(bytes[record...]), .hevc)).sets
    #expect(sets.count >= 3)
    let rebuilt = VideoNALUnits.Record.configuration(
      Array(bytes[record..<record + 23]), .hevc, sets: sets, lengthSize: 4)
    #expect(VideoNALUnits.Record(try #require(rebuilt), .hevc)?.sets == sets)
    // Without any sets the source cannot be decoded, and says so.
    bytes[record + 22] = 0
    let bare = try TimelineFixture(bytes: bytes)
    let facts = try source.facts()
    guard case .prepare(.remux(let recipe)) = plan(facts) else { throw NotThatKind() }
    let output = try TimelineFixture()
    let reason = try refusal { _ = try remux(try bare.file, into: output.descriptor, facts: facts, recipe) }
    #expect(reason?.code == .corrupt)
  }

  @Test("metadata that was left does not pass verification")
  func leftMetadata() throws {
    let source = try TimelineFixture("video/location.mp4")
    // The same file with its index first, as a copy that forgot to drop anything would be.
    let bytes = try source.bytes
    let (output, prepared) = try copied(source)
    let old = try #require(bytes.firstRange(of: Array("udta".utf8))).lowerBound - 4
    let userData = Array(bytes[old..<old + Int(bytes.bigEndian(at: old, count: 4))])
    var stained = try output.bytes
    let movie = try #require(Box.boxes(in: try output.file).first { $0.type == "moov" })
    let size = movie.end - movie.offset + userData.count
    stained.replaceSubrange(
      movie.offset..<movie.offset + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) })
    stained.insert(contentsOf: userData, at: movie.end)
    var expected = prepared
    expected.bytes = stained.count
    let fixture = try TimelineFixture(bytes: stained)
    let reason = try refusal { try fixture.use { try verifyTimeline($0, expected) } }
    #expect(reason?.message.contains("still has gps") == true)
  }

  @Test("a sound over the limit does not pass verification")
  func overLimit() throws {
    let (output, prepared) = try copied(try TimelineFixture("audio/pcm16.wav"))
    var expected = prepared
    expected.bytes = 5_000_001
    let bytes = try output.bytes
    let large = try TimelineFixture(bytes: bytes + repeatElement(0, count: expected.bytes - bytes.count))
    #expect(try refusal { try large.use { try verifyTimeline($0, expected) } }?.code == .cannotFitLimit)
  }

  @Test("a damaged picture does not pass verification")
  func damaged() throws {
    let (output, prepared) = try copied(try TimelineFixture("video/silent.mp4"))
    var bytes = try output.bytes
    let data = try #require(Box.boxes(in: try output.file).first { $0.type == "mdat" })
    for index in stride(from: data.content + 40, to: data.end, by: 29) { bytes[index] ^= 0x55 }
    let broken = try TimelineFixture(bytes: bytes)
    #expect(try refusal { try verifyTimeline(try broken.file, prepared) }?.code == .corrupt)
  }
}
