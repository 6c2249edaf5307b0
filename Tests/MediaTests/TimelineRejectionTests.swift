import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Timelines that are refused")
struct TimelineRejectionTests {
  @Test(
    "a playlist, script or session is refused and nothing it names is opened",
    arguments: ["bad/playlist.mp4", "bad/concat.mp4", "bad/session.sdp"])
  func references(_ path: String) throws {
    let fixture = try TimelineFixture(path)
    #expect(try refusal { _ = try fixture.facts() }?.code == .unsupportedType)
  }

  @Test("no demuxer that is let in opens a playlist, whatever is asked", arguments: ["hls", "concat", "sdp", "image2"])
  func forced(_ demuxer: String) throws {
    let fixture = try TimelineFixture("bad/playlist.mp4")
    #expect(try refusal { _ = try LibavInput(try fixture.file, demuxer: demuxer, at: .inspect) } != nil)
  }

  @Test(
    "text, archives and noise are no media",
    arguments: ["bad/archive.jpg", "bad/json.webp", "bad/page.jpg", "bad/text.jpg", "bad/document.pdf", "bad/mvg.jpg"])
  func strangers(_ path: String) throws {
    let fixture = try TimelineFixture(path)
    #expect(try refusal { _ = try fixture.facts() }?.code == .unsupportedType)
  }

  @Test("more streams than are read, and tables longer than memory, are the file's fault and not the machine's")
  func absurdHeaders() throws {
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      (0..<4).reversed().map { UInt8(truncatingIfNeeded: (content.count + 8) >> ($0 * 8)) } + Array(type.utf8) + content
    }
    let brand = box("ftyp", Array("isom".utf8) + [0, 0, 2, 0] + Array("isom".utf8))
    let streams = (0..<100).flatMap { _ in box("trak", box("mdia", [])) }
    // Version, flags, and 2^32 - 1 entries.
    let table = box("stsz", [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF])
    let entries = box("trak", box("mdia", box("minf", box("stbl", table))))
    for content in [streams, entries] {
      let movie = box("moov", box("mvhd", Array(repeating: 0, count: 100)) + content)
      let fixture = try TimelineFixture(bytes: brand + movie)
      let reason = try #require(try refusal { _ = try fixture.facts() })
      #expect(reason.code == .corrupt && reason.permanent, "\(reason.message)")
    }
  }

  @Test("a file that breaks off says how far it goes")
  func truncated() throws {
    let fixture = try TimelineFixture("video/truncated-faststart.mp4")
    let reason = try #require(try refusal { _ = try fixture.facts() })
    #expect(reason.code == .truncated)
    // Nothing was over a limit: what there is and what should be stand in the sentence.
    #expect(reason.message == "the file breaks off after 0.96 s of 2 s")
    #expect(reason.limit == nil && reason.measured == nil)
  }

  @Test("an upload without its index breaks off as well")
  func withoutIndex() throws {
    let fixture = try TimelineFixture("video/no-moov.mp4")
    #expect(try refusal { _ = try fixture.facts() }?.code == .truncated)
  }

  @Test(
    "any cut of a file is refused or read, and never ends the program",
    arguments: [
      "video/faststart.mp4", "video/h264-aac.mkv", "video/h264-aac.ts", "audio/id3-cover.mp3", "audio/flac.flac",
      "image/card.psd", "image/card.jxl", "image/card.jp2", "animation/plain.apng",
    ])
  func cuts(_ path: String) throws {
    let bytes = try TimelineFixture(path).bytes
    for part in 1..<16 {
      let cut = try TimelineFixture(bytes: Array(bytes.prefix(bytes.count * part / 16)))
      _ = try refusal { _ = try cut.facts() }
    }
  }

  @Test("damage anywhere in the index is refused or read, and never ends the program")
  func damage() throws {
    let bytes = try TimelineFixture("video/faststart.mp4").bytes
    // A fixed sequence of damage, so that a failure can be repeated.
    var state: UInt32 = 12345
    func next(_ bound: Int) -> Int {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Int(state >> 8) % bound
    }
    for _ in 0..<150 {
      var damaged = bytes
      for _ in 0..<4 { damaged[next(3000)] = [0, 0x7F, 0x80, 0xFF][next(4)] }
      let fixture = try TimelineFixture(bytes: damaged)
      let output = try TimelineFixture()
      _ = try refusal {
        let facts = try fixture.facts()
        guard case .prepare(.remux(let recipe)) = plan(facts) else { return }
        let prepared = try remux(try fixture.file, into: output.descriptor, facts: facts, recipe)
        try verifyTimeline(try output.file, prepared)
      }
    }
  }
}
