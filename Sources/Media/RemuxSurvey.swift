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
  private var packets = 0
  /// The time of decoding of the last packet, in seconds of the source.
  private var decoded: Double?

  /// Reads all packets of the kept streams.
  /// - Parameter limit: what is presented from so many seconds of the presentation on counts for nothing.
  static func survey(
    _ source: MediaFile, kept: [Int], limit: Double? = nil
  ) throws(Rejection.Reason) -> [Int: RemuxSurvey] {
    let input = try LibavInput(source, at: .prepare)
    try input.findStreams()
    let end = limit.map { $0 + Double(input.presentationStart(of: kept)) / 1e6 }
    for index in 0..<input.streamCount where !kept.contains(index) {
      input.stream(index)?.pointee.discard = AVDISCARD_ALL
    }
    var surveys: [Int: RemuxSurvey] = [:]
    let packet = try LibavPacket(at: .prepare)
    while true {
      let status = input.read(into: packet.pointer)
      if status == enclosure_av_again { continue }
      guard status >= 0 else { break }
      let index = Int(packet.pointer.pointee.stream_index)
      guard let stream = input.stream(index) else { continue }
      surveys[index, default: RemuxSurvey()].add(packet.pointer.pointee, stream, before: end)
      if let end, kept.allSatisfy({ surveys[$0]?.isPast(end) ?? false }) { break }
    }
    try input.check()
    return surveys
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
    }
    guard packet.flags & AV_PKT_FLAG_DISCARD == 0 else { return }
    let time = seconds(packet.pts, stream.pointee.time_base)
    if let limit, let shown = time ?? decoded, shown >= limit { return }
    usefulPackets = packets
    guard let time else { return }
    let length = seconds(packet.duration, stream.pointee.time_base) ?? 0
    let over = time + (length > 0 ? length : stream.framePeriod ?? 0)
    end = max(end ?? 0, min(over, limit ?? over))
  }

  /// Coders reorder at most 16 pictures; more is damage.
  private func isCredible(_ late: Int64, _ stream: UnsafeMutablePointer<AVStream>) -> Bool {
    guard let late = seconds(late, stream.pointee.time_base) else { return false }
    return late <= 16 * (stream.framePeriod ?? 0.1)
  }
}
