import CFFmpeg
import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Encoding pictures")
struct PictureTrackTests {
  /// Inspects, plans, encodes and verifies a fixture.
  private func encoded(
    _ fixture: TimelineFixture, change: (inout EncodeRecipe) -> Void = { _ in }
  ) throws -> (output: TimelineFixture, prepared: PreparedFile) {
    let facts = try fixture.facts()
    var recipe: EncodeRecipe
    switch plan(facts) {
    case .prepare(.encode(let planned)): recipe = planned
    case .prepare(.remux(let planned)): recipe = try #require(planned.otherwise)
    default: throw NotThatKind()
    }
    change(&recipe)
    let output = try TimelineFixture()
    let prepared = try transcode(try fixture.file, into: output.descriptor, facts: facts, recipe)
    try verifyTimeline(try output.file, prepared)
    return (output, prepared)
  }

  /// When each picture is shown, in seconds, in order.
  private func times(_ fixture: TimelineFixture) throws -> [Double] {
    let input = try LibavInput(try fixture.file, at: .verify)
    try input.findStreams()
    let index = try #require(input.pictureIndex())
    let stream = try #require(input.stream(index))
    let packet = try LibavPacket(at: .verify)
    var times: [Double] = []
    while input.read(into: packet.pointer) >= 0 {
      guard packet.pointer.pointee.stream_index == index else { continue }
      times.append(try #require(seconds(packet.pointer.pointee.pts, stream.pointee.time_base)))
    }
    return times.sorted()
  }

  /// Red, green and blue at a place of the first picture.
  private func colour(_ fixture: TimelineFixture, _ x: Int, _ y: Int) throws -> [Int] {
    let reader = try LibavPictureReader(try fixture.file, format: .mp4, at: .verify)
    let picture = try #require(try reader.next())
    return (0..<3).map { Int(picture.pixels[(y * picture.width + x) * 4 + $0]) }
  }

  private func isNear(_ colour: [Int], _ expected: [Int], by tolerance: Int = 12) -> Bool {
    zip(colour, expected).allSatisfy { abs($0 - $1) <= tolerance }
  }

  @Test(
    "every picture is shown when it was, in H.264 that every iPhone decodes",
    arguments: [
      "video/vp9-opus.webm", "video/vp8-vorbis.webm", "video/av1.mp4", "video/mpeg1.mpg", "video/mpeg4-part2.avi",
      "video/h264-yuv444p.mp4", "video/h264-high10.mp4", "video/odd-161x91.webm", "video/variable-rate.mkv",
      "video/edit-list-10-of-40.mp4", "encode/prores-4444.mov", "encode/mjpeg.mov", "encode/wmv2.wmv",
      "encode/theora.ogv", "encode/h263.3gp", "encode/rgb.mkv", "encode/wide-2048.mp4",
      "encode/mpeg2-interlaced-anamorphic.ts", "video/anamorphic-4-3.mp4",
    ])
  func plays(_ path: String) throws {
    let source = try TimelineFixture(path)
    let (output, prepared) = try encoded(source)
    let (before, after) = (try source.video(), try output.video())
    #expect(after.picture.codec == "h264" && after.picture.tag == "avc1" && after.picture.profile == "High")
    #expect(after.picture.level <= 40 && after.picture.pixelFormat == "yuv420p" && !after.picture.isInterlaced)
    #expect(after.codedWidth % 2 == 0 && after.codedHeight % 2 == 0 && max(after.width, after.height) <= 1920)
    #expect(after.rotation == 0 && (after.width, after.height) == (after.codedWidth, after.codedHeight))
    #expect((prepared.width, prepared.height) == (after.width, after.height))
    let period = max(before.framePeriod ?? 0, 0.04) + 0.001
    let lasted = try #require(before.duration.presented)
    #expect(abs(try #require(after.duration.presented) - lasted) <= period)
    // Packets of the one are hidden, those of the other do not all say when they are shown.
    guard path != "video/edit-list-10-of-40.mp4", path != "video/mpeg1.mpg" else { return }
    let (shown, kept) = (try times(source), try times(output))
    try #require(shown.count == kept.count)
    for (shown, kept) in zip(shown.map({ $0 - shown[0] }), kept.map({ $0 - kept[0] })) {
      #expect(abs(shown - kept) < 0.011)
    }
  }

  @Test(
    "pictures are turned, and nothing turns them again",
    arguments: ["encode/rotation-90.mp4", "encode/rotation-270.mp4", "video/rotation-90.mp4", "video/rotation-270.mp4"])
  func rotation(_ path: String) throws {
    let (output, prepared) = try encoded(try TimelineFixture(path))
    #expect((prepared.width, prepared.height) == (160, 240))
    #expect(try output.video().rotation == 0)
    #expect(isNear(try colour(output, 20, 20), [255, 0, 0]))
    #expect(isNear(try colour(output, 140, 20), [0, 255, 0]))
    #expect(isNear(try colour(output, 20, 220), [0, 0, 255]))
    #expect(isNear(try colour(output, 140, 220), [255, 255, 255]))
  }

  @Test("a mirrored picture is mirrored after it was turned")
  func mirroring() throws {
    let (output, _) = try encoded(try TimelineFixture("encode/rotation-90.mp4")) { recipe in
      guard let picture = recipe.picture, case .encode(var encoding) = picture.treatment else { return }
      encoding.isMirrored = true
      recipe.picture?.treatment = .encode(encoding: encoding)
    }
    #expect(isNear(try colour(output, 20, 20), [0, 255, 0]))
    #expect(isNear(try colour(output, 20, 220), [255, 255, 255]))
  }

  /// The test picture has bars of red, green, yellow and blue.
  @Test(
    "colours come out as they went in, with tags that say so",
    arguments: [
      ("encode/bt709.webm", "bt709", 12), ("encode/full-range.webm", "bt709", 12), ("encode/rgb.mkv", "bt709", 12),
      ("encode/wmv2.wmv", "smpte170m", 16), ("encode/prores-4444.mov", "smpte170m", 12),
      ("encode/wide.webm", "bt709", 28), ("video/mpeg1.mpg", "smpte170m", 24),
      // White leaves as 222 of 255, so that there is room for what is brighter.
      ("encode/pq.webm", "bt709", 40), ("encode/hlg.webm", "bt709", 40),
    ])
  func colours(_ path: String, _ matrix: String, _ tolerance: Int) throws {
    let (output, prepared) = try encoded(try TimelineFixture(path))
    for (x, expected) in [(13, [255, 0, 0]), (40, [0, 255, 0]), (66, [255, 255, 0]), (92, [0, 0, 255])] {
      let found = try colour(output, x, 80)
      #expect(isNear(found, expected, by: tolerance), "\(found) at \(x)")
    }
    let input = try LibavInput(try output.file, at: .verify)
    try input.findStreams()
    let parameters = try #require(input.stream(0)).pointee.codecpar.pointee
    #expect(String(cString: av_color_space_name(parameters.color_space)) == matrix)
    #expect(parameters.color_range == AVCOL_RANGE_MPEG)
    #expect(prepared.steps.contains("tone-mapped to BT.709") == ["pq", "hlg"].contains { path.contains("/\($0).") })
  }

  @Test("no more than 60 pictures a second leave")
  func rate() throws {
    let (output, prepared) = try encoded(try TimelineFixture("encode/100-a-second.webm"))
    let times = try times(output)
    #expect(times.count == 20)
    #expect(prepared.steps.contains("kept 20 of 40 pictures"))
    #expect(abs(try #require(prepared.duration) - 0.4) < 0.02)
  }

  @Test("interlaced pictures are deinterlaced")
  func interlaced() throws {
    let (_, prepared) = try encoded(try TimelineFixture("encode/mpeg2-interlaced-anamorphic.ts"))
    #expect(prepared.steps.contains("deinterlaced"))
  }

  @Test(
    "pixels are squared, sides even",
    arguments: [("encode/mpeg2-interlaced-anamorphic.ts", 256, 144), ("video/anamorphic-4-3.mp4", 212, 90)])
  func squared(path: String, width: Int, height: Int) throws {
    let (output, prepared) = try encoded(try TimelineFixture(path))
    #expect((prepared.width, prepared.height) == (width, height))
    #expect(try output.video().isAnamorphic == false)
  }

  @Test("what becomes too large is tried smaller, and the sender told")
  func ladder() throws {
    let (output, prepared) = try encoded(try TimelineFixture("video/silent.mp4")) { recipe in
      recipe.maximumBytes = 36_000
    }
    #expect(prepared.bytes <= 36_000)
    #expect(try output.file.bytes == prepared.bytes)
    #expect(prepared.reductions.count == 1)
    #expect(prepared.width ?? 320 < 320)
  }

  @Test("what fits in no way is rejected with limit and measure")
  func tooLarge() throws {
    let reason = try refusal {
      _ = try encoded(try TimelineFixture("video/silent.mp4")) { $0.maximumBytes = 5_000 }
    }
    #expect(reason?.code == .cannotFitLimit && reason?.limit == 5_000)
  }

  @Test("pictures that cannot be decoded are damage")
  func damage() throws {
    let source = try TimelineFixture("video/h264-high10.mp4")
    let facts = try source.facts()
    guard case .prepare(.encode(let recipe)) = plan(facts) else { throw NotThatKind() }
    var bytes = try source.bytes
    for index in stride(from: 900, to: bytes.count - 3000, by: 61) { bytes[index] ^= 0x5A }
    let damaged = try TimelineFixture(bytes: bytes)
    let output = try TimelineFixture()
    let reason = try refusal {
      _ = try transcode(try damaged.file, into: output.descriptor, facts: facts, recipe)
    }
    #expect(reason.map { [.corrupt, .truncated].contains($0.code) } == true, "\(String(describing: reason))")
  }
}

@Suite("Times of pictures")
struct PictureTimesTests {
  @Test("a picture lasts until the next, the last as long as it says, or as long as the presentation")
  func durations() {
    var times = PictureTimes(distance: 0, period: 4, limit: nil)
    for (time, length) in [(0, 0), (3, 0), (10, 7)] as [(Int64, Int64)] {
      #expect(times.add(time, duration: length) == time)
      times.note(time)
    }
    #expect([0, 3, 10].map { times.duration(of: $0) } == [3, 7, 7])
    var limited = PictureTimes(distance: 0, period: 4, limit: 12)
    for time in [0, 10, 12] as [Int64] where limited.add(time, duration: 7) != nil { limited.note(time) }
    #expect([0, 10].map { limited.duration(of: $0) } == [10, 2])
  }

  @Test("pictures too close to the one before are left out; that one lasts longer")
  func distance() {
    var times = PictureTimes(distance: 9, period: 5, limit: nil)
    let kept = (0..<6).compactMap { times.add(Int64($0) * 5, duration: 5) }
    #expect(kept == [0, 10, 20])
    for time in kept { times.note(time) }
    #expect(kept.map { times.duration(of: $0) } == [10, 10, 10])
  }

  @Test("times that are missing, repeat or go back are mended; what is over before the start is left out")
  func mending() {
    var times = PictureTimes(distance: 0, period: 5, limit: nil)
    #expect(times.add(-20, duration: 5) == nil)
    #expect(times.add(-3, duration: 5) == 0)
    #expect(times.add(nil, duration: 5) == 2)
    #expect(times.add(2, duration: 5) == 3)
    #expect(times.add(1, duration: 5) == 4)
    #expect(times.add(9, duration: 5) == 9)
  }
}
