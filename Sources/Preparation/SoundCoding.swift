/// How sound is coded as AAC-LC.
package struct SoundCoding: Codable, Sendable, Equatable {
  /// 1 or 2.
  package var channels: Int
  /// Samples per second, one of `SoundCoding.sampleRates`.
  package var sampleRate: Int
  /// Bits per second of all channels.
  package var bitRate: Int

  package init(channels: Int, sampleRate: Int, bitRate: Int) {
    self.channels = channels
    self.sampleRate = sampleRate
    self.bitRate = bitRate
  }

  /// Sample rates of AAC that every iPhone plays.
  package static let sampleRates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
  /// Sample rates of sources that are sound. 1-bit recordings decode to 352,800 and 705,600 samples per second.
  package static let readableRates = 1000...768_000
  package static let readableChannels = 1...64

  /// The coding in which nothing of a sound is lost to the ear: mono stays mono, more than two channels are mixed down to
  /// two, the sample rate stays where AAC has it.
  package init(keeping sound: AudioStream) {
    channels = sound.channels == 1 ? 1 : 2
    sampleRate = Self.sampleRate(for: sound.sampleRate)
    bitRate = Self.fullBitRate(channels: channels, sampleRate: sampleRate)
  }

  /// The sample rate of AAC for that of a source: the same, or the next higher one. What lies above 48,000 is halved as
  /// often as needed.
  private static func sampleRate(for rate: Int) -> Int {
    var rate = rate
    while rate > 48_000 { rate = (rate + 1) / 2 }
    return sampleRates.first { $0 >= rate } ?? 48_000
  }

  /// Bits per second at which AAC-LC sounds like its source, by 160 kbit/s for 44,100 Hz in stereo. One channel takes a
  /// little more than half.
  private static func fullBitRate(channels: Int, sampleRate: Int) -> Int {
    let stereo = sampleRate >= 44_100 ? 160_000 : max(sampleRate * 4, 48_000)
    return channels == 2 ? stereo : stereo * 6 / 10
  }
}
