package import RichPush

/// What to do with one source.
package enum Plan: Sendable, Equatable {
  case reject(Rejection.Reason)
  case prepare(Recipe)
}

/// How a source becomes an attachment.
package enum Recipe: Sendable, Equatable {
  case still(StillRecipe)
  case animation(AnimationRecipe)
  case remux(RemuxRecipe)
  case encode(EncodeRecipe)
  /// A picture of a video that takes the video's place.
  case poster(PosterRecipe)
}

/// A picture, decoded and encoded again as JPEG, or PNG where there is real transparency.
package struct StillRecipe: Codable, Sendable, Equatable {
  /// Size of the result in pixels, upright.
  package var width: Int
  package var height: Int
  /// Whether the picture is cut to the result's shape around its most interesting part, or has that shape already.
  package var crops: Bool
  /// JPEG quality, 1 to 100.
  package var quality: Int
  /// Whether the picture is a JPEG whose coefficients may be kept, so that nothing is lost.
  package var keepsCoefficients: Bool
  package var maximumBytes: Int

  package init(
    width: Int, height: Int, crops: Bool = false, quality: Int, keepsCoefficients: Bool = false, maximumBytes: Int
  ) {
    self.width = width
    self.height = height
    self.crops = crops
    self.quality = quality
    self.keepsCoefficients = keepsCoefficients
    self.maximumBytes = maximumBytes
  }
}

/// An animation, as GIF.
package struct AnimationRecipe: Codable, Sendable, Equatable {
  /// How long each frame of the source is shown, in milliseconds, as it is to be.
  package var delays: [Int]
  /// How often the animation plays, 0 for ever.
  package var plays: Int
  /// Whether the source is a GIF whose frames can stay as they are; only what surrounds them is rewritten.
  package var keepsFrames: Bool
  package var crops: Bool
  /// What to try, best first. When none fits, `still` is made of the first frame.
  package var rungs: [Rung]
  package var still: StillRecipe
  package var maximumBytes: Int

  /// One way to make an animation small enough.
  package struct Rung: Codable, Sendable, Equatable {
    package var width: Int
    package var height: Int
    /// Colours of each frame's palette, a power of two from 8 to 256.
    package var colours: Int
    /// Every how manieth frame is kept; its delay is the sum of those it stands for.
    package var frameStep: Int

    package init(width: Int, height: Int, colours: Int, frameStep: Int) {
      self.width = width
      self.height = height
      self.colours = colours
      self.frameStep = frameStep
    }
  }

  package init(
    delays: [Int], plays: Int, keepsFrames: Bool = false, crops: Bool = false, rungs: [Rung], still: StillRecipe,
    maximumBytes: Int
  ) {
    self.delays = delays
    self.plays = plays
    self.keepsFrames = keepsFrames
    self.crops = crops
    self.rungs = rungs
    self.still = still
    self.maximumBytes = maximumBytes
  }
}

/// Streams copied into a fresh container, without metadata.
package struct RemuxRecipe: Codable, Sendable, Equatable {
  package var type: AttachmentType
  /// Index of the video stream in the source; nil for audio.
  package var picture: Int?
  /// The sample entry of the video stream: `avc1` or `hvc1`.
  package var pictureTag: String?
  /// Index of the audio stream in the source; nil for a silent video.
  package var sound: Int?
  package var maximumBytes: Int
  /// Sound that goes on behind the picture ends here, in seconds; nil for audio.
  package var maximumSeconds: Double?
  /// Whether the picture ends at `maximumSeconds` too, because the whole video would be too long.
  package var trims: Bool
  /// What to do when the copy would be too large, or the packets turn out not to allow it; nil for nothing.
  package var otherwise: EncodeRecipe?

  package init(
    type: AttachmentType, picture: Int? = nil, pictureTag: String? = nil, sound: Int? = nil, maximumBytes: Int,
    maximumSeconds: Double? = nil, trims: Bool = false, otherwise: EncodeRecipe? = nil
  ) {
    self.type = type
    self.picture = picture
    self.pictureTag = pictureTag
    self.sound = sound
    self.maximumBytes = maximumBytes
    self.maximumSeconds = maximumSeconds
    self.trims = trims
    self.otherwise = otherwise
  }
}

