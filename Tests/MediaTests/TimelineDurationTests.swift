import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Durations that headers, edit lists and time stamps obscure")
struct TimelineDurationTests {
  @Test(
    "the presented duration comes from the packets, whatever the headers claim",
    arguments: [
      ("header-zero.mp4", 2.2), ("header-60.mp4", 2.2), ("header-60-edit.mp4", 2), ("edit-joined.mp4", 2),
      ("edit-reversed.mp4", 2), ("edit-repeated.mp4", 40), ("edit-late.mp4", 2),
      ("edit-pause.mp4", 3), ("fragments-from-an-hour.mp4", 2.2), ("fragments-header-60.mp4", 2.2),
      ("fragments-40.mp4", 40), ("duration-60.mkv", 2), ("duration-60-sound.mkv", 2), ("duration-1.mkv", 2),
      ("duration-nan.mkv", 2), ("duration-negative.mkv", 2), ("from-an-hour.mkv", 2), ("live.webm", 2),
      ("live-40.webm", 40), ("h264-aac.avi", 2), ("header-zero.avi", 2), ("header-long.avi", 2), ("h264-aac.flv", 2),
      ("duration-60.flv", 2), ("duration-zero.flv", 2), ("late.flv", 2), ("wrap.ts", 2), ("joined.ts", 4.24),
      ("hevc.ts", 2), ("late-picture.ts", 3.05), ("late-picture.mp4", 3), ("late-sound.mp4", 2), ("mpeg2.mpg", 1.96),
      ("theora.ogv", 2), ("raw.m2v", 1), ("timecode.mov", 2), ("two-sounds.mkv", 2),
    ] as [(String, Double)])
  func durations(_ path: String, _ seconds: Double) throws {
    let presented = try #require(try TimelineFixture("timeline/" + path).video().duration.presented)
    #expect(abs(presented - seconds) < 0.02, "\(presented)")
  }

  @Test("nothing tells how long the pictures of a bare stream are shown")
  func bare() throws {
    let fixture = try TimelineFixture("timeline/raw.h264")
    #expect(try fixture.video().duration == MediaDuration())
    guard case .reject(let reason) = plan(try fixture.facts()) else { throw NotThatKind() }
    #expect(reason.code == .unknownDuration)
  }

  @Test(
    "a file that breaks off is told from one whose header is wrong",
    arguments: ["cut.mkv", "cut.flv", "fragments-cut.mp4"])
  func cut(_ path: String) throws {
    let fixture = try TimelineFixture("timeline/" + path)
    #expect(try refusal { _ = try fixture.facts() }?.code == .truncated)
  }

  @Test(
    "an edit list that holds a picture or changes the speed is refused", arguments: ["edit-still.mp4", "edit-slow.mp4"])
  func speeds(_ path: String) throws {
    let fixture = try TimelineFixture("timeline/" + path)
    let reason = try #require(try refusal { _ = try fixture.facts() })
    #expect(reason.code == .unsupportedCodec)
    #expect(reason.message.contains("speed"))
  }

  @Test(
    "what keeps pictures from being copied is known before they are",
    arguments: [
      ("edit-gap.mp4", "pieces"), ("edit-pause.mp4", "pieces"), ("changing-sets.ts", "parameter sets"),
      ("changing-size.ts", "parameter sets"), ("edit-joined.mp4", nil), ("edit-reversed.mp4", nil), ("hevc.ts", nil),
      ("b-frames.avi", nil), ("joined.ts", nil),
    ] as [(String, String?)])
  func obstacles(_ path: String, _ word: String?) throws {
    let obstacle = try TimelineFixture("timeline/" + path).video().copyObstacle
    #expect((obstacle == nil) == (word == nil), "\(obstacle ?? "none")")
    if let word { #expect(try #require(obstacle).contains(word)) }
  }

  @Test("an encrypted track is known as such, though libavformat names it as what is encrypted")
  func encrypted() throws {
    let fixture = try TimelineFixture("timeline/encrypted.mp4")
    #expect(try fixture.video().picture.isEncrypted)
    guard case .reject(let reason) = plan(try fixture.facts()) else { throw NotThatKind() }
    #expect(reason.code == .unsupportedCodec && reason.message == "the video is encrypted")
  }

  @Test("the presentation starts with the picture when the sound leads by no more than encoders do")
  func starts() {
    #expect(presentationStart(picture: 1.08, sound: 1, isISO: false) == 1.08)
    #expect(presentationStart(picture: 2, sound: 1, isISO: false) == 1)
    #expect(presentationStart(picture: 1, sound: 3, isISO: false) == 1)
    #expect(presentationStart(picture: -1, sound: -1.05, isISO: false) == -1)
    #expect(presentationStart(picture: 0, sound: -0.046, isISO: true) == 0)
    #expect(presentationStart(picture: 1, sound: -0.046, isISO: true) == 0)
    #expect(presentationStart(picture: nil, sound: 5, isISO: false) == 5)
  }
}
