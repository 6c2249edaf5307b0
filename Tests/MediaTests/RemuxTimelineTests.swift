import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Copying timelines out of the ordinary")
struct RemuxTimelineTests {
  /// Inspects, plans, copies and verifies.
  private func copied(_ fixture: TimelineFixture) throws -> (output: TimelineFixture, prepared: PreparedFile) {
    let facts = try fixture.facts()
    guard case .prepare(.remux(let recipe)) = plan(facts) else { throw NotThatKind() }
    let output = try TimelineFixture()
    let prepared = try remux(try fixture.file, into: output.descriptor, facts: facts, recipe)
    try verifyTimeline(try output.file, prepared)
    return (output, prepared)
  }

  @Test(
    "a copy shows the pictures of its source, all of them and in their order",
    arguments: [
      "b-frames.avi", "h264-aac.avi", "h264-aac.flv", "late.flv", "joined.ts", "wrap.ts", "late-picture.ts",
      "edit-joined.mp4", "edit-reversed.mp4", "edit-late.mp4", "fragments-from-an-hour.mp4", "from-an-hour.mkv",
      "timecode.mov", "attachment.mkv", "hevc.ts",
    ])
  func pictures(_ path: String) throws {
    let source = try TimelineFixture("timeline/" + path)
    let (output, prepared) = try copied(source)
    let clips = try ClipFolder()
    try clips.write(source, to: "source")
    try clips.write(output, to: "copy.mp4")
    let before = try clips.pictures("source")
    #expect(!before.isEmpty)
    #expect(try clips.pictures("copy.mp4") == before)
    let video = try output.video()
    #expect(video.streams.count == (video.sound == nil ? 1 : 2))
    #expect(abs(try #require(video.duration.presented) - (try #require(prepared.timeline).pictureSeconds)) < 0.051)
  }

  @Test("of several sounds the default one is kept")
  func defaultSound() throws {
    #expect(try TimelineFixture("timeline/two-sounds.mkv").video().sound?.index == 2)
  }

  /// The eight ways of holding a phone and mirroring, as the numbers a, b, c and d of a display matrix.
  private static let turns = [
    [1, 0, 0, 1], [0, 1, -1, 0], [-1, 0, 0, -1], [0, -1, 1, 0], [-1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, -1],
    [0, -1, -1, 0],
  ]

  @Test("a display matrix is kept once: what ffmpeg shows stays the same", arguments: turns)
  func matrix(_ turn: [Int]) throws {
    var bytes = try TimelineFixture("timeline/header-zero.mp4").bytes
    let header = try #require(bytes.firstRange(of: Array("tkhd".utf8))).lowerBound
    // The matrix follows version, dates, id, duration and layer: 44 bytes behind the type.
    for (place, number) in zip([0, 1, 3, 4], turn) {
      let at = header + 4 + 40 + place * 4
      let fixed = UInt32(bitPattern: Int32(number << 16))
      bytes.replaceSubrange(at..<at + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: fixed >> (24 - 8 * $0)) })
    }
    let (output, _) = try copied(try TimelineFixture(bytes: bytes))
    let clips = try ClipFolder()
    try clips.write(bytes, to: "source.mp4")
    try clips.write(output, to: "copy.mp4")
    #expect(try clips.pictures("copy.mp4") == (try clips.pictures("source.mp4")))
  }

  @Test(
    "a flash and a beep stay together within a frame",
    arguments: [
      ["mp4"], ["mov"], ["mkv"], ["ts"], ["flv"], ["avi", "-bsf:v", "h264_mp4toannexb"],
      ["mp4", "-movflags", "+frag_keyframe+empty_moov"],
    ])
  func synchrony(_ container: [String]) throws {
    let clips = try ClipFolder()
    let flashing = "color=black:size=64x48:rate=25:duration=2,drawbox=color=white:t=fill:enable='between(t,1,1.2)'"
    try clips.ffmpeg(
      "-f", "lavfi", "-i", flashing, "-f", "lavfi", "-i",
      "aevalsrc='if(between(t,1,1.2),sin(6283*t),0)':sample_rate=44100:duration=2",
      "-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "aac", "whole.mp4")
    let name = "clip.\(container[0])"
    try clips.run(["-i", "whole.mp4", "-c", "copy"] + container.dropFirst() + [name])
    let (output, _) = try copied(try clips.fixture(name))
    try clips.write(output, to: "copy.mp4")
    let looks = try clips.ffmpeg(
      "-i", "copy.mp4", "-copyts", "-map", "0:v", "-vf", "signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-",
      "-f", "null", "-")
    let sounds = try clips.ffmpeg(
      "-i", "copy.mp4", "-copyts", "-map", "0:a", "-af", "silencedetect=n=-30dB:d=0.2", "-f", "null", "-")
    var flash: Double?
    var time = 0.0
    for line in looks.split(separator: "\n") {
      if let at = number(behind: "pts_time:", in: line) { time = at }
      if flash == nil, let light = number(behind: "YAVG=", in: line), light > 100 { flash = time }
    }
    let beep = sounds.split(separator: "\n").compactMap { number(behind: "silence_end: ", in: $0) }.first
    #expect(abs(try #require(flash) - (try #require(beep))) <= 0.04, "\(flash ?? -1) \(beep ?? -1)")
  }

  private func number(behind word: String, in line: Substring) -> Double? {
    guard let range = line.firstRange(of: word) else { return nil }
    return Double(line[range.upperBound...].prefix { $0.isNumber || $0 == "." || $0 == "-" })
  }

  @Test("a prepared file that ends elsewhere than planned, is too long or lost its sound does not pass verification")
  func verification() throws {
    let (output, prepared) = try copied(try TimelineFixture("timeline/from-an-hour.mkv"))
    let good = try #require(prepared.timeline)
    #expect(good == PlannedTimeline(pictureSeconds: 2, maximumSeconds: 30, hasSound: true))
    func verdict(_ timeline: PlannedTimeline) throws -> Rejection.Code? {
      var expected = prepared
      expected.timeline = timeline
      return try refusal { try verifyTimeline(try output.file, expected) }?.code
    }
    #expect(try verdict(good) == nil)
    #expect(try verdict(PlannedTimeline(pictureSeconds: 2.2, maximumSeconds: 30, hasSound: true)) == .corrupt)
    #expect(try verdict(PlannedTimeline(pictureSeconds: 2, maximumSeconds: 1.9, hasSound: true)) == .videoTooLong)
    #expect(try verdict(PlannedTimeline(pictureSeconds: 2, maximumSeconds: 30, hasSound: false)) == .corrupt)
  }
}
