import RichPush
import Testing

@testable import Preparation

struct RejectionCase: Sendable, CustomTestStringConvertible {
  var name: String
  var facts: MediaFacts
  var code: Rejection.Code
  var message: String
  var limit: Double?
  var measured: Double?

  init(
    _ name: String, _ facts: MediaFacts, _ code: Rejection.Code, _ message: String, limit: Double? = nil,
    measured: Double? = nil
  ) {
    self.name = name
    self.facts = facts
    self.code = code
    self.message = message
    self.limit = limit
    self.measured = measured
  }

  var testDescription: String { name }
}

private let sizes: [RejectionCase] = [
  RejectionCase(
    "an image of too many bytes", photo(bytes: 100_000_001), .tooLarge,
    "the image has 100000001 bytes; at most 100000000 are read", limit: 1e8, measured: 100_000_001),
  RejectionCase(
    "a video of too many bytes", clip(bytes: 500_000_001), .tooLarge,
    "the video has 500000001 bytes; at most 500000000 are read", limit: 5e8, measured: 500_000_001),
  RejectionCase(
    "audio of too many bytes", song("mp3", format: .mp3, bytes: 200_000_001), .tooLarge,
    "the audio has 200000001 bytes; at most 200000000 are read", limit: 2e8, measured: 200_000_001),
  RejectionCase(
    "an image without height", photo(800, 0), .corrupt, "the image says it is 800x0 pixels large"),
  RejectionCase(
    "an image of negative width", photo(-1, 600), .corrupt, "the image says it is -1x600 pixels large"),
  RejectionCase(
    "an image of one row too many", photo(10_000, 10_001), .tooManyPixels,
    "the image has 10000x10001 pixels; at most 100000000 are decoded", limit: 1e8, measured: 100_010_000),
  RejectionCase(
    "a PNG bomb", photo(60_000, 60_000, format: .png), .tooManyPixels,
    "the image has 60000x60000 pixels; at most 100000000 are decoded", limit: 1e8, measured: 3.6e9),
  RejectionCase(
    "an image whose size overflows", photo(.max, .max), .tooManyPixels,
    "the image has \(Int.max)x\(Int.max) pixels; at most 100000000 are decoded", limit: 1e8,
    measured: Double(Int.max) * Double(Int.max)),
  RejectionCase(
    "an animation whose frames are few bytes and many pixels", animation(5_000, 5_000, frames: 101), .tooManyPixels,
    "the animation has 101 frames of 5000x5000 pixels; at most 2500000000 pixels are decoded", limit: 2.5e9,
    measured: 2.525e9),
  RejectionCase(
    "a GIF bomb", animation(frames: 10_000), .tooManyFrames,
    "the animation has 10000 frames; at most 2000 are shown", limit: 2000, measured: 10_000),
  RejectionCase(
    "an animation of one frame too many", animation(frames: 2001, format: .webp), .tooManyFrames,
    "the animation has 2001 frames; at most 2000 are shown", limit: 2000, measured: 2001),
  RejectionCase(
    "a video without width", clip { $0.width = 0 }, .corrupt, "the video says it is 0x1920 pixels large"),
  RejectionCase(
    "a video of negative height", clip { $0.height = -2 }, .corrupt, "the video says it is 1080x-2 pixels large"),
]

private let durations: [RejectionCase] = [
  RejectionCase(
    "a video without a duration", clip(seconds: nil), .unknownDuration,
    "neither header nor packets tell how long the video lasts"),
  RejectionCase(
    "a video of no duration", clip(seconds: 0), .unknownDuration,
    "neither header nor packets tell how long the video lasts"),
  RejectionCase(
    "a video of negative duration", clip(seconds: -1), .unknownDuration,
    "neither header nor packets tell how long the video lasts"),
  RejectionCase(
    "a video of endless duration", clip(seconds: .infinity), .unknownDuration,
    "neither header nor packets tell how long the video lasts"),
  RejectionCase(
    "a video of 41.2 s", clip(seconds: 41.2), .videoTooLong,
    "the video lasts 41.2 s; at most 30 s can be attached", limit: 30, measured: 41.2),
  RejectionCase(
    "a video of 30.1 s", clip(seconds: 30.1), .videoTooLong,
    "the video lasts 30.1 s; at most 30 s can be attached", limit: 30, measured: 30.1),
  RejectionCase(
    "a video one frame and a bit over", clip(seconds: 30.034), .videoTooLong,
    "the video lasts 30.034 s; at most 30 s can be attached", limit: 30, measured: 30.034),
  RejectionCase(
    "a video slightly over of unknown rate", clip(seconds: 30.004) { $0.framePeriod = nil }, .videoTooLong,
    "the video lasts 30.004 s; at most 30 s can be attached", limit: 30, measured: 30.004),
  RejectionCase(
    "a slow video more than the grace over", clip(seconds: 30.06) { $0.framePeriod = 1 }, .videoTooLong,
    "the video lasts 30.06 s; at most 30 s can be attached", limit: 30, measured: 30.06),
  RejectionCase(
    "a video of negative frame period", clip(seconds: 30.01) { $0.framePeriod = -1 }, .videoTooLong,
    "the video lasts 30.01 s; at most 30 s can be attached", limit: 30, measured: 30.01),
  RejectionCase(
    "a video whose header claims less than its packets",
    clip { $0.duration = MediaDuration(header: 10, packets: 60.5) }, .videoTooLong,
    "the video lasts 60.5 s; at most 30 s can be attached", limit: 30, measured: 60.5),
]

