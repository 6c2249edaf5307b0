import Preparation
import RichPush

/// A photo of 800×600, with what a test cares about changed.
func photo(
  _ width: Int = 800, _ height: Int = 600, format: MediaFormat = .jpeg, bytes: Int = 200_000,
  _ change: (inout ImageFacts) -> Void = { _ in }
) -> MediaFacts {
  var image = ImageFacts(codedWidth: width, codedHeight: height)
  change(&image)
  return MediaFacts(format: format, bytes: bytes, content: .image(image))
}

/// An animation of 200×100, with a tenth of a second for each frame.
func animation(
  _ width: Int = 200, _ height: Int = 100, frames: Int = 10, format: MediaFormat = .gif, bytes: Int = 200_000,
  _ change: (inout ImageFacts) -> Void = { _ in }
) -> MediaFacts {
  photo(width, height, format: format, bytes: bytes) { image in
    image.frames = frames
    image.delays = Array(repeating: 100, count: frames)
    image.plays = 0
    change(&image)
  }
}

/// A clip of ten seconds that can be copied as it is.
func clip(
  seconds: Double? = 10, bytes: Int = 2_000_000, format: MediaFormat = .mp4,
  _ change: (inout VideoFacts) -> Void = { _ in }
) -> MediaFacts {
  var video = VideoFacts(
    codedWidth: 1920, codedHeight: 1080, width: 1080, height: 1920, rotation: 90,
    picture: PictureStream(
      index: 1, codec: "h264", tag: "avc1", profile: "High", level: 40, pixelFormat: "yuv420p"),
    sound: AudioStream(index: 0, codec: "aac", profile: "LC", sampleRate: 48_000, channels: 2, bitRate: 128_000),
    duration: MediaDuration(header: seconds), framePeriod: 1.0 / 30, streams: ["audio aac", "video h264"])
  change(&video)
  return MediaFacts(format: format, bytes: bytes, content: .video(video))
}

func hevcClip(_ change: (inout PictureStream) -> Void = { _ in }) -> MediaFacts {
  clip(format: .mov) { video in
    video.picture = PictureStream(
      index: 1, codec: "hevc", tag: "hev1", profile: "Main", level: 120, pixelFormat: "yuv420p")
    change(&video.picture)
  }
}

func song(
  _ codec: String, profile: String = "", format: MediaFormat, bytes: Int = 1_000_000, seconds: Double? = 60,
  _ change: (inout AudioStream) -> Void = { _ in }
) -> MediaFacts {
  var sound = AudioStream(index: 2, codec: codec, profile: profile, sampleRate: 44_100, channels: 2)
  change(&sound)
  return MediaFacts(
    format: format, bytes: bytes,
    content: .audio(AudioFacts(sound: sound, duration: MediaDuration(packets: seconds), streams: ["audio \(codec)"])))
}

extension Plan {
  var reason: Rejection.Reason? { if case .reject(let reason) = self { reason } else { nil } }
  var still: StillRecipe? { if case .prepare(.still(let recipe)) = self { recipe } else { nil } }
  var animation: AnimationRecipe? { if case .prepare(.animation(let recipe)) = self { recipe } else { nil } }
  var remux: RemuxRecipe? { if case .prepare(.remux(let recipe)) = self { recipe } else { nil } }
  var encode: EncodeRecipe? { if case .prepare(.encode(let recipe)) = self { recipe } else { nil } }
}
