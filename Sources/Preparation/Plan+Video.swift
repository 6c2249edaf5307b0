import RichPush

func planVideo(
  _ video: VideoFacts, of facts: MediaFacts, for profile: Profile, options: PreparationOptions
) throws(Rejection.Reason) -> Recipe {
  let length = try length(of: video, for: profile, overlong: options.overlong)
  try requireSize(of: facts, for: profile)
  guard !video.picture.isEncrypted else {
    throw Rejection.Reason(.unsupportedCodec, at: .plan, "the video is encrypted")
  }
  guard video.width > 0, video.height > 0 else {
    throw Rejection.Reason(.corrupt, at: .plan, "the video says it is \(video.width)x\(video.height) pixels large")
  }
  if length == .replacedByPoster { return .poster(try posterRecipe(replacing: video, for: profile)) }
  let sound = try video.sound.map { sound throws(Rejection.Reason) in try soundRecipe(of: sound) }
  let tag = try copiedTag(of: video, for: profile)
  let encoding = PictureEncoding(of: video, beside: sound, for: profile)
  var encoded = EncodeRecipe(
    type: .mpeg4, picture: PictureRecipe(stream: video.picture.index, .encode(encoding: encoding)),
    sound: sound, maximumBytes: MediaKind.video.maximumAttachmentBytes, maximumSeconds: profile.maximumVideoDuration,
    trims: length == .trimmed)
  guard let tag else { return .encode(encoded) }
  guard sound.map({ $0.treatment == .copy }) ?? true else {
    encoded.picture = PictureRecipe(stream: video.picture.index, .copy(tag: tag), otherwise: encoding)
    return .encode(encoded)
  }
  return .remux(
    RemuxRecipe(
      type: .mpeg4, picture: video.picture.index, pictureTag: tag, sound: sound?.stream,
      maximumBytes: encoded.maximumBytes, maximumSeconds: encoded.maximumSeconds, trims: length == .trimmed,
      otherwise: encoded))
}

func noDecoder(for picture: PictureStream) -> Rejection.Reason {
  let name = picture.codec == "unknown" && !picture.tag.isEmpty ? picture.tag : picture.codec
  return Rejection.Reason(.unsupportedCodec, at: .plan, "no decoder knows the video's codec \(name)")
}

/// The sample entry under which the pictures can be copied as they are; nil when they have to be encoded anew.
private func copiedTag(of video: VideoFacts, for profile: Profile) throws(Rejection.Reason) -> String? {
  let picture = video.picture
  guard picture.isDecodable else { throw noDecoder(for: picture) }
  guard max(video.width, video.height) <= profile.videoSide, !picture.isInterlaced, !video.isAnamorphic,
    video.copyObstacle == nil
  else { return nil }
  switch picture.codec {
  case "h264":
    // What is encoded here stays at level 4.0, which the oldest phones play. What is copied may go up to 4.2, which
    // every phone since the iPhone 5s plays (1080p at 60 frames/s), as Apple's tables of supported formats say.
    let isPlayed =
      ["Baseline", "Constrained Baseline", "Main", "High"].contains(picture.profile)
      && ["yuv420p", "yuvj420p"].contains(picture.pixelFormat) && picture.level <= 42
    return isPlayed ? "avc1" : nil
  case "hevc":
    let isPlayed =
      ["Main", "Main 10"].contains(picture.profile)
      && ["yuv420p", "yuvj420p", "yuv420p10le"].contains(picture.pixelFormat)
    return isPlayed ? "hvc1" : nil
  default: return nil
  }
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
