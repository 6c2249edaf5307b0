import CFFmpeg
import RichPush

/// Moves the packets of one stream onto the output's timeline and mends times that a muxer would refuse.
struct RemuxClock {
  private let from: AVRational
  private let to: AVRational
  /// What is subtracted, in ticks of the source.
  private let offset: Int64
  /// Whether pictures are coded in another order than they are shown.
  private let reorders: Bool
  private let guessesDuration: Bool
  /// What is subtracted from times of decoding besides, in ticks of the source.
  private let lateness: Int64
  /// How long a packet lasts that does not say, in ticks of the output.
  private var usualDuration: Int64
  private var lastPresentation: Int64?
  private var lastDecoding: Int64?
  /// Packets whose time of decoding had to be moved.
  private(set) var repairs = 0

  /// - Parameter start: the moment of the source that becomes 0, in microseconds.
  init(from source: AVStream, to output: AVStream, start: Int64, lateness: Int64) {
    self.lateness = lateness
    let parameters = source.codecpar.pointee
    usualDuration =
      parameters.frame_size > 0 && parameters.sample_rate > 0
      ? av_rescale_q(
        Int64(parameters.frame_size), AVRational(num: 1, den: parameters.sample_rate), output.time_base) : 0
    guessesDuration = parameters.codec_type == AVMEDIA_TYPE_AUDIO && usualDuration == 0
    from = source.time_base
    to = output.time_base
    offset = av_rescale_q(start, AVRational(num: 1, den: AV_TIME_BASE), source.time_base)
    reorders = source.codecpar.pointee.video_delay > 0
  }

  /// - Returns: false when the packet's time of presentation is not known and cannot be told.
  mutating func move(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    let none = enclosure_av_no_timestamp
    if packet.pointee.pts == none {
      guard !reorders, packet.pointee.dts != none else { return false }
      packet.pointee.pts = packet.pointee.dts
    }
    if packet.pointee.dts == none, !reorders { packet.pointee.dts = packet.pointee.pts }
    if packet.pointee.dts != none {
      let (earlier, overflow) = packet.pointee.dts.subtractingReportingOverflow(lateness)
      packet.pointee.dts = overflow ? packet.pointee.dts : earlier
    }
    packet.pointee.pts = moved(packet.pointee.pts)
    packet.pointee.dts = moved(packet.pointee.dts)
    // Where the codec does not say, sound lasts as long as up to the packet before.
    if let last = lastPresentation, guessesDuration, packet.pointee.pts > last {
      let (length, overflow) = packet.pointee.pts.subtractingReportingOverflow(last)
      if !overflow { usualDuration = length }
    }
    lastPresentation = packet.pointee.pts
    packet.pointee.duration =
      packet.pointee.duration > 0 ? av_rescale_q(packet.pointee.duration, from, to) : usualDuration
    packet.pointee.pos = -1
    guard packet.pointee.dts != none else { return true }
    if packet.pointee.dts > packet.pointee.pts {
      packet.pointee.dts = packet.pointee.pts
    }
    if let last = lastDecoding, packet.pointee.dts <= last {
      guard last < Int64.max else { return false }
      packet.pointee.dts = last + 1
      packet.pointee.pts = max(packet.pointee.pts, packet.pointee.dts)
      repairs += 1
    }
    lastDecoding = packet.pointee.dts
    return true
  }

  private func moved(_ time: Int64) -> Int64 {
    guard time != enclosure_av_no_timestamp else { return time }
    let (difference, overflow) = time.subtractingReportingOverflow(offset)
    return overflow ? time : av_rescale_q(difference, from, to)
  }
}
