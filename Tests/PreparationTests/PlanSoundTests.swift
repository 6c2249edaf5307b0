import Preparation
import RichPush
import Testing

@Suite("sound that is encoded") struct PlanSoundTests {
  private func codings(_ facts: MediaFacts) -> [SoundCoding] {
    guard case .encode(let codings) = plan(facts).encode?.sound?.treatment else { return [] }
    return codings
  }

  @Test(
    "audio that iOS does not attach becomes AAC in M4A",
    arguments: [
      song("vorbis", format: .ogg), song("opus", format: .ogg), song("flac", format: .flac),
      song("mp3", format: .matroska), song("mp3", format: .wav), song("pcm_s16be", format: .wav),
      song("pcm_s16le", format: .aiff), song("pcm_alaw", format: .wav), song("aac", profile: "LTP", format: .mp4),
      song("aac", profile: "", format: .mp4), song("ac3", format: MediaFormat(rawValue: "ac3")),
    ])
  func encodes(facts: MediaFacts) {
    let recipe = plan(facts).encode
    #expect(recipe?.type == .mpeg4Audio)
    #expect(recipe?.picture == nil)
    #expect(recipe?.sound?.stream == 2)
    #expect(recipe?.maximumBytes == 5_000_000)
    #expect(codings(facts).first == SoundCoding(channels: 2, sampleRate: 44_100, bitRate: 160_000))
  }

  @Test(
    "mono stays mono, more than two channels become two, and sample rates are those of AAC",
    arguments: [
      (1, 44_100, 1, 44_100), (2, 48_000, 2, 48_000), (6, 48_000, 2, 48_000), (8, 44_100, 2, 44_100),
      (1, 8000, 1, 8000),
      (2, 96_000, 2, 48_000), (2, 88_200, 2, 44_100), (2, 192_000, 2, 48_000), (2, 352_800, 2, 44_100),
      (1, 37_800, 1, 44_100), (1, 1000, 1, 8000), (2, 22_050, 2, 22_050), (2, 64_000, 2, 48_000),
      (2, 48_001, 2, 48_000),
    ])
  func shapes(channels: Int, rate: Int, keptChannels: Int, keptRate: Int) throws {
    let facts = song("flac", format: .flac) { sound in
      sound.channels = channels
      sound.sampleRate = rate
    }
    let coding = try #require(codings(facts).first)
    #expect(coding.channels == keptChannels)
    #expect(coding.sampleRate == keptRate)
  }

  @Test(
    "the longer a sound lasts, the fewer bits it gets: first in stereo, then in mono, then with half of the rate",
    arguments: [
      (10, 2, 44_100, 160_000), (230, 2, 44_100, 160_000), (300, 2, 44_100, 127_000), (390, 2, 44_100, 98_000),
      (420, 1, 44_100, 91_000), (600, 1, 44_100, 63_000), (800, 1, 22_050, 47_000), (1100, 1, 22_050, 34_000),
      (1500, 1, 16_000, 25_000), (2300, 1, 16_000, 16_000),
    ] as [(Double, Int, Int, Int)])
  func ladder(seconds: Double, channels: Int, sampleRate: Int, bitRate: Int) {
    let codings = codings(song("vorbis", format: .ogg, seconds: seconds))
    #expect(codings.first == SoundCoding(channels: channels, sampleRate: sampleRate, bitRate: bitRate))
    #expect(codings.allSatisfy { $0.bytes(seconds: seconds) <= 5_000_000 })
    #expect(zip(codings, codings.dropFirst()).allSatisfy { $0.bitRate > $1.bitRate })
  }

  @Test("a sound whose length nobody knows is tried with ever fewer bits")
  func unknownLength() {
    let codings = codings(song("opus", format: .ogg, seconds: nil))
    #expect(codings.map(\.bitRate) == [160_000, 94_000, 47_000, 23_000, 17_000])
    #expect(codings.last?.channels == 1)
  }

  @Test(
    "what is surely too large as it is, is encoded at once",
    arguments: [
      song("pcm_s16le", format: .wav, bytes: 10_584_044) { $0.bitRate = 1_411_200 },
      song("pcm_s16be", format: .aiff, bytes: 10_584_044) { $0.bitRate = 1_411_200 },
      song("mp3", format: .mp3, bytes: 9_600_000, seconds: 300) { $0.bitRate = 256_000 },
    ])
  func tooLarge(facts: MediaFacts) {
    #expect(plan(facts).encode?.type == .mpeg4Audio)
  }

  @Test("a small sound in a large file is copied, or encoded should it be large after all")
  func coverArt() {
    let recipe = plan(song("mp3", format: .mp3, bytes: 9_000_000) { $0.bitRate = 128_000 }).remux
    #expect(recipe?.type == .mp3)
    #expect(recipe?.otherwise?.type == .mpeg4Audio)
  }

  @Test(
    "sound that iPhones do not play is encoded beside a picture that is copied",
    arguments: ["opus", "vorbis", "ac3", "mp2", "mp3", "pcm_s16le", "flac"])
  func besidePicture(codec: String) {
    let recipe = plan(
      clip { video in
        video.sound?.codec = codec
        video.sound?.profile = ""
      }
    ).encode
    #expect(recipe?.type == .mpeg4)
    #expect(recipe?.picture?.stream == 1)
    #expect(recipe?.picture?.treatment == .copy(tag: "avc1"))
    #expect(
      recipe?.sound
        == SoundRecipe(stream: 0, .encode(codings: [SoundCoding(channels: 2, sampleRate: 48_000, bitRate: 160_000)])))
    #expect(recipe?.maximumBytes == 50_000_000)
    #expect(recipe?.maximumSeconds == 30)
  }

  @Test("AAC of a rare profile is encoded beside a picture that is copied", arguments: ["Main", ""])
  func rareProfile(profile: String) {
    #expect(plan(clip { $0.sound?.profile = profile }).encode?.picture != nil)
  }
}
