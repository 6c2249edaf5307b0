import Preparation
import RichPush
import Testing

@Suite("video and audio that can be copied") struct PlanCopyTests {
  @Test(
    "a video of up to 30 s, and the frame that encoders round up, is kept",
    arguments: [
      (0.04, 0.04), (29.99, 1.0 / 30), (30, 1.0 / 30), (30, nil), (30.000_4, nil), (30 + 1.0 / 30, 1.0 / 30),
      (30 + 1.0 / 24, 1.0 / 24), (30.05, 1.0), (30.016, 1.0 / 60),
    ] as [(Double, Double?)])
  func keepsDuration(seconds: Double, framePeriod: Double?) {
    #expect(plan(clip(seconds: seconds) { $0.framePeriod = framePeriod }).remux != nil)
  }

  @Test("packets outweigh the header, also when they show less")
  func trustsPackets() {
    #expect(plan(clip { $0.duration = MediaDuration(header: 60, packets: 29) }).remux != nil)
    #expect(plan(clip { $0.duration = MediaDuration(header: 0, packets: 29) }).remux != nil)
  }

  @Test(
    "H.264 that iPhones play is copied as avc1",
    arguments: [
      ("Baseline", 30, "yuv420p"), ("Constrained Baseline", 31, "yuv420p"), ("Main", 40, "yuvj420p"),
      ("High", 42, "yuv420p"), ("High", -99, "yuv420p"), ("High", 9, "yuv420p"),
    ])
  func copiesH264(profile: String, level: Int, pixelFormat: String) {
    let facts = clip { video in
      video.picture.profile = profile
      video.picture.level = level
      video.picture.pixelFormat = pixelFormat
    }
    let recipe = RemuxRecipe(
      type: .mpeg4, picture: 1, pictureTag: "avc1", sound: 0, maximumBytes: 50_000_000, maximumSeconds: 30)
    #expect(plan(facts).copy == recipe)
  }

  @Test("HEVC is copied as hvc1, however it was tagged", arguments: ["hev1", "hvc1", ""])
  func copiesHEVC(tag: String) {
    for (profile, pixelFormat) in [("Main", "yuv420p"), ("Main", "yuvj420p"), ("Main 10", "yuv420p10le")] {
      let facts = hevcClip { picture in
        picture.tag = tag
        picture.profile = profile
        picture.pixelFormat = pixelFormat
      }
      let recipe = RemuxRecipe(
        type: .mpeg4, picture: 1, pictureTag: "hvc1", sound: 0, maximumBytes: 50_000_000, maximumSeconds: 30)
      #expect(plan(facts).copy == recipe)
    }
  }

  @Test("the container does not matter", arguments: [MediaFormat.mp4, .mov, .matroska, .avi, .mpegTS])
  func copiesFromAnywhere(format: MediaFormat) {
    #expect(plan(clip(format: format)).remux?.type == .mpeg4)
  }

  @Test("a silent video stays silent")
  func copiesSilence() {
    let recipe = plan(clip { $0.sound = nil }).remux
    #expect(recipe?.picture == 1)
    #expect(recipe?.sound == nil)
    #expect(recipe != nil)
  }

  @Test("AAC of every profile that iPhones play is copied", arguments: ["LC", "HE-AAC", "HE-AACv2"])
  func copiesAAC(profile: String) {
    #expect(plan(clip { $0.sound?.profile = profile }).remux?.sound == 0)
    #expect(plan(song("aac", profile: profile, format: .adts)).remux?.type == .mpeg4Audio)
  }

  @Test(
    "audio that iOS plays stays as it is",
    arguments: [
      (song("mp3", format: .mp3), .mp3), (song("aac", profile: "LC", format: .mp4), .mpeg4Audio),
      (song("aac", profile: "LC", format: .adts), .mpeg4Audio), (song("alac", format: .mp4), .mpeg4Audio),
      (song("pcm_u8", format: .wav), .wav), (song("pcm_s16le", format: .wav), .wav),
      (song("pcm_s24le", format: .wav), .wav), (song("pcm_s32le", format: .wav), .wav),
      (song("pcm_f32le", format: .wav), .wav), (song("pcm_s8", format: .aiff), .aiff),
      (song("pcm_s16be", format: .aiff), .aiff), (song("pcm_s24be", format: .aiff), .aiff),
      (song("pcm_s32be", format: .aiff), .aiff),
    ] as [(MediaFacts, AttachmentType)])
  func copiesAudio(facts: MediaFacts, type: AttachmentType) {
    let recipe = plan(facts).remux
    #expect(recipe?.type == type)
    #expect(recipe?.sound == 2 && recipe?.picture == nil)
    #expect(recipe?.maximumBytes == 5_000_000)
    // Should it turn out to be too large, it is encoded.
    #expect(recipe?.otherwise?.sound?.stream == 2)
  }

  @Test("the kind of an attachment follows from its source")
  func knowsKind() {
    #expect(photo().kind == .image)
    #expect(animation().kind == .image)
    #expect(clip().kind == .video)
    #expect(song("mp3", format: .mp3).kind == .audio)
  }

  @Test("before its kind is known, a source may be as large as the largest kind")
  func limitsUnknown() {
    #expect(Profile.ios.maximumSourceBytes == 500_000_000)
  }
}

extension Plan {
  /// The recipe for copying alone.
  fileprivate var copy: RemuxRecipe? {
    var recipe = remux
    recipe?.otherwise = nil
    return recipe
  }
}
