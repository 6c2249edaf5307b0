import CFFmpeg
import RichPush

/// What has to be known of a stream's packets before the first of them is written.
struct RemuxSurvey {
  /// By how many ticks of the source some packet is to be decoded after it is presented: QuickTime counts times of
  /// decoding from 0 and presents from 0 as well. All times of decoding go down by this.
  private(set) var lateness: Int64 = 0
  /// The last moment at which something is presented, in seconds of the source.
  private(set) var end: Double?
  /// Packets, counted in order of decoding, up to and with the last that is presented.
  private(set) var usefulPackets = 0
  /// The first packet of a video stream.
  private(set) var firstPacket: [UInt8] = []
  /// When the picture of each packet is shown, in ticks of the source, in order of the packets; nil where the packets
  /// say so themselves.
  private(set) var presentationTimes: [Int64]?
  private var packets = 0
  /// The time of decoding of the last packet, in seconds of the source.
  private var decoded: Double?
  private var lacksPresentationTimes = false
  /// Whether some picture is said to be shown at another time than it is decoded.
  private var tellsOrder = false
  private var isReordered = false

  /// Reads all packets of the kept streams.
  /// - Parameter end: what is presented from here on counts for nothing, in seconds of the source; nil for no limit.
  static func survey(
    _ source: MediaFile, kept: [Int], end: Double? = nil
  ) throws(Rejection.Reason) -> [Int: RemuxSurvey] {
    var surveys: [Int: RemuxSurvey] = [:]
    try read(source, kept: kept) { packet, stream in
      surveys[Int(packet.pointee.stream_index), default: RemuxSurvey()].add(packet.pointee, stream, before: end)
      guard let end else { return true }
      return !kept.allSatisfy { surveys[$0]?.isPast(end) ?? false }
    }
    for (index, survey) in surveys where survey.lacksOrder {
      try surveys[index]?.findOrder(index, source, end: end)
    }
    return surveys
  }

  /// Whether pictures are shown in another order than they are decoded, and the container does not say in which: some
  /// of what libavformat reads, MXF for one, has times of decoding only, and it hands them out as both.
  private var lacksOrder: Bool { lacksPresentationTimes || (isReordered && !tellsOrder && packets > 1) }

  /// - Parameter body: returns whether to go on.
  private static func read(
    _ source: MediaFile, kept: [Int],
    _ body: (UnsafeMutablePointer<AVPacket>, UnsafeMutablePointer<AVStream>) throws(Rejection.Reason) -> Bool
  ) throws(Rejection.Reason) {
    let input = try LibavInput(source, at: .prepare)
    try input.findStreams()
    for index in 0..<input.streamCount where !kept.contains(index) {
      input.stream(index)?.pointee.discard = AVDISCARD_ALL
    }
    let packet = try LibavPacket(at: .prepare)
    while true {
      let status = input.read(into: packet.pointer)
      if status == enclosure_av_again { continue }
      guard status >= 0 else { break }
      // What was read to find the streams comes along, whichever it belongs to.
      let index = Int(packet.pointer.pointee.stream_index)
      guard kept.contains(index), let stream = input.stream(index) else { continue }
      guard try body(packet.pointer, stream) else { break }
    }
    try input.check()
  }

  /// Decodes the pictures to see in which order they are shown.
  private mutating func findOrder(
    _ index: Int, _ source: MediaFile, end limit: Double?
  ) throws(Rejection.Reason) {
    var order: RemuxPictureOrder?
    var framePeriod: Double?
    var timeBase = AVRational(num: 0, den: 1)
    try RemuxSurvey.read(source, kept: [index]) { packet, stream throws(Rejection.Reason) in
      if order == nil { order = try RemuxPictureOrder(of: stream) }
      (framePeriod, timeBase) = (stream.framePeriod, stream.pointee.time_base)
      try order?.add(packet)
      return true
    }
    guard let times = order?.presentationTimes(), let last = times.max() else { return }
    presentationTimes = times
    lateness = decodingLateness(times)
    end = seconds(last, timeBase).map { $0 + (framePeriod ?? 0) }
    guard let limit else { return }
    end = end.map { min($0, limit) }
    usefulPackets = (times.lastIndex { seconds($0, timeBase).map { $0 < limit } ?? true } ?? -1) + 1
  }

  /// By how many ticks the pictures would be decoded too late, were each decoded at its old time.
  private func decodingLateness(_ times: [Int64]) -> Int64 {
    zip(times.sorted(), times).map { $0 - $1 }.max() ?? 0
  }

  /// Whether nothing that follows is presented before `end`: what is decoded later is presented later still.
  private func isPast(_ end: Double) -> Bool { decoded.map { $0 > end + 1 } ?? false }

  private mutating func add(_ packet: AVPacket, _ stream: UnsafeMutablePointer<AVStream>, before limit: Double?) {
    packets += 1
    decoded = seconds(packet.dts, stream.pointee.time_base) ?? decoded
    if packets == 1, stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO, packet.size > 0 {
      firstPacket = [UInt8](UnsafeRawBufferPointer(start: packet.data, count: Int(packet.size)))
    }
    if packet.pts != enclosure_av_no_timestamp, packet.dts != enclosure_av_no_timestamp {
      let (late, overflow) = packet.dts.subtractingReportingOverflow(packet.pts)
      if !overflow, late > lateness, isCredible(late, stream) { lateness = late }
      if late != 0 { tellsOrder = true }
    }
    if stream.pointee.codecpar.pointee.video_delay > 0 {
      isReordered = true
      if packet.pts == enclosure_av_no_timestamp { lacksPresentationTimes = true }
    }
    guard packet.flags & AV_PKT_FLAG_DISCARD == 0 else { return }
    let time = seconds(packet.pts, stream.pointee.time_base) ?? seconds(packet.dts, stream.pointee.time_base)
    if let limit, let time, time >= limit { return }
    usefulPackets = packets
    guard let time else { return }
    let length = seconds(packet.duration, stream.pointee.time_base) ?? 0
    let over = time + (length > 0 ? length : stream.framePeriod ?? 0)
    end = max(end ?? time, min(over, limit ?? over))
  }

  /// Coders reorder at most 16 pictures; more is damage.
  private func isCredible(_ late: Int64, _ stream: UnsafeMutablePointer<AVStream>) -> Bool {
    guard let late = seconds(late, stream.pointee.time_base) else { return false }
    return late <= 16 * (stream.framePeriod ?? 0.1)
  }
}
