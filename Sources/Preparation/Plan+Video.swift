import RichPush

func planVideo(
  _ video: VideoFacts, of facts: MediaFacts, for profile: Profile, options: PreparationOptions
) throws(Rejection.Reason) -> Recipe {
  let length = try length(of: video, for: profile, overlong: options.overlong)
  try requireSize(of: facts, for: profile)
  guard video.width > 0, video.height > 0 else {
    throw Rejection.Reason(.corrupt, at: .plan, "the video says it is \(video.width)x\(video.height) pixels large")
  }
  if length == .replacedByPoster { return .poster(try posterRecipe(replacing: video, for: profile)) }
  let tag = try copiedTag(of: video.picture)
  let sound = try video.sound.map { sound throws(Rejection.Reason) in try soundRecipe(of: sound) }
  if let sound, sound.treatment != .copy {
    return .encode(
      EncodeRecipe(
        type: .mpeg4, picture: PictureRecipe(stream: video.picture.index, .copy(tag: tag)), sound: sound,
        maximumBytes: MediaKind.video.maximumAttachmentBytes, maximumSeconds: profile.maximumVideoDuration))
  }
  return .remux(
    RemuxRecipe(
      type: .mpeg4, picture: video.picture.index, pictureTag: tag, sound: video.sound?.index,
      maximumBytes: MediaKind.video.maximumAttachmentBytes, maximumSeconds: profile.maximumVideoDuration,
      trims: length == .trimmed))
}

/// The sample entry under which the pictures can be copied as they are.
private func copiedTag(of picture: PictureStream) throws(Rejection.Reason) -> String {
  guard !picture.isEncrypted else {
    throw Rejection.Reason(.unsupportedCodec, at: .plan, "the video is encrypted")
  }
  switch picture.codec {
  case "h264":
    let profiles: Set = ["Baseline", "Constrained Baseline", "Main", "High"]
    guard profiles.contains(picture.profile) else { throw needsEncoding("H.264 of \(profileName(picture))") }
    guard ["yuv420p", "yuvj420p"].contains(picture.pixelFormat) else {
      throw needsEncoding("H.264 in \(pixelFormatName(picture))")
    }
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
    guard picture.isDecodable else { throw noDecoder(for: picture) }
    throw needsEncoding(picture.codec)
  }
}

func noDecoder(for picture: PictureStream) -> Rejection.Reason {
  let name = picture.codec == "unknown" && !picture.tag.isEmpty ? picture.tag : picture.codec
  return Rejection.Reason(.unsupportedCodec, at: .plan, "no decoder knows the video's codec \(name)")
}

private func profileName(_ picture: PictureStream) -> String {
  picture.profile.isEmpty ? "unknown profile" : "profile \(picture.profile)"
}

private func pixelFormatName(_ picture: PictureStream) -> String {
  picture.pixelFormat.isEmpty ? "an unknown pixel format" : picture.pixelFormat
}

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
