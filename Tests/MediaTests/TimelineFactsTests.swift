import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Facts of timelines")
struct TimelineFactsTests {
  struct Expected: Sendable {
    var path: String
    var format: MediaFormat
    var codec: String
    var tag = ""
    var sound: String?
    var size = (width: 160, height: 90)
  }

  @Test(
    "container, codecs and displayed size come from the bytes",
    arguments: [
      Expected(path: "moov-last.mp4", format: .mp4, codec: "h264", tag: "avc1", sound: "aac", size: (320, 180)),
      Expected(path: "silent.mp4", format: .mp4, codec: "h264", tag: "avc1", size: (320, 180)),
      Expected(path: "quicktime.mov", format: .mov, codec: "h264", tag: "avc1", sound: "aac", size: (320, 180)),
      Expected(path: "h264-aac.mkv", format: .matroska, codec: "h264", sound: "aac", size: (320, 180)),
      Expected(path: "h264-aac.ts", format: .mpegTS, codec: "h264", sound: "aac", size: (320, 180)),
      Expected(path: "hevc-hvc1.mp4", format: .mp4, codec: "hevc", tag: "hvc1", sound: "aac"),
      Expected(path: "hevc-hev1.mp4", format: .mp4, codec: "hevc", tag: "hev1", sound: "aac"),
      Expected(path: "vp9-opus.webm", format: .webm, codec: "vp9", sound: "opus"),
      Expected(path: "vp8-vorbis.webm", format: .webm, codec: "vp8", sound: "vorbis"),
      Expected(path: "av1.mp4", format: .mp4, codec: "av1", tag: "av01", sound: "aac"),
      Expected(path: "mpeg1.mpg", format: .mpegPS, codec: "mpeg1video", sound: "mp2"),
      Expected(path: "mpeg4-part2.avi", format: .avi, codec: "mpeg4", tag: "FMP4", sound: "mp3"),
      Expected(path: "anamorphic-4-3.mp4", format: .mp4, codec: "h264", tag: "avc1", sound: "aac", size: (213, 90)),
      Expected(path: "odd-161x91.webm", format: .webm, codec: "vp9", size: (161, 91)),
      Expected(path: "rotation-90.mp4", format: .mp4, codec: "h264", tag: "avc1", sound: "aac", size: (160, 240)),
    ])
  func kinds(_ expected: Expected) throws {
    let fixture = try TimelineFixture("video/" + expected.path)
    let facts = try fixture.facts()
    let video = try fixture.video()
    #expect(facts.format == expected.format)
    #expect(video.picture.codec == expected.codec)
    #expect(video.picture.tag == expected.tag)
    #expect(video.sound?.codec == expected.sound)
    #expect(video.width == expected.size.width)
    #expect(video.height == expected.size.height)
    #expect(video.picture.isDecodable)
    #expect(!video.picture.isEncrypted)
  }

  @Test(
    "a turned picture says by how much, clockwise",
    arguments: [("rotation-90.mp4", 90), ("rotation-270.mp4", 270), ("silent.mp4", 0)])
  func rotation(_ path: String, _ degrees: Int) throws {
    let video = try TimelineFixture("video/" + path).video()
    #expect(video.rotation == degrees)
    #expect(!video.isMirrored)
  }

  @Test("interlacing, profile and pixel format are told")
  func coding() throws {
    #expect(try TimelineFixture("video/interlaced.mp4").video().picture.isInterlaced)
    #expect(try !TimelineFixture("video/silent.mp4").video().picture.isInterlaced)
    #expect(try TimelineFixture("video/h264-high10.mp4").video().picture.pixelFormat == "yuv420p10le")
    #expect(try TimelineFixture("video/h264-yuv444p.mp4").video().picture.profile == "High 4:4:4 Predictive")
  }

  @Test(
    "sound without pictures is audio, and cover art is no picture",
    arguments: [
      ("id3-cover.mp3", "mp3"), ("no-id3.mp3", "mp3"), ("aac-cover.m4a", "aac"), ("only-aac.mp4", "aac"),
      ("alac.m4a", "alac"), ("pcm16.wav", "pcm_s16le"), ("pcm16.aiff", "pcm_s16be"), ("adts.aac", "aac"),
      ("vorbis.ogg", "vorbis"), ("opus.opus", "opus"), ("flac.flac", "flac"), ("alac.caf", "alac"),
      ("ac3.ac3", "ac3"), ("wma.wma", "wmav2"), ("amr.amr", "amr_nb"),
    ])
  func sounds(_ path: String, _ codec: String) throws {
    let audio = try TimelineFixture("audio/" + path).audio()
    #expect(audio.sound.codec == codec)
    #expect(audio.sound.sampleRate > 0)
    #expect(audio.sound.channels == 1)
    #expect(audio.duration.presented != nil)
  }

  @Test(
    "what will be dropped is named",
    arguments: [
      ("video/location.mp4", [.gps, .comment, .tags]), ("video/location-apple.mov", [.gps, .tags]),
      ("video/subtitle-chapters.mp4", [.chapters, .subtitles, .dataTracks]),
      ("audio/aac-cover.m4a", [.coverArt]), ("video/silent.mp4", []),
    ] as [(String, [MediaFacts.Metadata])])
  func metadata(_ path: String, _ metadata: [MediaFacts.Metadata]) throws {
    #expect(Set(try TimelineFixture(path).facts().metadata) == Set(metadata))
  }

  @Test(
    "the duration is the presented one",
    arguments: [
      ("30-seconds.mp4", 30), ("30-seconds-and-a-frame.mp4", 901.0 / 30), ("29.963-seconds.mp4", 898 * 1.001 / 30),
      ("30.1-seconds.mp4", 30.1), ("audio-longer-29.5-31.mp4", 29.5), ("edit-list-10-of-40.mp4", 10),
      ("fragmented.mp4", 2), ("live-no-duration.mkv", 2), ("h264-aac.ts", 2), ("variable-rate.mkv", 2.02),
    ] as [(String, Double)])
  func durations(_ path: String, _ seconds: Double) throws {
    let presented = try #require(try TimelineFixture("video/" + path).video().duration.presented)
    #expect(abs(presented - seconds) < 0.002)
  }

  @Test(
    "packets count where the header says less or nothing",
    arguments: ["lying-header.mp4", "40-seconds-no-duration.mkv"])
  func liars(_ path: String) throws {
    let duration = try TimelineFixture("video/" + path).video().duration
    #expect(try #require(duration.packets) >= 39.9)
    #expect(duration.header ?? 0 <= 5)
  }

  @Test("a film's header is believed without reading the film")
  func believed() throws {
    guard case .video(let video) = try TimelineFixture("video/31-seconds.mp4").facts(enoughSeconds: 20).content else {
      throw NotThatKind()
    }
    #expect(video.duration == MediaDuration(header: 31))
  }
}
