import RichPush

/// What is made of a video's length.
enum PlannedLength {
  case whole
  /// Its beginning, as long as can be attached.
  case trimmed
  /// One of its pictures.
  case replacedByPoster
}

/// - Throws: `unknown_duration`, or `video_too_long` when nothing else is wanted for a video that is.
func length(
  of video: VideoFacts, for profile: Profile, overlong: PreparationOptions.Overlong
) throws(Rejection.Reason) -> PlannedLength {
  // Headers of fragmented files say zero when they mean that they do not know.
  guard let seconds = video.duration.presented, seconds > 0, seconds.isFinite else {
    throw Rejection.Reason(.unknownDuration, at: .plan, "neither header nor packets tell how long the video lasts")
  }
  if seconds <= profile.maximumVideoDuration(framePeriod: video.framePeriod) + timeBaseRounding { return .whole }
  switch overlong {
  case .trim: return .trimmed
  case .poster: return .replacedByPoster
  case .reject: throw tooLong(seconds, at: .plan, for: profile)
  }
}

extension Profile {
  /// The still that goes with every video.
  package var poster: PosterRecipe {
    PosterRecipe(side: imageSide, quality: jpegQuality, maximumBytes: MediaKind.image.maximumAttachmentBytes)
  }
}

func posterRecipe(replacing video: VideoFacts, for profile: Profile) throws(Rejection.Reason) -> PosterRecipe {
  guard !video.picture.isEncrypted else {
    throw Rejection.Reason(.unsupportedCodec, at: .plan, "the video is encrypted")
  }
  guard video.picture.isDecodable else { throw noDecoder(for: video.picture) }
  return profile.poster
}
