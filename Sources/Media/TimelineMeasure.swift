import CFFmpeg
import RichPush

/// When the packets of one stream start and end being presented, in seconds. Packets that an edit list hides do not
/// count.
struct PresentedSpan: Equatable {
  private(set) var start: Double?
  private(set) var end: Double?
  /// Packets that are presented.
  private(set) var count = 0
  /// Presentation time of the last and of the one before, in order of presentation.
  private var last: Double?
  private var beforeLast: Double?

  /// - Parameter framePeriod: how long a packet without a duration of its own lasts.
  mutating func add(_ packet: AVPacket, timeBase: AVRational, framePeriod: Double?) {
    guard packet.flags & AV_PKT_FLAG_DISCARD == 0 else { return }
    count += 1
    let time = seconds(packet.pts, timeBase) ?? seconds(packet.dts, timeBase) ?? end ?? 0
    var length = seconds(packet.duration, timeBase) ?? 0
    if length <= 0 { length = framePeriod ?? 0 }
    guard time.isFinite, length.isFinite else { return }
    start = min(start ?? time, time)
    end = max(end ?? time, time + length)
    if time > last ?? -.infinity {
      beforeLast = last
      last = time
    }
  }

  /// Seconds from the first picture to the end of the last. A last packet of unknown length is taken to last as long
  /// as the one before.
  var length: Double? {
    guard let start, let end else { return nil }
    if let last, let beforeLast, end <= last { return end - start + (last - beforeLast) }
    return end - start
  }
}

/// What reading the packets of a container showed.
struct TimelineMeasure {
  /// By index of the stream.
  var spans: [Int: PresentedSpan] = [:]
  /// Whether all packets were read.
  var isComplete = false
  /// Whether a packet was cut by the end of the file.
  var hasCutPacket = false
  /// Why the pictures cannot be copied though their codec could be, for people; nil when nothing is in the way.
  var copyObstacle: String?

  /// The last moment at which anything is presented, in seconds.
  var end: Double? { spans.values.compactMap(\.end).max() }

  /// Reads packets to the end, or until those of one stream pass a limit.
  /// - Parameter limit: seconds; reading stops when the stream `index` lasts this long.
  init(_ input: LibavInput, stream index: Int, limit: Double) throws(Rejection.Reason) {
    var copying = input.stream(index).map { RemuxObstacles(of: $0) }
    let packet = try LibavPacket(at: input.stage)
    while true {
      let status = input.read(into: packet.pointer)
      if status == enclosure_av_again { continue }
      guard status >= 0 else { break }
      let current = packet.pointer.pointee
      guard let stream = input.stream(Int(current.stream_index)) else { continue }
      if current.flags & AV_PKT_FLAG_CORRUPT != 0, !input.mayBreakOff { hasCutPacket = true }
      let isVideo = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
      spans[Int(current.stream_index), default: PresentedSpan()].add(
        current, timeBase: stream.pointee.time_base, framePeriod: isVideo ? stream.framePeriod : nil)
      guard Int(current.stream_index) == index else { continue }
      copying?.take(current)
      if let length = spans[index]?.length, length > limit { return }
    }
    try input.check()
    isComplete = true
    copyObstacle = copying?.found
  }
}

extension LibavInput {
  /// Whether a packet that is marked as damaged is no sign of a file that breaks off. Transport and program streams are
  /// made to be cut anywhere, and are marked where two of them were joined; whether their pictures can be decoded is
  /// seen when the prepared file is.
  var mayBreakOff: Bool { TimelineSeams.occur(in: formatName) }
}
