package import RichPush

/// One picture and one sound at most, at least one of them decoded and encoded anew, in a fresh container without
/// metadata.
package struct EncodeRecipe: Codable, Sendable, Equatable {
  /// `mpeg4` or `mpeg4Audio`.
  package var type: AttachmentType
  /// Nil for audio.
  package var picture: PictureRecipe?
  /// Nil for a silent video.
  package var sound: SoundRecipe?
  package var maximumBytes: Int
  /// Sound that goes on behind the picture ends here, in seconds; nil for audio.
  package var maximumSeconds: Double?
  /// Whether the picture ends at `maximumSeconds` too, because the whole video would be too long.
  package var trims: Bool

  package init(
    type: AttachmentType, picture: PictureRecipe? = nil, sound: SoundRecipe? = nil, maximumBytes: Int,
    maximumSeconds: Double? = nil, trims: Bool = false
  ) {
    self.type = type
    self.picture = picture
    self.sound = sound
    self.maximumBytes = maximumBytes
    self.maximumSeconds = maximumSeconds
    self.trims = trims
  }
}

/// What becomes of the picture of a video.
package struct PictureRecipe: Codable, Sendable, Equatable {
  package enum Treatment: Codable, Sendable, Equatable {
    /// As it is, with this sample entry: `avc1` or `hvc1`.
    case copy(tag: String)
    /// As H.264.
    case encode(encoding: PictureEncoding)
  }

  /// Index of the stream in the source.
  package var stream: Int
  package var treatment: Treatment
  /// How to encode pictures that were to be copied, when the file would be too large with them or their packets turn
  /// out not to allow it; nil for nothing.
  package var otherwise: PictureEncoding?

  package init(stream: Int, _ treatment: Treatment, otherwise: PictureEncoding? = nil) {
    self.stream = stream
    self.treatment = treatment
    self.otherwise = otherwise
  }
}

/// What becomes of the sound of a video, or of an audio file.
package struct SoundRecipe: Codable, Sendable, Equatable {
  package enum Treatment: Codable, Sendable, Equatable {
    case copy
    /// As AAC-LC. Best first: each next coding is taken when the file became too large with the one before.
    case encode(codings: [SoundCoding])
  }

  /// Index of the stream in the source.
  package var stream: Int
  package var treatment: Treatment

  package init(stream: Int, _ treatment: Treatment) {
    self.stream = stream
    self.treatment = treatment
  }
}

extension Recipe {
  /// Whether the pictures of a video are, or may come to be, encoded anew, which takes much longer than all else.
  package var encodesPictures: Bool {
    switch self {
    case .encode(let recipe): recipe.encodesPictures
    case .remux(let recipe): recipe.otherwise?.encodesPictures ?? false
    case .still, .animation, .poster: false
    }
  }
}

extension EncodeRecipe {
  fileprivate var encodesPictures: Bool {
    guard let picture else { return false }
    if case .encode = picture.treatment { return true }
    return picture.otherwise != nil
  }
}
