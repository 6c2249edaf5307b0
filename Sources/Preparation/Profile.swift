package import RichPush

/// The rules of the phone that attachments are made for.
package struct Profile: Sendable, Equatable {
  /// The square that images and posters must fit into, in pixels.
  package var imageSide = 1024
  package var jpegQuality = 80
  /// The most pixels of one picture that are worth decoding. 100 million is 400 MB of RGBA.
  package var maximumPixels = 100_000_000
  /// More pictures than this are a bomb, not an animation.
  package var maximumFrames = 2_000
  /// The most pixels of all frames of an animation that are worth decoding. Each frame is composed on the whole screen,
  /// however small it is in the file: this is about 20 s of work, a few times over while a size is sought.
  package var maximumDecodedPixels = 2_500_000_000
  /// The most pixels of a whole prepared animation. A service extension has 24 MB, and a helper has to hold what it
  /// encodes; larger animations start on a lower rung of the ladder.
  package var maximumAnimationPixels = 160_000_000
  /// The most pixels of an animation that are encoded at once: about half a minute of work, so that a rung or two can
  /// be tried before the helper's deadline.
  package var maximumEncodedPixels = 80_000_000
  /// The shortest time a frame of an animation is shown, in milliseconds. Browsers and iOS slow shorter ones down to
  /// `slowedDelay`.
  package var minimumDelay = 20
  /// What a delay of at most 10 ms is shown as by everyone, in milliseconds.
  package var slowedDelay = 100
  /// The longest time a GIF can show a frame, in milliseconds: 16 bits of hundredths of a second.
  package var maximumDelay = 655_350
  /// The most often that a GIF can say it plays, short of for ever: 16 bits.
  package var maximumPlays = 65_535
  /// The longest video, in seconds. Apple states no limit; this is the service's promise to its users.
  package var maximumVideoDuration = 30.0
  /// The longest side of a video, in pixels: more than a phone shows is a burden for it.
  package var videoSide = 1920
  /// The most pictures a second of a video that is encoded.
  package var maximumFrameRate = 60.0
  /// The longest grace for encoders that round the last frame up, in seconds.
  package var maximumGrace = 0.05

  /// The longest video, grace included, in seconds. Encoders round the last frame up; more than that is no accident.
  /// - Parameter framePeriod: how long one picture is shown, in seconds; nil when that is not known.
  package func maximumVideoDuration(framePeriod: Double?) -> Double {
    maximumVideoDuration + min(max(framePeriod ?? 0, 0), maximumGrace)
  }

  /// Counts up whenever the same source would be prepared in another way than before.
  package static let version = 4

  /// The bundled profile.
  package static let ios = Profile()

  /// The largest source of a kind that is read at all, in bytes.
  package func maximumSourceBytes(of kind: MediaKind) -> Int {
    switch kind {
    case .image: 100_000_000
    case .video: 500_000_000
    case .audio: 200_000_000
    }
  }

  /// The largest source that is read before its kind is known, in bytes.
  package var maximumSourceBytes: Int {
    MediaKind.allCases.map(maximumSourceBytes(of:)).max() ?? 0
  }

  package init() {}
}

/// What a job may ask for.
package struct PreparationOptions: Codable, Sendable, Equatable {
  package typealias Fit = JobDocument.Options.Fit
  package typealias Overlong = JobDocument.Options.Overlong

  package var fit: Fit
  package var overlong: Overlong

  package init(fit: Fit = .inside, overlong: Overlong = .reject) {
    self.fit = fit
    self.overlong = overlong
  }

  /// Options that a job does not name are as by default.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      fit: try container.decodeIfPresent(Fit.self, forKey: .fit) ?? .inside,
      overlong: try container.decodeIfPresent(Overlong.self, forKey: .overlong) ?? .reject)
  }

  /// The options in one word, for what was prepared to be told from what other options would have made.
  package var signature: String { "\(fit.rawValue)/\(overlong.rawValue)" }
}
