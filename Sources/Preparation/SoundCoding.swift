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
    self.init(keepingChannels: sound.channels, sampleRate: sound.sampleRate)
  }

  package init(keepingChannels channels: Int, sampleRate: Int) {
    self.channels = channels == 1 ? 1 : 2
    self.sampleRate = Self.sampleRate(for: sampleRate)
    bitRate = Self.fullBitRate(channels: self.channels, sampleRate: self.sampleRate)
  }

  /// The sample rate of AAC for that of a source: the same, or the next higher one; of what lies above them all, the one
  /// that divides it.
  private static func sampleRate(for rate: Int) -> Int {
    sampleRates.first { $0 >= rate } ?? (rate.isMultiple(of: 44_100) ? 44_100 : 48_000)
  }

  /// Bits per second at which AAC-LC sounds like its source, by 160 kbit/s for 44,100 Hz in stereo. One channel takes a
  /// little more than half.
  private static func fullBitRate(channels: Int, sampleRate: Int) -> Int {
    let stereo = sampleRate >= 44_100 ? 160_000 : max(sampleRate * 4, 48_000)
    return channels == 2 ? stereo : stereo * 6 / 10
  }
}

// Making long sound small enough.
extension SoundCoding {
  /// Speech is understood with this many bits per second, and no longer with fewer.
  private static let leastBitRate = 16_000

  /// Codings of one shape, by their bit rates.
  private struct Tier {
    var best: SoundCoding
    var leastBitRate: Int
  }

  /// The shapes that sound can be given, best first: as it is, in mono, with half of its sample rate, as on the telephone.
  private static func tiers(for sound: AudioStream) -> [Tier] {
    let full = SoundCoding(keeping: sound)
    let half = full.sampleRate == 44_100 ? 22_050 : 24_000
    var shapes = [(full.channels, full.sampleRate)]
    if full.channels > 1 { shapes.append((1, full.sampleRate)) }
    if full.sampleRate > half { shapes.append((1, half)) }
    if full.sampleRate > 16_000 { shapes.append((1, 16_000)) }
    return shapes.enumerated().map { index, shape in
      let best = SoundCoding(keepingChannels: shape.0, sampleRate: shape.1)
      let isLast = index == shapes.count - 1
      return Tier(best: best, leastBitRate: isLast ? Self.leastBitRate : best.bitRate * 6 / 10)
    }
  }

  /// The coding below which sound is not worth hearing.
  package static func smallest(for sound: AudioStream) -> SoundCoding {
    let full = SoundCoding(keeping: sound)
    return SoundCoding(channels: 1, sampleRate: min(full.sampleRate, 16_000), bitRate: leastBitRate)
  }

  /// The best coding that fits, and what to do when it turns out not to: encoders do not keep to their bit rates exactly,
  /// and sources not to their durations.
  /// - Parameter seconds: how long the sound lasts; nil when nobody knows.
  /// - Returns: best first; empty when even the smallest is too large.
  package static func codings(for sound: AudioStream, seconds: Double?, maximumBytes: Int) -> [SoundCoding] {
    let tiers = tiers(for: sound)
    var budgets: [Double] = [.infinity, 96_000, 48_000, 24_000, Double(leastBitRate) * 1.1]
    if let seconds, seconds > 0, seconds.isFinite {
      let budget = max(Double(maximumBytes) - boxes, 0) * 8 / seconds / (1 + excess)
      budgets = [budget, budget * 0.8, budget * 0.5]
    }
    var codings: [SoundCoding] = []
    for budget in budgets {
      guard let coding = best(of: tiers, within: budget) else { continue }
      if codings.last.map({ $0.bitRate > coding.bitRate }) ?? true { codings.append(coding) }
    }
    // Half of a budget that is plentiful still is the best coding there is: then nothing can go wrong.
    return codings
  }

  /// - Parameter budget: bits per second, those of the sample table included.
  private static func best(of tiers: [Tier], within budget: Double) -> SoundCoding? {
    for tier in tiers {
      let available = budget - tier.best.tableBitRate
      guard available >= Double(tier.leastBitRate) else { continue }
      var coding = tier.best
      if available < Double(coding.bitRate) { coding.bitRate = Int(available / 1000) * 1000 }
      return coding
    }
    return nil
  }

  /// Bytes of an M4A, as planned.
  package func bytes(seconds: Double) -> Double {
    (seconds * (Double(bitRate) + tableBitRate) / 8 * (1 + Self.excess) + Self.boxes).rounded(.up)
  }

  /// Bits per second that an M4A has besides the sound: four bytes for each frame of 1024 samples.
  private var tableBitRate: Double { Double(sampleRate) / 1024 * 32 }
  /// Bytes of an M4A that do not grow with its length, at most.
  private static var boxes: Double { 4096 }
  /// By how much libavcodec's encoder may exceed its bit rate.
  private static var excess: Double { 0.03 }
}