private let codecs: [RejectionCase] = [
  RejectionCase(
    "an encrypted video", clip { $0.picture.isEncrypted = true }, .unsupportedCodec, "the video is encrypted"),
  RejectionCase(
    "a codec of unknown tag",
    clip { $0.picture = PictureStream(index: 0, codec: "unknown", tag: "ap4h", isDecodable: false) }, .unsupportedCodec,
    "no decoder knows the video's codec ap4h"),
  RejectionCase(
    "a codec without decoder",
    clip { $0.picture = PictureStream(index: 0, codec: "vvc", tag: "vvc1", isDecodable: false) }, .unsupportedCodec,
    "no decoder knows the video's codec vvc"),
  RejectionCase(
    "a codec without name", clip { $0.picture = PictureStream(index: 0, codec: "unknown", isDecodable: false) },
    .unsupportedCodec, "no decoder knows the video's codec unknown"),
  RejectionCase(
    "encrypted sound of a video", clip { $0.sound?.isEncrypted = true }, .unsupportedCodec, "the audio is encrypted"),
  RejectionCase(
    "sound of a video without decoder",
    clip { $0.sound = AudioStream(index: 0, codec: "ac4", sampleRate: 48_000, channels: 2, isDecodable: false) },
    .unsupportedCodec, "no decoder knows the audio's codec ac4"),
  RejectionCase(
    "encrypted audio", song("aac", profile: "LC", format: .mp4) { $0.isEncrypted = true }, .unsupportedCodec,
    "the audio is encrypted"),
  RejectionCase(
    "audio without decoder", song("ac4", format: .mp4) { $0.isDecodable = false }, .unsupportedCodec,
    "no decoder knows the audio's codec ac4"),
  RejectionCase(
    "audio without samples", song("pcm_s16le", format: .wav) { $0.sampleRate = 0 }, .corrupt,
    "the audio says it has 0 samples per second"),
  RejectionCase(
    "audio of absurd rate", song("pcm_s16le", format: .wav) { $0.sampleRate = 2_000_000_000 }, .corrupt,
    "the audio says it has 2000000000 samples per second"),
  RejectionCase(
    "audio of no channels", song("aac", profile: "LC", format: .mp4) { $0.channels = 0 }, .corrupt,
    "the audio says it has 0 channels"),
  RejectionCase(
    "audio of absurdly many channels", song("pcm_s16le", format: .wav) { $0.channels = 65_535 }, .corrupt,
    "the audio says it has 65535 channels"),
  RejectionCase(
    "sound of a video of absurd rate", clip { $0.sound?.sampleRate = 1 }, .corrupt,
    "the audio says it has 1 samples per second"),
  RejectionCase(
    "audio that is too long for its limit", song("vorbis", format: .ogg, seconds: 3600), .cannotFitLimit,
    "the audio lasts 3600 s: even as 16 kbit/s in mono it has 7651846 bytes; at most 5000000 can be attached",
    limit: 5e6, measured: 7_651_846),
  RejectionCase(
    "an hour of MP3", song("mp3", format: .mp3, bytes: 57_600_000, seconds: 3600) { $0.bitRate = 128_000 },
    .cannotFitLimit,
    "the audio lasts 3600 s: even as 16 kbit/s in mono it has 7651846 bytes; at most 5000000 can be attached",
    limit: 5e6, measured: 7_651_846),
]

@Test("what cannot be attached is rejected with its reason", arguments: sizes + durations + codecs)
func rejects(_ rejection: RejectionCase) {
  let expected = Rejection.Reason(
    rejection.code, at: .plan, rejection.message, limit: rejection.limit, measured: rejection.measured)
  #expect(plan(rejection.facts) == .reject(expected))
  #expect(expected.permanent)
}

@Test("limits and measures hold for what is just within them")
func acceptsLimits() {
  #expect(plan(photo(10_000, 10_000, bytes: 100_000_000)).still != nil)
  #expect(plan(animation(frames: 2000)).animation != nil)
  #expect(plan(clip(bytes: 500_000_000)).remux != nil)
  #expect(plan(song("mp3", format: .mp3, bytes: 200_000_000)).remux != nil)
}

@Test(
  "seconds are written for people",
  arguments: [
    (0, "0"), (30, "30"), (41.2, "41.2"), (41.25, "41.25"), (30.034, "30.034"), (30.0004, "30"), (30.0006, "30.001"),
    (0.05, "0.05"), (-0.5, "-0.5"), (7325.5, "7325.5"), (1e15, "1000000000000000.0"), (.infinity, "inf"),
  ])
func writesSeconds(seconds: Double, text: String) {
  #expect(rounded(seconds) == text)
}
