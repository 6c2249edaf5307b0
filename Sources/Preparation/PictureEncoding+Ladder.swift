import RichPush

/// How the pictures of a video are encoded so that they play and fit.
extension PictureEncoding {
  init(of video: VideoFacts, beside sound: SoundRecipe?, for profile: Profile) {
    let isRightAngle = video.rotation % 90 == 0
    self.init(
      rotation: isRightAngle ? video.rotation : 0, isMirrored: video.isMirrored,
      deinterlaces: video.picture.isInterlaced, toneMaps: video.picture.isHighDynamicRange, rungs: [])
    let seconds = min(video.duration.presented ?? .infinity, profile.maximumVideoDuration)
    let bitRate = PictureEncoding.bitRate(
      seconds: seconds, soundBitRate: sound.map { $0.bitRate(of: video.sound) } ?? 0,
      maximumBytes: MediaKind.video.maximumAttachmentBytes)
    // The first one fits whatever the pictures are, as far as the encoder keeps its word.
    let steps: [(scale: Double, rateFactor: Int, share: Double)] = [(1, 23, 1), (0.75, 26, 0.75), (0.5, 29, 0.5)]
    let longest = min(max(video.width, video.height), profile.videoSide)
    rungs = steps.map { step in
      let side = step.scale == 1 ? longest : Int(Double(longest) * step.scale)
      let size = PictureEncoding.size(video.width, video.height, side: side)
      let rate = PictureEncoding.macroblocksASecond / PictureEncoding.macroblocks(size.width, size.height)
      return Rung(
        width: size.width, height: size.height, maximumFrameRate: min(profile.maximumFrameRate, rate),
        rateFactor: step.rateFactor, maximumBitRate: Int(Double(bitRate) * step.share))
    }
  }

  /// Limits of H.264 at level 4.0 (ITU-T H.264, table A-1), which leaves out nothing that a notification shows.
  private static let macroblocksASecond = 245_760.0
  private static let macroblocksAPicture = 8_192.0
  /// Level 4.0 allows 25 Mbit/s in profile High. Nothing looks better beyond this.
  private static let highestBitRate = 20_000_000.0

  private static func macroblocks(_ width: Int, _ height: Int) -> Double {
    (Double(width) / 16).rounded(.up) * (Double(height) / 16).rounded(.up)
  }

  /// The largest size of the same shape, not enlarged, whose sides are even.
  static func size(_ width: Int, _ height: Int, side: Int) -> (width: Int, height: Int) {
    var scale = min(1, Double(side) / Double(max(width, height, 1)))
    while true {
      let isWhole = scale == 1
      // An odd row is cut off; what is scaled anyway goes to the nearest even size.
      let even = { (length: Int) in
        max(2, Int((Double(length) * scale / 2).rounded(isWhole ? .down : .toNearestOrAwayFromZero)) * 2)
      }
      let size = (width: even(width), height: even(height))
      if macroblocks(size.width, size.height) <= macroblocksAPicture { return size }
      scale *= 0.99
    }
  }

  /// Bits per second at which pictures and sound together stay below the limit, even when every second is as hard as
  /// can be: with a buffer of a second, as much again may come on top.
  static func bitRate(seconds: Double, soundBitRate: Int, maximumBytes: Int) -> Int {
    // A twentieth is left for the container's tables and for pictures that miss their target.
    let bits = Double(maximumBytes) * 8 * 0.95 - Double(soundBitRate) * seconds
    return Int(max(min(bits / (seconds + 1), highestBitRate), 100_000))
  }
}

extension SoundRecipe {
  /// Bits per second, of all channels.
  fileprivate func bitRate(of sound: AudioStream?) -> Int {
    switch treatment {
    case .copy: sound.map { $0.bitRate > 0 ? $0.bitRate : 320_000 } ?? 0
    case .encode(let codings): codings.first?.bitRate ?? 0
    }
  }
}
