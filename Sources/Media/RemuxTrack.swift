import CFFmpeg
import RichPush

/// One stream on its way into the output.
final class RemuxTrack {
  private let source: UnsafeMutablePointer<AVStream>
  private let output: UnsafeMutablePointer<AVStream>
  private let start: Int64
  private let survey: RemuxSurvey
  private let parameterSets: RemuxParameterSets?
  private let isSound: Bool
  private let mayBreakOff: Bool
  /// Packets presented from here on are left out, in seconds of the source.
  private let end: Double?
  private var clock: RemuxClock?
  /// Packets that an edit list hides, which later ones may need to be decoded.
  private var hidden: [UnsafeMutablePointer<AVPacket>] = []
  private var hasPresented = false
  private var pieces = EditPieces()
  private var packets = 0
  /// The end of what was left out, in seconds of the source.
  private var lostUntil: Double?

  init(
    source: UnsafeMutablePointer<AVStream>, output: UnsafeMutablePointer<AVStream>, start: Int64,
    survey: RemuxSurvey, parameterSets: RemuxParameterSets?, end: Double?, mayBreakOff: Bool
  ) {
    self.mayBreakOff = mayBreakOff
    self.survey = survey
    self.source = source
    self.output = output
    self.start = start
    self.parameterSets = parameterSets
    self.end = end
    isSound = source.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
  }

  deinit {
    dropHidden()
  }

  /// The muxer settles the output's time base when it writes its header.
  func startClock() {
    clock = RemuxClock(from: source.pointee, to: output.pointee, start: start, lateness: survey.lateness)
  }

  /// When the last of the stream is presented, in seconds of the output.
  var presentedEnd: Double? { survey.end.map { $0 - Double(start) / 1e6 } }

  /// Whether all that is presented was taken.
  var isComplete: Bool { packets >= survey.usefulPackets }

  var repairs: Int { clock?.repairs ?? 0 }

  /// Seconds of sound that were left out; nil when none were.
  var lostSeconds: Double? {
    guard let end, let lostUntil, lostUntil > end else { return nil }
    return lostUntil - end
  }

  /// Writes a packet, or keeps it until it is known whether it is needed.
  func take(_ packet: UnsafeMutablePointer<AVPacket>, _ output: LibavOutput) throws(Rejection.Reason) {
    if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0, !mayBreakOff {
      throw Rejection.Reason(.truncated, at: .prepare, "the file ends in the middle of a packet")
    }
    if let times = survey.presentationTimes, times.indices.contains(packets) { packet.pointee.pts = times[packets] }
    packets += 1
    // Behind the last packet that is presented nothing is needed any more.
    guard packets <= survey.usefulPackets, !isLeftOut(packet.pointee) else { return }
    let unneeded = pieces.take(packet.pointee)
    if packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0 {
      try hide(packet)
      return
    }
    // Sound needs no hidden packets in between.
    let needed = isSound && hasPresented ? [] : hidden.dropFirst(isSound ? 0 : unneeded)
    for earlier in needed { try write(earlier, output) }
    dropHidden()
    hasPresented = true
    try write(packet, output)
  }

  func requirePackets() throws(Rejection.Reason) {
    guard hasPresented else {
      throw Rejection.Reason(
        .corrupt, at: .prepare, isSound ? "the sound has no packets" : "the picture has no packets")
    }
    guard isSound || pieces.areOne else {
      throw Rejection.Reason(
        .unsupportedCodec, at: .prepare,
        "the edit list shows several pieces of the picture, which would have to be encoded anew")
    }
  }

  private func isLeftOut(_ packet: AVPacket) -> Bool {
    guard let end, let time = seconds(packet.pts, source.pointee.time_base), time >= end else { return false }
    let length = max(seconds(packet.duration, source.pointee.time_base) ?? 0, 0)
    lostUntil = max(lostUntil ?? 0, time + length)
    return true
  }

  private func hide(_ packet: UnsafeMutablePointer<AVPacket>) throws(Rejection.Reason) {
    // Sound needs one packet to get going; pictures need all back to the last key frame.
    if isSound, !hasPresented || !hidden.isEmpty { dropHidden() }
    guard hidden.count < 100_000, let copy = av_packet_clone(packet) else { throw libavOutOfMemory(at: .prepare) }
    hidden.append(copy)
  }

  private func dropHidden() {
    for packet in hidden {
      var packet: UnsafeMutablePointer<AVPacket>? = packet
      av_packet_free(&packet)
    }
    hidden = []
  }

  private func write(
    _ packet: UnsafeMutablePointer<AVPacket>, _ writer: LibavOutput
  ) throws(Rejection.Reason) {
    try parameterSets?.clean(packet)
    guard clock?.move(packet) == true else {
      throw Rejection.Reason(
        .unsupportedCodec, at: .prepare,
        "the container does not say when each picture is shown, so that the video would have to be encoded anew")
    }
    packet.pointee.stream_index = output.pointee.index
    packet.pointee.flags &= ~AV_PKT_FLAG_DISCARD
    try writer.write(packet)
  }
}
