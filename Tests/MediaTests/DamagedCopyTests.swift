import CFFmpeg
import Preparation
import RichPush
import Testing

@testable import Media

@Suite("What copying meets in files from the street")
struct DamagedCopyTests {
  /// Inspects, plans, prepares and verifies, as a helper does.
  private func prepared(
    _ fixture: TimelineFixture, change: (inout Recipe) -> Void = { _ in }
  ) throws -> (output: TimelineFixture, file: PreparedFile) {
    let facts = try fixture.facts()
    guard case .prepare(var recipe) = plan(facts) else { throw NotThatKind() }
    change(&recipe)
    let output = try TimelineFixture()
    let file = try prepare(
      try fixture.file, into: output.descriptor, PrepareRequest(facts: facts, recipe: recipe))
    try verifyTimeline(try output.file, file)
    return (output, file)
  }

  @Test("pictures that do not say when they are shown are encoded, also beside sound that is")
  func unknownOrder() throws {
    let clips = try ClipFolder()
    try clips.ffmpeg(
      "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1:r=25", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "libx264", "-bf", "2",
      "-pix_fmt", "yuv420p", "-c:a", "mp2", "-f", "vob", "clip.mpg")
    let (output, file) = try prepared(try clips.fixture("clip.mpg"))
    #expect(file.steps.first == "decoded h264")
    #expect(abs(try #require(try output.video().duration.presented) - 1) <= 0.081)
    try clips.write(output, to: "prepared.mp4")
    #expect((24...25).contains(try clips.pictures("prepared.mp4").count))
  }

  @Test("pictures that are too large to be copied beside encoded sound are encoded")
  func tooLarge() throws {
    let clips = try ClipFolder()
    try clips.ffmpeg(
      "-f", "lavfi", "-i", "testsrc2=s=320x240:d=1:r=25", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "libx264", "-qp",
      "1", "-pix_fmt", "yuv420p", "-c:a", "libopus", "clip.mkv")
    let source = try clips.fixture("clip.mkv")
    let limit = try source.file.bytes / 2
    let (_, file) = try prepared(source) { recipe in
      guard case .encode(var encoded) = recipe else { return }
      encoded.maximumBytes = limit
      recipe = .encode(encoded)
    }
    #expect(file.steps.first == "decoded h264")
    #expect(file.bytes <= limit)
  }

  @Test("a packet that makes no sense behind sound that does is left out")
  func strayPacket() throws {
    let sound = try TimelineFixture("audio/adts.aac").bytes
    // The header of a frame with four blocks and a checksum, 64 bytes long, which no copier takes apart.
    let stray = [0xFF, 0xF0, 0x50, 0x40, 0x08, 0x1F, 0xFF] + [UInt8](repeating: 0, count: 57)
    let (_, file) = try prepared(try TimelineFixture(bytes: sound + stray))
    #expect(file.steps.contains("left out 1 damaged packet"))
    #expect(file.steps.first == "copied aac")
  }

  @Test("lyrics and tags behind an MP3 are no sound")
  func lyrics() throws {
    let sound = try TimelineFixture("audio/no-id3.mp3").bytes
    let lyrics = "LYRICSBEGIN" + String(repeating: "la ", count: 200) + "000611LYRICS200"
    let tag = Array("TAGSecret".utf8) + [UInt8](repeating: 0, count: 119)
    let (output, file) = try prepared(try TimelineFixture(bytes: sound + Array(lyrics.utf8) + tag))
    #expect(file.steps.first == "copied mp3")
    let text = String(decoding: try output.bytes, as: UTF8.self)
    #expect(!text.contains("LYRICS") && !text.contains("Secret"))
    let (alone, _) = try prepared(try TimelineFixture(bytes: sound))
    #expect(try output.audio().duration.presented == (try alone.audio().duration.presented))
  }

