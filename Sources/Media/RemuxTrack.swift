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
  /// Packets whose bytes could not be copied.
  private(set) var leftOut = 0
  /// Packets that are none of the stream's.
  private var strays = 0
  /// The end of what was left out, in seconds of the source.
  private var lostUntil: Double?

  /// Players pass over a few packets that are missing, as they are in what came over a bad connection.
  private static let tolerableShare = 0.02

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

  private var repairs: Int { clock?.repairs ?? 0 }

  /// What was done to packets besides copying them, for people.
  var mending: [String] {
    var steps: [String] = []
    if repairs > 0 { steps.append("mended \(repairs) decoding times") }
    if strays > 0 { steps.append("left out \(strays) \(strays == 1 ? "packet that is" : "packets that are") no sound") }
    if leftOut > 0 { steps.append("left out \(leftOut) damaged \(leftOut == 1 ? "packet" : "packets")") }
    return steps
  }

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
    guard !isStray(packet.pointee) else {
      strays += 1
      return
    }
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
    let tolerable = max(Int(Double(packets) * RemuxTrack.tolerableShare), 1)
    guard leftOut <= tolerable else {
      throw Rejection.Reason(
        .corrupt, at: .prepare,
        "\(leftOut) of \(packets) packets of the \(isSound ? "sound" : "picture") make no sense; at most \(tolerable)"
          + " may be left out", limit: Double(tolerable), measured: Double(leftOut))
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

  /// Whether a packet of MP3 does not begin as a frame does (ISO/IEC 11172-3, 2.4.2.3): lyrics and other tags behind the
  /// sound, which libavformat takes for some of it. They would come out as clicks, and their text to whoever looks.
  private func isStray(_ packet: AVPacket) -> Bool {
    guard source.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_MP3, let data = packet.data else { return false }
    return packet.size < 4 || data[0] != 0xFF || data[1] & 0xE0 != 0xE0
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
    if try !writer.writes(packet) { leftOut += 1 }
  }
}
