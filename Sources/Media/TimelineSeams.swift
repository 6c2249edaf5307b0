import CFFmpeg

/// Joins recordings that were put one behind the other without their time stamps being changed, as downloaders of
/// live streams do: where those of a stream jump back, what follows is moved behind what came before.
///
/// Only transport and program streams may be joined like this (ISO/IEC 13818-1, 2.4.3.4: discontinuities). Jumps
/// forward stay: the gap may be meant.
struct TimelineSeams {
  /// What is added to the times of each stream, in microseconds.
  private var offsets: [Int32: Int64] = [:]
  /// When the last packet of each stream was decoded, moved, in microseconds.
  private var last: [Int32: Int64] = [:]
  /// The last moment of all of them.
  private var end: Int64 = 0
  /// The offset behind the latest seam.
  private var latest: Int64 = 0

  /// How far times jump back where two recordings meet, in microseconds. Less is disorder.
  private static let leastJump: Int64 = 500_000
  private static let base = AVRational(num: 1, den: AV_TIME_BASE)

  static func occur(in format: String) -> Bool {
    format == "mpegts" || format == "mpeg"
  }

  mutating func join(_ packet: UnsafeMutablePointer<AVPacket>, timeBase: AVRational) {
    let none = enclosure_av_no_timestamp
    let time = packet.pointee.dts != none ? packet.pointee.dts : packet.pointee.pts
    guard time != none, timeBase.num > 0, timeBase.den > 0 else { return }
    let stream = packet.pointee.stream_index
    let moment = av_rescale_q(time, timeBase, TimelineSeams.base)
    // Times have 33 bits of 90 kHz, a day: nothing overflows. What does not fit has become the least number there is.
    guard moment.magnitude < 1 << 50 else { return }
    var offset = offsets[stream] ?? 0
    if let last = last[stream], moment + offset < last - TimelineSeams.leastJump {
      // The other streams jump by as much, so that they stay together.
      if moment + latest < last - TimelineSeams.leastJump { latest = end - moment }
      offset = latest
      offsets[stream] = offset
    }
    last[stream] = moment + offset
    let length = av_rescale_q(max(packet.pointee.duration, 0), timeBase, TimelineSeams.base)
    end = max(end, moment + offset + min(length, 1_000_000))
    guard offset != 0 else { return }
    let ticks = av_rescale_q(offset, TimelineSeams.base, timeBase)
    if packet.pointee.dts != none { packet.pointee.dts += ticks }
    if packet.pointee.pts != none { packet.pointee.pts += ticks }
  }
}
