import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Encoding sound")
struct SoundTrackTests {
  /// Inspects, plans, prepares and verifies a fixture.
  private func prepared(
    _ fixture: TimelineFixture, _ change: (inout EncodeRecipe) -> Void = { _ in }
  ) throws -> (output: TimelineFixture, file: PreparedFile) {
    let facts = try fixture.facts()
    guard case .prepare(.encode(var recipe)) = plan(facts) else { throw NotThatKind() }
    change(&recipe)
    let output = try TimelineFixture()
    let file = try transcode(try fixture.file, into: output.descriptor, facts: facts, recipe)
    try verifyTimeline(try output.file, file)
    return (output, file)
  }

  @Test(
    "whatever the sound was coded as, it becomes AAC-LC in M4A and says so",
    arguments: [
      ("vorbis.ogg", "encoded vorbis as aac of 96 kbit/s"), ("opus.opus", "encoded opus as aac of 96 kbit/s"),
      ("flac.flac", "encoded flac as aac of 96 kbit/s"), ("ac3.ac3", "encoded ac3 as aac of 96 kbit/s"),
      ("wma.wma", "encoded wmav2 as aac of 96 kbit/s"), ("amr.amr", "encoded amr_nb as aac of 28 kbit/s"),
    ])
  func codecs(path: String, step: String) throws {
    let source = try TimelineFixture("audio/" + path)
    let (output, file) = try prepared(source)
    #expect(file.type == .mpeg4Audio)
    #expect(file.steps == [step, "wrote m4a with moov first"])
    #expect(file.reductions == [])
    let audio = try output.audio()
    #expect(audio.sound.codec == "aac" && audio.sound.profile == "LC")
    #expect(audio.sound.channels == (try source.audio().sound.channels))
    #expect(audio.streams.count == 1)
    #expect(try output.facts().metadata == [])
    let before = try #require(try source.audio().duration.presented)
    #expect(abs(try #require(audio.duration.presented) - before) <= 1024 / 44_100 + 0.001)
  }

  @Test("the same source gives the same bytes")
  func deterministic() throws {
    let source = try TimelineFixture("audio/vorbis.ogg")
    #expect(try prepared(source).output.bytes == (try prepared(source).output.bytes))
  }

  @Test("what turns out too large is encoded with fewer bits, and the sender told")
  func fewerBits() throws {
    let (output, file) = try prepared(try TimelineFixture("audio/flac.flac")) { recipe in
      recipe.maximumBytes = 16_000
      recipe.sound = SoundRecipe(
        stream: 0,
        .encode(codings: [
          SoundCoding(channels: 1, sampleRate: 44_100, bitRate: 96_000),
          SoundCoding(channels: 1, sampleRate: 22_050, bitRate: 32_000),
        ]))
    }
    #expect(try output.file.bytes <= 16_000)
    #expect(file.steps.contains("resampled 44100 Hz to 22050 Hz"))
    #expect(file.reductions == ["to fit, the sound was encoded with 32 kbit/s at 22050 Hz"])
  }

  @Test("what is too large in every coding is given up, with limit and measure")
  func tooLarge() throws {
    let reason = try refusal {
      _ = try prepared(try TimelineFixture("audio/flac.flac")) { $0.maximumBytes = 6000 }
    }
    #expect(reason?.code == .cannotFitLimit)
    #expect(reason?.limit == 6000)
    #expect(try #require(reason?.measured) > 0)
  }

  @Test("a copy that turns out too large is encoded instead")
  func otherwise() throws {
    let fixture = try TimelineFixture("audio/pcm16.wav")
    let facts = try fixture.facts()
    guard case .prepare(.remux(var recipe)) = plan(facts) else { throw NotThatKind() }
    recipe.maximumBytes = 50_000
    let output = try TimelineFixture()
    let file = try prepare(
      try fixture.file, into: output.descriptor, PrepareRequest(facts: facts, recipe: .remux(recipe)))
    try verifyTimeline(try output.file, file)
    #expect(file.type == .mpeg4Audio)
    #expect(file.steps.first == "encoded pcm_s16le as aac of 96 kbit/s")
  }

  @Test("sound of which much is damaged is corrupt, with the number of packets that are")
  func damaged() throws {
    let source = try TimelineFixture("audio/flac.flac")
    var bytes = try source.bytes
    for index in stride(from: 9000, to: bytes.count, by: 200) { bytes[index] ^= 0x55 }
    let broken = try TimelineFixture(bytes: bytes)
    let reason = try refusal { _ = try prepared(broken) }
    #expect(reason?.code == .corrupt)
    #expect(try #require(reason?.measured) > #require(reason?.limit))
  }

  @Test("samples that are no numbers become silence")
  func notNumbers() throws {
    let source = try TimelineFixture("audio/float.wav")
    var bytes = try source.bytes
    for index in stride(from: 2000, to: 6000, by: 4) {
      bytes.replaceSubrange(index..<index + 4, with: [0, 0, 0xC0, 0x7F])
    }
    let broken = try TimelineFixture(bytes: bytes)
    let facts = try broken.facts()
    guard case .audio(let audio) = facts.content else { throw NotThatKind() }
    let recipe = EncodeRecipe(
      type: .mpeg4Audio, sound: SoundRecipe(stream: 0, .encode(codings: [SoundCoding(keeping: audio.sound)])),
      maximumBytes: 5_000_000)
    let output = try TimelineFixture()
    let file = try transcode(try broken.file, into: output.descriptor, facts: facts, recipe)
    try verifyTimeline(try output.file, file)
    #expect(abs(try #require(file.duration) - 0.5) < 0.001)
  }
}
