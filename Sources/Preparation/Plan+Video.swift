import RichPush

func planVideo(
  _ video: VideoFacts, of facts: MediaFacts, for profile: Profile
) throws(Rejection.Reason) -> Recipe {
  try requireDuration(of: video, for: profile)
  try requireSize(of: facts, for: profile)
  guard !video.picture.isEncrypted else {
    throw Rejection.Reason(.unsupportedCodec, at: .plan, "the video is encrypted")
  }
  guard video.width > 0, video.height > 0 else {
    throw Rejection.Reason(.corrupt, at: .plan, "the video says it is \(video.width)x\(video.height) pixels large")
  }
  let tag = try copiedTag(of: video.picture)
  if let obstacle = video.copyObstacle { throw needsEncoding(obstacle) }
  if let sound = video.sound {
    try requireCopyable(sound)
  }
  return .remux(
    RemuxRecipe(
      type: .mpeg4, picture: video.picture.index, pictureTag: tag, sound: video.sound?.index,
      maximumBytes: MediaKind.video.maximumAttachmentBytes, maximumSeconds: profile.maximumVideoDuration))
}

private func requireDuration(of video: VideoFacts, for profile: Profile) throws(Rejection.Reason) {
  // Headers of fragmented files say zero when they mean that they do not know.
  guard let seconds = video.duration.presented, seconds > 0, seconds.isFinite else {
    throw Rejection.Reason(.unknownDuration, at: .plan, "neither header nor packets tell how long the video lasts")
  }
  guard seconds <= profile.maximumVideoDuration(framePeriod: video.framePeriod) + timeBaseRounding else {
    throw tooLong(seconds, at: .plan, for: profile)
  }
}

/// The sample entry under which the pictures can be copied as they are.
private func copiedTag(of picture: PictureStream) throws(Rejection.Reason) -> String {
  switch picture.codec {
  case "h264":
    let profiles: Set = ["Baseline", "Constrained Baseline", "Main", "High"]
    guard profiles.contains(picture.profile) else { throw needsEncoding("H.264 of \(profileName(picture))") }
    guard ["yuv420p", "yuvj420p"].contains(picture.pixelFormat) else {
      throw needsEncoding("H.264 in \(pixelFormatName(picture))")
    }
    // What is encoded here stays at level 4.0, which the oldest phones play. What is copied may go up to 4.2, which
    // every phone since the iPhone 5s plays (1080p at 60 frames/s), as Apple's tables of supported formats say.
    guard picture.level <= 42 else {
      throw needsEncoding("H.264 of level \(picture.level / 10).\(picture.level % 10)")
    }
    guard !picture.isInterlaced else { throw needsEncoding("interlaced H.264") }
    return "avc1"
  case "hevc":
    guard ["Main", "Main 10"].contains(picture.profile) else {
      throw needsEncoding("HEVC of \(profileName(picture))")
    }
    guard ["yuv420p", "yuvj420p", "yuv420p10le"].contains(picture.pixelFormat) else {
      throw needsEncoding("HEVC in \(pixelFormatName(picture))")
    }
    guard !picture.isInterlaced else { throw needsEncoding("interlaced HEVC") }
    return "hvc1"
  default:
    guard picture.isDecodable else {
      let name = picture.codec == "unknown" && !picture.tag.isEmpty ? picture.tag : picture.codec
      throw Rejection.Reason(.unsupportedCodec, at: .plan, "no decoder knows the video's codec \(name)")
    }
    throw needsEncoding(picture.codec)
  }
}

private func profileName(_ picture: PictureStream) -> String {
  picture.profile.isEmpty ? "unknown profile" : "profile \(picture.profile)"
}

private func pixelFormatName(_ picture: PictureStream) -> String {
  picture.pixelFormat.isEmpty ? "an unknown pixel format" : picture.pixelFormat
}

private func requireCopyable(_ sound: AudioStream) throws(Rejection.Reason) {
  guard !sound.isEncrypted else {
    throw Rejection.Reason(.unsupportedCodec, at: .plan, "the audio is encrypted")
  }
  guard sound.codec == "aac" else { throw needsEncoding(sound, "\(sound.codec) audio") }
  guard copyableAAC.contains(sound.profile) else {
    throw needsEncoding(sound, aacName(sound))
  }
}

/// The AAC profiles that every iPhone decodes.
let copyableAAC: Set = ["LC", "HE-AAC", "HE-AACv2"]

func needsEncoding(_ what: String) -> Rejection.Reason {
  Rejection.Reason(
    .unsupportedCodec, at: .plan, "\(what) does not play on every iPhone and would have to be encoded anew")
}

/// A number of seconds for people: milliseconds at most, without zeros at the end. Fewer digits would have a video of
/// 30.004 s last "30 s; at most 30 s".
package func rounded(_ seconds: Double) -> String {
  guard seconds.isFinite, abs(seconds) < 1e12 else { return "\(seconds)" }
  let milliseconds = Int((seconds * 1000).rounded())
  let sign = milliseconds < 0 ? "-" : ""
  let (whole, rest) = abs(milliseconds).quotientAndRemainder(dividingBy: 1000)
  guard rest != 0 else { return "\(sign)\(whole)" }
  var digits = String(String(rest + 1000).dropFirst())
  while digits.hasSuffix("0") { digits.removeLast() }
  return "\(sign)\(whole).\(digits)"
}
