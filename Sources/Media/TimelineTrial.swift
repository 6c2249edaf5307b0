import CFFmpeg
import RichPush

/// Decodes one stream of a prepared file to its end and counts what goes wrong.
final class TimelineTrial {
  private let stream: UnsafeMutablePointer<AVStream>
  private let decoder: LibavDecoder
  private let frame: LibavFrame
  private let isPicture: Bool
  private(set) var span = PresentedSpan()
  private var packets = 0
  private var frames = 0
  private var faults = 0

  /// Players pass over a few damaged frames, as they come from a bad connection; more are seen and heard.
  private static let tolerableShare = 0.02

  init(of stream: UnsafeMutablePointer<AVStream>) throws(Rejection.Reason) {
    self.stream = stream
    let parameters = stream.pointee.codecpar.pointee
    isPicture = parameters.codec_type == AVMEDIA_TYPE_VIDEO
    decoder = try LibavDecoder(parameters.codec_id, parameters: stream.pointee.codecpar, at: .verify) { context in
      // What only makes the picture prettier proves nothing and costs a third of the time.
      context.pointee.skip_loop_filter = AVDISCARD_ALL
      context.pointee.flags2 |= AV_CODEC_FLAG2_FAST
      // Damage is to be seen, not to be covered up.
      context.pointee.error_concealment = 0
      context.pointee.err_recognition |= AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER
    }
    decoder.context.pointee.pkt_timebase = stream.pointee.time_base
    frame = try LibavFrame(at: .verify)
  }

  func add(_ packet: UnsafeMutablePointer<AVPacket>) throws(Rejection.Reason) {
    let isHidden = packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0
    span.add(packet.pointee, timeBase: stream.pointee.time_base, framePeriod: isPicture ? stream.framePeriod : nil)
    if !isHidden { packets += 1 }
    if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { faults += 1 }
    var status = decoder.send(packet)
    if status == enclosure_av_again {
      try takeFrames()
      status = decoder.send(packet)
    }
    if status < 0 {
      faults += 1
      guard !isPicture || frames > 0 || packets > 1 || isHidden else {
        throw damaged("the first picture cannot be decoded: \(libavComplaint(about: status))")
      }
    }
    try takeFrames()
  }

  func finish() throws(Rejection.Reason) {
    _ = decoder.send(nil)
    try takeFrames()
    let name = isPicture ? "picture" : "sound"
    guard packets > 0, frames > 0 else { throw damaged("nothing of the \(name) can be decoded") }
    // A fault may swallow a frame, or damage it: each counts once.
    let lost = isPicture ? max(packets - frames, 0) : 0
    let bad = max(faults, lost)
    let tolerable = max(Int(Double(packets) * TimelineTrial.tolerableShare), 1)
    guard bad <= tolerable else {
      throw Rejection.Reason(
        .corrupt, at: .verify,
        "\(bad) of \(packets) packets of the \(name) cannot be decoded; at most \(tolerable) may fail",
        limit: Double(tolerable), measured: Double(bad))
    }
  }

  private func takeFrames() throws(Rejection.Reason) {
    while true {
      let status = decoder.receive(frame.pointer)
      if status == enclosure_av_again || status == enclosure_av_eof { return }
      guard status >= 0 else {
        faults += 1
        guard faults < 100_000 else { return }
        continue
      }
      frames += 1
      let picture = frame.pointer.pointee
      if picture.decode_error_flags != 0 || picture.flags & AV_FRAME_FLAG_CORRUPT != 0 {
        faults += 1
        guard frames > 1 || !isPicture else { throw damaged("the first picture is damaged") }
      }
      try requireSize(of: picture)
    }
  }

  private func requireSize(of picture: AVFrame) throws(Rejection.Reason) {
    let parameters = stream.pointee.codecpar.pointee
    guard isPicture, picture.width != parameters.width || picture.height != parameters.height else { return }
    throw Rejection.Reason(
      .unsupportedCodec, at: .verify,
      "the picture changes its size from \(parameters.width)x\(parameters.height) to "
        + "\(picture.width)x\(picture.height) on its way, which would have to be encoded anew")
  }
}
