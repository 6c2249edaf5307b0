import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Posters")
struct PosterTests {
  private let recipe = Profile.ios.poster

  private func poster(_ fixture: TimelineFixture) throws -> (output: TimelineFixture, poster: PreparedPoster) {
    let output = try TimelineFixture()
    let duration = try #require(try fixture.video().duration.presented)
    let poster = try makePoster(
      of: try fixture.file, into: output.descriptor, PosterRequest(recipe: recipe, duration: duration))
    try verifyImage(try output.file, poster.file)
    return (output, poster)
  }

  private func picture(_ poster: TimelineFixture) throws -> Samples {
    try poster.use { try Samples(try VipsPicture(loading: $0, with: .jpeg(shrink: 1))) }
  }

  @Test(
    "a poster shows what its video shows at its time",
    arguments: [
      "faststart.mp4", "30-seconds.mp4", "edit-list-10-of-40.mp4", "hevc-hvc1.mp4", "moov-last.mp4",
      "black-start.mp4", "fade-in.mp4", "one-frame.mp4", "audio-longer-29.5-31.mp4",
    ])
  func time(_ path: String) throws {
    let fixture = try TimelineFixture("video/" + path)
    let (output, poster) = try poster(fixture)
    let shown = try picture(output)
    let reader = try LibavPictureReader(try fixture.file, format: .mp4, at: .verify)
    var best: (difference: Int, times: Range<Double>)?
    var elapsed = 0
    while let picture = try reader.next() {
      var difference = 0
      for index in picture.pixels.indices {
        difference += abs(Int(picture.pixels[index]) - Int(shown.bytes[index]))
      }
      let times = Double(elapsed) / 1000..<Double(elapsed + max(picture.delay, 1)) / 1000
      if best.map({ difference < $0.difference }) ?? true { best = (difference, times) }
      elapsed += picture.delay
    }
    let times = try #require(best).times
    // The delays are rounded to milliseconds.
    #expect(times.lowerBound - 0.002...times.upperBound + 0.002 ~= poster.seconds)
    let duration = try #require(try fixture.video().duration.presented)
    #expect(poster.seconds < duration)
  }

  @Test("a poster is neither the black beginning nor the fade after it", arguments: ["black-start.mp4", "fade-in.mp4"])
  func blackStart(_ path: String) throws {
    let (output, poster) = try poster(try TimelineFixture("video/" + path))
    #expect(poster.seconds >= 1.6)
    let bytes = try picture(output).bytes
    let sum = bytes.reduce(0) { $0 + Int($1) }
    // A quarter of them is alpha.
    #expect(sum / bytes.count > 64 + 80)
  }

  @Test("the only frame of a clip is its poster")
  func oneFrame() throws {
    let (_, poster) = try poster(try TimelineFixture("video/one-frame.mp4"))
    #expect(poster.seconds == 0)
    #expect((poster.file.width, poster.file.height) == (160, 90))
  }

  @Test("a poster stands upright", arguments: [("rotation-90.mp4", 90), ("rotation-270.mp4", 270)])
  func rotation(_ path: String, _ degrees: Int) throws {
    let (output, poster) = try poster(try TimelineFixture("video/" + path))
    #expect((poster.file.width, poster.file.height) == (160, 240))
    #expect(poster.file.steps.contains("rotated \(degrees)"))
    #expect(try picture(output).hasCardCorners)
  }

  @Test("a poster of anamorphic video has square pixels")
  func anamorphic() throws {
    let (_, poster) = try poster(try TimelineFixture("video/anamorphic-4-3.mp4"))
    #expect((poster.file.width, poster.file.height) == (213, 90))
  }

  @Test("a poster of HDR video shows its colours in sRGB", arguments: ["hdr-pq.mp4", "hdr-hlg.mp4"])
  func highDynamicRange(_ path: String) throws {
    let (output, poster) = try poster(try TimelineFixture("video/" + path))
    #expect(poster.file.steps.contains { $0.hasPrefix("mapped HDR") })
    let picture = try picture(output)
    #expect(picture.shows([88, 108, 140, 255], at: 60, 80), "the ground")
    #expect(picture.shows([250, 214, 80, 255], at: 96, 60, within: 24), "the letter")
    #expect(picture.shows([231, 231, 231, 255], at: 220, 140), "paper white, with room above it for light")
  }

