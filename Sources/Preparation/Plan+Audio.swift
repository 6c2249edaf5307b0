import RichPush

func planAudio(
  _ audio: AudioFacts, of facts: MediaFacts, for profile: Profile
) throws(Rejection.Reason) -> Recipe {
  try requireSize(of: facts, for: profile)
  guard !audio.sound.isEncrypted else {
    throw Rejection.Reason(.unsupportedCodec, at: .plan, "the audio is encrypted")
  }
  guard let type = copiedType(of: audio.sound, in: facts.format) else {
    throw notAttachable(audio.sound, in: facts.format)
  }
  return .remux(
    RemuxRecipe(type: type, sound: audio.sound.index, maximumBytes: MediaKind.audio.maximumAttachmentBytes))
}

/// Why iOS does not attach the sound of an audio file as it is.
private func notAttachable(_ sound: AudioStream, in format: MediaFormat) -> Rejection.Reason {
  guard sound.isDecodable, sound.codec != "aac" else { return needsEncoding(sound, aacName(sound)) }
  let name = sound.codec == format.rawValue ? sound.codec : "\(sound.codec) in \(format.rawValue)"
  return Rejection.Reason(
    .unsupportedCodec, at: .plan,
    "iOS does not attach \(name), only MP3, AAC or ALAC in M4A, and PCM in WAV or AIFF; it would have to be encoded"
      + " anew")
}

/// AAC that cannot stay as it is, because of its profile.
func aacName(_ sound: AudioStream) -> String {
  sound.profile.isEmpty ? "AAC of unknown profile" : "AAC of profile \(sound.profile)"
}

/// Why sound cannot stay as it is: either nothing decodes it, or it would have to be encoded anew.
func needsEncoding(_ sound: AudioStream, _ what: String) -> Rejection.Reason {
  sound.isDecodable
    ? needsEncoding(what)
    : Rejection.Reason(.unsupportedCodec, at: .plan, "no decoder knows the audio's codec \(sound.codec)")
}

/// The file type in which the sound can stay as it is.
private func copiedType(of sound: AudioStream, in format: MediaFormat) -> AttachmentType? {
  switch sound.codec {
  case "aac": copyableAAC.contains(sound.profile) ? .mpeg4Audio : nil
  case "alac": .mpeg4Audio
  case "mp3": format == .mp3 ? .mp3 : nil
  case "pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le": format == .wav ? .wav : nil
  case "pcm_s8", "pcm_s16be", "pcm_s24be", "pcm_s32be": format == .aiff ? .aiff : nil
  default: nil
  }
}

/// What becomes of the sound of a video: it is copied, or encoded without loss to the ear.
func soundRecipe(of sound: AudioStream) throws(Rejection.Reason) -> SoundRecipe {
  try requireReadable(sound)
  if sound.codec == "aac", copyableAAC.contains(sound.profile) { return SoundRecipe(stream: sound.index, .copy) }
  return SoundRecipe(stream: sound.index, .encode([SoundCoding(keeping: sound)]))
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