  @Test("a WAV that was written into a pipe is as long as it is")
  func streamedWAV() throws {
    var bytes = try TimelineFixture("audio/pcm16.wav").bytes
    let expected = try #require(try TimelineFixture("audio/pcm16.wav").audio().duration.presented)
    let data = try #require(bytes.firstRange(of: Array("data".utf8))).upperBound
    for start in [4, data] { bytes.replaceSubrange(start..<start + 4, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
    let source = try TimelineFixture(bytes: bytes)
    #expect(abs(try #require(try source.audio().duration.presented) - expected) < 0.001)
    let (output, file) = try prepared(source)
    #expect(file.type == .wav && file.reductions == [])
    #expect(abs(try #require(try output.audio().duration.presented) - expected) < 0.001)
  }

  @Test("a CAF whose data go on to its end is as long as it is")
  func streamedCAF() throws {
    let clips = try ClipFolder()
    try clips.ffmpeg("-f", "lavfi", "-i", "sine=d=1.3", "-c:a", "pcm_s16be", "-bitexact", "clip.caf")
    var bytes = try clips.fixture("clip.caf").bytes
    let data = try #require(bytes.firstRange(of: Array("data".utf8))).upperBound
    bytes.replaceSubrange(data..<data + 8, with: [UInt8](repeating: 0xFF, count: 8))
    let (output, file) = try prepared(try TimelineFixture(bytes: bytes))
    #expect(file.type == .mpeg4Audio && file.reductions == [])
    #expect(abs(try #require(try output.audio().duration.presented) - 1.3) < 0.03)
  }

  @Test("where MXF gives times of decoding as those of showing, the pictures' order is found out")
  func order() throws {
    let clips = try ClipFolder()
    try clips.ffmpeg(
      "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1:r=25", "-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p",
      "clip.mxf")
    let (output, file) = try prepared(try clips.fixture("clip.mxf"))
    #expect(file.steps.first == "copied h264 as avc1")
    try clips.write(output, to: "prepared.mp4")
    let times =
      try clips.ffmpeg("-v", "error", "-i", "prepared.mp4", "-fps_mode", "passthrough", "-f", "framecrc", "-")
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { Int($0.split(separator: ",")[2].filter { $0 != " " }) }
    #expect(times.count == 25)
    #expect(times == times.sorted())
  }

  @Test("a recording that follows itself ends where the times say that it does")
  func joined() throws {
    let bytes = try TimelineFixture("video/vp9-opus.webm").bytes
    let (source, alone) = (try TimelineFixture(bytes: bytes + bytes), try TimelineFixture(bytes: bytes))
    let (output, _) = try prepared(source)
    let expected = try #require(try alone.video().duration.presented)
    #expect(abs(try #require(try output.video().duration.presented) - expected) <= 0.051)
  }

  /// Scaled to nothing, to half the width, by 32767, slanted, turned by 45 degrees.
  private static let matrices: [[Int32]] = [
    [0, 0, 0, 0], [1 << 15, 0, 0, 1 << 16], [32767 << 16, 0, 0, 32767 << 16], [1 << 16, 1 << 15, 0, 1 << 16],
    [46341, 46341, -46341, 46341],
  ]

  @Test("a matrix that does more than turn and mirror does not come along", arguments: matrices)
  func strangeMatrix(_ numbers: [Int32]) throws {
    var bytes = try TimelineFixture("timeline/header-zero.mp4").bytes
    let header = try #require(bytes.firstRange(of: Array("tkhd".utf8))).lowerBound
    for (place, number) in zip([0, 1, 3, 4], numbers) {
      let at = header + 4 + 40 + place * 4
      let fixed = UInt32(bitPattern: number)
      bytes.replaceSubrange(at..<at + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: fixed >> (24 - 8 * $0)) })
    }
    let (output, file) = try prepared(try TimelineFixture(bytes: bytes))
    let input = try LibavInput(try output.file, at: .verify)
    try input.findStreams()
    let stream = try #require(input.stream(0))
    #expect(av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, nil) == nil)
    let coded = stream.pointee.codecpar.pointee
    #expect((file.width, file.height) == (Int(coded.width), Int(coded.height)))
  }

  @Test(
    "a turn moves the picture back to where it started",
    arguments: [
      (90, false, [0, 1, -1, 0, 48, 0]), (180, false, [-1, 0, 0, -1, 64, 48]), (270, false, [0, -1, 1, 0, 0, 64]),
      (0, true, [-1, 0, 0, 1, 64, 0]), (90, true, [0, 1, 1, 0, 0, 0]), (180, true, [1, 0, 0, -1, 0, 48]),
      (270, true, [0, -1, -1, 0, 48, 64]),
    ] as [(Int, Bool, [Int32])])
  func canonicalMatrix(_ rotation: Int, _ isMirrored: Bool, _ expected: [Int32]) throws {
    var turn = DisplayOrientation(matrix: [])
    (turn.rotation, turn.isMirrored) = (rotation, isMirrored)
    let matrix = try #require(turn.matrix(width: 64, height: 48))
    #expect([0, 1, 3, 4, 6, 7].map { matrix[$0] >> 16 } == expected)
    #expect(DisplayOrientation(matrix: matrix) == turn)
  }
}