/// One picture of a video, as JPEG: which one, the helper chooses when it has seen some.
package struct PosterRecipe: Codable, Sendable, Equatable {
  /// The square that the picture is scaled down to fit into, in pixels.
  package var side: Int
  /// JPEG quality, 1 to 100.
  package var quality: Int
  package var maximumBytes: Int

  package init(side: Int, quality: Int, maximumBytes: Int) {
    self.side = side
    self.quality = quality
    self.maximumBytes = maximumBytes
  }
}

/// A finished file, as the helper that made it describes it.
package struct PreparedFile: Codable, Sendable, Equatable {
  package var type: AttachmentType
  package var bytes: Int
  /// Size in pixels as displayed; nil for audio.
  package var width: Int?
  package var height: Int?
  /// Number of pictures; nil for video and audio.
  package var frames: Int?
  /// Seconds as presented; nil for stills.
  package var duration: Double?
  /// What verification holds a video against; nil for everything else.
  package var timeline: PlannedTimeline?
  /// Of an image; nil for video and audio, and where none could be made.
  package var placeholder: Placeholder?
  /// What was done, in order, for people.
  package var steps: [String]
  /// What of the source had to be given up, for the sender to know; empty when nothing was.
  package var reductions: [String]

  package init(
    type: AttachmentType, bytes: Int, width: Int? = nil, height: Int? = nil, frames: Int? = nil,
    duration: Double? = nil, timeline: PlannedTimeline? = nil, placeholder: Placeholder? = nil, steps: [String],
    reductions: [String] = []
  ) {
    self.type = type
    self.bytes = bytes
    self.width = width
    self.height = height
    self.frames = frames
    self.duration = duration
    self.timeline = timeline
    self.placeholder = placeholder
    self.steps = steps
    self.reductions = reductions
  }
}

/// The still of a video.
package struct PreparedPoster: Codable, Sendable, Equatable {
  package var file: PreparedFile
  /// When the video shows this picture, in seconds from its start; less than the video's duration.
  package var seconds: Double

  package init(file: PreparedFile, seconds: Double) {
    self.file = file
    self.seconds = seconds
  }
}

/// What a prepared video is to hold.
package struct PlannedTimeline: Codable, Sendable, Equatable {
  /// How long the picture is presented, in seconds from the start of the presentation on.
  package var pictureSeconds: Double
  /// No stream is presented longer than this, in seconds, a frame of grace included; nil where there is no limit.
  package var maximumSeconds: Double?
  package var hasSound: Bool

  package init(pictureSeconds: Double, maximumSeconds: Double?, hasSound: Bool) {
    self.pictureSeconds = pictureSeconds
    self.maximumSeconds = maximumSeconds
    self.hasSound = hasSound
  }
}

/// As for `MediaFacts.Content`: the case's name, and the recipe itself below it.
extension Recipe: Codable {
  private enum CodingKeys: String, CodingKey {
    case still, animation, remux, encode, poster
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let recipe = try container.decodeIfPresent(StillRecipe.self, forKey: .still) {
      self = .still(recipe)
    } else if let recipe = try container.decodeIfPresent(AnimationRecipe.self, forKey: .animation) {
      self = .animation(recipe)
    } else if let recipe = try container.decodeIfPresent(RemuxRecipe.self, forKey: .remux) {
      self = .remux(recipe)
    } else if let recipe = try container.decodeIfPresent(PosterRecipe.self, forKey: .poster) {
      self = .poster(recipe)
    } else {
      self = .encode(try container.decode(EncodeRecipe.self, forKey: .encode))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .still(let recipe): try container.encode(recipe, forKey: .still)
    case .animation(let recipe): try container.encode(recipe, forKey: .animation)
    case .remux(let recipe): try container.encode(recipe, forKey: .remux)
    case .encode(let recipe): try container.encode(recipe, forKey: .encode)
    case .poster(let recipe): try container.encode(recipe, forKey: .poster)
    }
  }
}
