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
  // Encoders round the last frame up; more than that is not an accident.
  let grace = min(max(video.framePeriod ?? 0, 0), profile.maximumGrace)
  // Time bases that do not divide a second leave a trace in the last digits.
  let rounding = 0.000_5
  if seconds <= profile.maximumVideoDuration + grace + rounding { return .whole }
  switch overlong {
  case .trim: return .trimmed
  case .poster: return .replacedByPoster
  case .reject:
    throw Rejection.Reason(
      .videoTooLong, at: .plan,
      "the video lasts \(rounded(seconds)) s; at most \(rounded(profile.maximumVideoDuration)) s can be attached",
      limit: profile.maximumVideoDuration, measured: seconds)
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