  @Test("a poster is scaled down to fit into the square")
  func size() throws {
    let fixture = try TimelineFixture("video/faststart.mp4")
    let output = try TimelineFixture()
    var small = recipe
    small.side = 100
    let request = PosterRequest(recipe: small, duration: 2)
    let poster = try makePoster(of: try fixture.file, into: output.descriptor, request)
    #expect((poster.file.width, poster.file.height) == (100, 56))
    try verifyImage(try output.file, poster.file)
  }

  @Test("where there are key frames, one or two packets are decoded", arguments: ["fade-in.mp4", "30-seconds.mp4"])
  func packets(_ path: String) throws {
    let fixture = try TimelineFixture("video/" + path)
    let search = try PosterSearch(try fixture.file, duration: try #require(try fixture.video().duration.presented))
    _ = try search.found()
    #expect(search.packets <= 2)
  }

  @Test(
    "any video that can be decoded has a poster, wherever its container keeps it",
    arguments: [
      "40-seconds-no-duration.mkv", "av1.mp4", "fragmented.mp4", "h264-aac.mkv", "h264-aac.ts", "h264-high10.mp4",
      "h264-yuv444p.mp4", "interlaced.mp4", "live-no-duration.mkv", "mpeg1.mpg", "mpeg4-part2.avi", "odd-161x91.webm",
      "quicktime.mov", "vp8-vorbis.webm", "vp9-opus.webm", "lying-header.mp4",
    ])
  func sources(_ path: String) throws {
    let fixture = try TimelineFixture("video/" + path)
    let video = try fixture.video()
    let (_, poster) = try poster(fixture)
    #expect((poster.file.width, poster.file.height) == (video.width, video.height))
  }

  @Test("a poster that takes its video's place says so")
  func replacing() throws {
    let fixture = try TimelineFixture("video/31-seconds.mp4")
    let output = try TimelineFixture()
    let facts = try fixture.facts()
    guard case .prepare(let recipe) = plan(facts, options: PreparationOptions(overlong: .poster)) else {
      throw NotThatKind()
    }
    let file = try prepare(try fixture.file, into: output.descriptor, PrepareRequest(facts: facts, recipe: recipe))
    try verifyImage(try output.file, file)
    #expect(file.type == .jpeg && file.duration == nil && file.frames == 1)
    #expect(file.steps.first?.hasPrefix("took the picture at ") == true)
    #expect(file.reductions == ["the video lasts 31 s, which is too long; a picture of it takes its place"])
  }

  @Test("a video of which nothing can be decoded has no poster, and a reason")
  func undecodable() throws {
    let source = try TimelineFixture("video/silent.mp4")
    var bytes = try source.bytes
    let data = try #require(Box.boxes(in: try source.file).first { $0.type == "mdat" })
    for index in data.content + 4..<data.end { bytes[index] = 0xFF }
    let broken = try TimelineFixture(bytes: bytes)
    let output = try TimelineFixture()
    let reason = try refusal {
      _ = try makePoster(
        of: try broken.file, into: output.descriptor, PosterRequest(recipe: recipe, duration: 2))
    }
    #expect(reason?.code == .corrupt && reason?.stage == .prepare)
  }
}

@Suite("Judging pictures")
struct PosterJudgementTests {
  @Test(
    "what shows nothing is not acceptable",
    arguments: [
      PosterJudgement(mean: 0, deviation: 0, entropy: 0), PosterJudgement(mean: 255, deviation: 0, entropy: 0),
      PosterJudgement(mean: 9, deviation: 6, entropy: 1.5), PosterJudgement(mean: 128, deviation: 0, entropy: 0),
    ])
  func nothing(_ judgement: PosterJudgement) {
    #expect(judgement.score < PosterJudgement.acceptable)
  }

  @Test(
    "a picture that shows something is good: by day, by night, a drawing",
    arguments: [
      PosterJudgement(mean: 120, deviation: 55, entropy: 5), PosterJudgement(mean: 30, deviation: 28, entropy: 3.5),
      PosterJudgement(mean: 110, deviation: 45, entropy: 1.8),
    ])
  func something(_ judgement: PosterJudgement) {
    #expect(judgement.score >= PosterJudgement.good)
  }
}
