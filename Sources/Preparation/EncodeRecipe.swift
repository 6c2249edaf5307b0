package import RichPush

/// A video or sound of which at least one stream is encoded anew.
package struct EncodeRecipe: Codable, Sendable, Equatable {
  /// `mpeg4` or `mpeg4Audio`.
  package var type: AttachmentType
  /// Nil for audio.
  package var picture: PictureRecipe?
  /// Nil for a silent video.
  package var sound: SoundRecipe?
  package var maximumBytes: Int
  /// What would be presented from here on is left out, in seconds of the presentation; nil for audio.
  package var maximumSeconds: Double?

  package init(
    type: AttachmentType, picture: PictureRecipe? = nil, sound: SoundRecipe? = nil, maximumBytes: Int,
    maximumSeconds: Double? = nil
  ) {
    self.type = type
    self.picture = picture
    self.sound = sound
    self.maximumBytes = maximumBytes
    self.maximumSeconds = maximumSeconds
  }
}

/// What becomes of the video stream.
package struct PictureRecipe: Codable, Sendable, Equatable {
  /// Index of the stream in the source.
  package var stream: Int
  package var treatment: Treatment

  package enum Treatment: Codable, Sendable, Equatable {
    /// Copied under this sample entry, `avc1` or `hvc1`.
    case copy(tag: String)
    /// Encoded as H.264.
    case encode(PictureEncoding)
  }

  package init(stream: Int, treatment: Treatment) {
    self.stream = stream
    self.treatment = treatment
  }
}

/// How pictures are encoded: upright, of square pixels, 8 bits of 4:2:0.
package struct PictureEncoding: Codable, Sendable, Equatable {
  /// Clockwise turn to be applied, in degrees: 0, 90, 180 or 270.
  package var rotation: Int
  /// Whether the picture is mirrored left to right after it was turned.
  package var isMirrored: Bool
  package var deinterlaces: Bool
  /// Whether the pictures are of high dynamic range, to be shown on screens that are not.
  package var toneMaps: Bool
  /// What to try, best first: the next when the file becomes too large.
  package var rungs: [Rung]

  /// One way to make a video small enough.
  package struct Rung: Codable, Sendable, Equatable {
    /// Size in pixels, upright, even.
    package var width: Int
    package var height: Int
    /// Pictures a second at most; those in between are left out.
    package var maximumFrameRate: Double
    /// libx264's constant rate factor, 0 to 51: lower is better.
    package var quality: Int
    /// Bits per second that no second exceeds, however hard the pictures are.
    package var maximumBitRate: Int

    package init(width: Int, height: Int, maximumFrameRate: Double, quality: Int, maximumBitRate: Int) {
      self.width = width
      self.height = height
      self.maximumFrameRate = maximumFrameRate
      self.quality = quality
      self.maximumBitRate = maximumBitRate
    }
  }

  package init(
    rotation: Int = 0, isMirrored: Bool = false, deinterlaces: Bool = false, toneMaps: Bool = false, rungs: [Rung]
  ) {
    self.rotation = rotation
    self.isMirrored = isMirrored
    self.deinterlaces = deinterlaces
    self.toneMaps = toneMaps
    self.rungs = rungs
  }
}

/// What becomes of the audio stream.
package struct SoundRecipe: Codable, Sendable, Equatable {
  /// Index of the stream in the source.
  package var stream: Int
  package var treatment: Treatment

  package enum Treatment: Codable, Sendable, Equatable {
    case copy
    /// Encoded as AAC-LC: samples a second of each channel, and bits a second of them all.
    case encode(channels: Int, sampleRate: Int, bitRate: Int)
  }

  package init(stream: Int, treatment: Treatment) {
    self.stream = stream
    self.treatment = treatment
  }
}
