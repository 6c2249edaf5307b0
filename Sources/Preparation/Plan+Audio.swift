import RichPush

func planAudio(
  _ audio: AudioFacts, of facts: MediaFacts, for profile: Profile
) throws(Rejection.Reason) -> Recipe {
  try requireSize(of: facts, for: profile)
  try requireReadable(audio.sound)
  let limit = MediaKind.audio.maximumAttachmentBytes
  guard let type = copiedType(of: audio.sound, in: facts.format) else {
    return .encode(try encodeRecipe(audio, limit: limit))
  }
  // By its bit rate, not by its bytes: cover art may be half of the file.
  let size = (audio.duration.presented ?? 0) * Double(audio.sound.bitRate) / 8
  guard facts.bytes <= limit || size <= Double(limit) * 1.1 else {
    return .encode(try encodeRecipe(audio, limit: limit))
  }
  return .remux(
    RemuxRecipe(
      type: type, sound: audio.sound.index, maximumBytes: limit, otherwise: try? encodeRecipe(audio, limit: limit)))
}

/// How audio that cannot stay as it is becomes AAC in M4A.
private func encodeRecipe(_ audio: AudioFacts, limit: Int) throws(Rejection.Reason) -> EncodeRecipe {
  let codings = SoundCoding.codings(for: audio.sound, seconds: audio.duration.presented, maximumBytes: limit)
  guard !codings.isEmpty else {
    let seconds = audio.duration.presented ?? 0
    let least = SoundCoding.smallest(for: audio.sound)
    let bytes = least.bytes(seconds: seconds)
    throw Rejection.Reason(
      .cannotFitLimit, at: .plan,
      "the audio lasts \(rounded(seconds)) s: even as \(least.bitRate / 1000) kbit/s in mono it has \(Int(bytes)) bytes; "
        + "at most \(limit) can be attached",
      limit: Double(limit), measured: bytes)
  }
  return EncodeRecipe(
    type: .mpeg4Audio, sound: SoundRecipe(stream: audio.sound.index, .encode(codings: codings)), maximumBytes: limit)
}

/// What becomes of the sound of a video: it is copied, or encoded without loss to the ear.
func soundRecipe(of sound: AudioStream) throws(Rejection.Reason) -> SoundRecipe {
  try requireReadable(sound)
  if sound.codec == "aac", copyableAAC.contains(sound.profile) { return SoundRecipe(stream: sound.index, .copy) }
  return SoundRecipe(stream: sound.index, .encode(codings: [SoundCoding(keeping: sound)]))
}

/// The AAC profiles that every iPhone decodes.
let copyableAAC: Set = ["LC", "HE-AAC", "HE-AACv2"]

/// The file type in which the sound can stay as it is.
private func copiedType(of sound: AudioStream, in format: MediaFormat) -> AttachmentType? {
  switch sound.codec {
  case "aac": copyableAAC.contains(sound.profile) ? .mpeg4Audio : nil
  case "alac": .mpeg4Audio
  // From elsewhere its frames could be copied too, but not how many samples of the first are to be skipped.
  case "mp3": [.mp3, .mp4, .mov].contains(format) ? .mp3 : nil
  case "pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le": format == .wav ? .wav : nil
  case "pcm_s8", "pcm_s16be", "pcm_s24be", "pcm_s32be": format == .aiff ? .aiff : nil
  default: nil
  }
}

private func requireReadable(_ sound: AudioStream) throws(Rejection.Reason) {
  guard !sound.isEncrypted else {
    throw Rejection.Reason(.unsupportedCodec, at: .plan, "the audio is encrypted")
  }
  guard sound.isDecodable else {
    throw Rejection.Reason(.unsupportedCodec, at: .plan, "no decoder knows the audio's codec \(sound.codec)")
  }
  guard SoundCoding.readableRates.contains(sound.sampleRate) else {
    throw Rejection.Reason(.corrupt, at: .plan, "the audio says it has \(sound.sampleRate) samples per second")
  }
  guard SoundCoding.readableChannels.contains(sound.channels) else {
    throw Rejection.Reason(.corrupt, at: .plan, "the audio says it has \(sound.channels) channels")
  }
}
