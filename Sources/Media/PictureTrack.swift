import CFFmpeg
import Preparation
import RichPush

/// The pictures of a video on their way from decoder to encoder, one at a time.
final class PictureTrack: TranscodeTrack {
  private let source: UnsafeMutablePointer<AVStream>
  private let stream: UnsafeMutablePointer<AVStream>
  private let encoding: PictureEncoding
  private let rung: PictureEncoding.Rung
  private let isReduced: Bool
  private let filters: PictureFilters
  private let decoder: LibavDecoder
  private let encoder: LibavEncoder
  private let decoded: LibavFrame
  private let filtered: LibavFrame
  private let packet: LibavPacket
  private var graph: LibavFilterGraph?
  /// The kind of frames that the graph takes.
  private var graphInput: FrameKind?
  private var times: PictureTimes
  /// Of all times behind the decoder.
  private let base: AVRational
  /// The moment of the source that becomes 0, in ticks of the source.
  private let origin: Int64
  private var packets = 0
  private var faults = 0
  private var shown = 0
  private var encoded = 0
  private var isDeinterlaced = false

  /// What a filter graph is made for.
  private struct FrameKind: Equatable {
    var width: Int32
    var height: Int32
    var format: Int32

    init(_ frame: AVFrame) {
      (width, height, format) = (frame.width, frame.height, frame.format)
    }
  }

  /// Players pass over a few damaged pictures; more are seen.
  private static let tolerableShare = 0.02

  /// - Parameters:
  ///   - source: of the source.
  ///   - output: where a stream is added.
  ///   - start: the moment of the source that becomes 0, in microseconds.
  ///   - end: where the presentation ends, in seconds of the output; nil for the end of the source.
  init(
    _ source: UnsafeMutablePointer<AVStream>, to output: LibavOutput, _ encoding: PictureEncoding, attempt: Int,
    start: Int64, end: Double?
  ) throws(Rejection.Reason) {
    guard let rung = encoding.rung(attempt) else {
      throw Rejection.Reason(.unsupportedCodec, at: .prepare, "the recipe does not say how to encode the picture")
    }
    self.source = source
    self.encoding = encoding
    self.rung = rung
    isReduced = rung != encoding.rungs[0]
    let parameters = source.pointee.codecpar.pointee
    filters = PictureFilters(
      encoding: encoding, rung: rung, colour: PictureColour(of: parameters, toneMaps: encoding.toneMaps))
    let sourceBase = source.pointee.time_base
    // Finer than encoder and muxer can count is finer than anybody can see.
    let base = sourceBase.den > 1_000_000 ? AVRational(num: 1, den: 90_000) : sourceBase
    self.base = base
    decoder = try LibavDecoder(parameters.codec_id, parameters: source.pointee.codecpar, at: .prepare) { context in
      context.pointee.pkt_timebase = sourceBase
    }
    encoder = try PictureTrack.encoder(rung, filters.colour, source, base)
    stream = try output.addStream(encodedBy: encoder)
    decoded = try LibavFrame(at: .prepare)
    filtered = try LibavFrame(at: .prepare)
    packet = try LibavPacket(at: .prepare)
    origin = av_rescale_q(start, AVRational(num: 1, den: AV_TIME_BASE), sourceBase)
    // A little less than the rate says: times are rounded.
    let ticks = { (seconds: Double) in Int64((seconds / Double(base.num) * Double(base.den)).rounded()) }
    times = PictureTimes(
      distance: ticks(0.9 / rung.maximumFrameRate), period: ticks(source.framePeriod ?? 0.04),
      limit: end.map(ticks))
  }

  func start() {}

  func take(_ packet: UnsafeMutablePointer<AVPacket>, _ output: LibavOutput) throws(Rejection.Reason) {
    if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { faults += 1 }
    packets += 1
    var status = decoder.send(packet)
    if status == enclosure_av_again {
      try takeDecoded(output)
      status = decoder.send(packet)
    }
    if status < 0, status != enclosure_av_eof { try note(status) }
    try takeDecoded(output)
  }

  func finish(_ output: LibavOutput) throws(Rejection.Reason) {
    _ = decoder.send(nil)
    try takeDecoded(output)
    try flushGraph(output)
    guard encoded > 0 else { throw damaged("nothing of the picture can be decoded") }
    let tolerable = max(Int(Double(packets) * PictureTrack.tolerableShare), 1)
    guard faults <= tolerable else {
      throw Rejection.Reason(
        .corrupt, at: .prepare,
        "\(faults) of \(packets) packets of the picture cannot be decoded; at most \(tolerable) may fail",
        limit: Double(tolerable), measured: Double(faults))
    }
    try require(encoder.send(nil))
    try takeEncoded(output)
  }

  /// The muxer counts times of decoding, which end elsewhere when pictures are not equally long.
  var presentedEnd: Double? { seconds(times.presentedEnd, base) }
  var isComplete: Bool { times.areOver }
  var lostSeconds: Double? { nil }

  var steps: [String] {
    var steps = ["decoded \(source.codecName)"]
    if isDeinterlaced { steps.append("deinterlaced") }
    if shown > encoded { steps.append("kept \(encoded) of \(shown) pictures") }
    let isTurned = encoding.rotation % 180 == 90
    let parameters = source.pointee.codecpar.pointee
    let before = isTurned ? (parameters.height, parameters.width) : (parameters.width, parameters.height)
    if before != (Int32(rung.width), Int32(rung.height)) {
      steps.append("resized \(before.0)x\(before.1) to \(rung.width)x\(rung.height)")
    }
    switch filters.colour.treatment {
    case .toneMap: steps.append("tone-mapped to BT.709")
    case .narrow: steps.append("converted colours to BT.709")
    case .keep: break
    }
    if encoding.rotation != 0 { steps.append("rotated \(encoding.rotation)") }
    if encoding.isMirrored { steps.append("mirrored") }
    let rate = rounded(Double(rung.maximumBitRate) / 1e6)
    steps.append("encoded h264 crf \(rung.rateFactor), at most \(rate) Mbit/s")
    return steps
  }

  var reductions: [String] {
    guard isReduced else { return [] }
    let first = encoding.rungs[0]
    return [
      "reduced from \(first.width)x\(first.height) at quality \(first.rateFactor) to \(rung.width)x\(rung.height) at"
        + " \(rung.rateFactor) to fit the limit"
    ]
  }

  private func takeDecoded(_ output: LibavOutput) throws(Rejection.Reason) {
    while true {
      let status = decoder.receive(decoded.pointer)
      if status == enclosure_av_again || status == enclosure_av_eof { return }
      guard status >= 0 else {
        try note(status)
        continue
      }
      let frame = decoded.pointer.pointee
      if frame.decode_error_flags != 0 || frame.flags & AV_FRAME_FLAG_CORRUPT != 0 { try note(0) }
      let best = frame.best_effort_timestamp
      let time = best == enclosure_av_no_timestamp ? nil : moved(best)
      let duration = av_rescale_q(max(frame.pkt_duration, 0), source.pointee.time_base, base)
      shown += 1
      if let time = times.add(time, duration: duration) {
        decoded.pointer.pointee.pts = time
        try filter(output)
      }
      av_frame_unref(decoded.pointer)
    }
  }

  private func moved(_ time: Int64) -> Int64? {
    let (difference, overflow) = time.subtractingReportingOverflow(origin)
    return overflow ? nil : av_rescale_q(difference, source.pointee.time_base, base)
  }

  /// - Parameter status: the error code; 0 when a frame came that says it is damaged.
  private func note(_ status: Int32) throws(Rejection.Reason) {
    guard status != enclosure_av_out_of_memory else { throw libavOutOfMemory(at: .prepare) }
    faults += 1
    guard faults < 10_000 else { throw damaged("the picture cannot be decoded: \(libavComplaint(about: status))") }
  }

  private func damaged(_ what: String) -> Rejection.Reason {
    Rejection.Reason(.corrupt, at: .prepare, what)
  }

  private func require(_ status: Int32) throws(Rejection.Reason) {
    guard status < 0, status != enclosure_av_eof else { return }
    guard status != enclosure_av_out_of_memory else { throw libavOutOfMemory(at: .prepare) }
    throw damaged("the pictures could not be encoded: \(libavComplaint(about: status))")
  }

  private func filter(_ output: LibavOutput) throws(Rejection.Reason) {
    let kind = FrameKind(decoded.pointer.pointee)
    if kind != graphInput {
      try flushGraph(output)
      isDeinterlaced = encoding.deinterlaces || decoded.pointer.pointee.interlaced_frame != 0
      let description = filters.description(for: decoded.pointer.pointee)
      graph = try LibavFilterGraph(description, like: decoded.pointer.pointee, timeBase: base)
      graphInput = kind
    }
    guard let graph else { return }
    try require(graph.send(decoded.pointer))
    try takeFiltered(graph, output)
  }

  private func flushGraph(_ output: LibavOutput) throws(Rejection.Reason) {
    guard let graph else { return }
    try require(graph.send(nil))
    try takeFiltered(graph, output)
    self.graph = nil
  }

  private func takeFiltered(_ graph: LibavFilterGraph, _ output: LibavOutput) throws(Rejection.Reason) {
    while true {
      let status = graph.receive(filtered.pointer)
      if status == enclosure_av_again || status == enclosure_av_eof { return }
      try require(status)
      let time = av_rescale_q(filtered.pointer.pointee.pts, graph.timeBase, base)
      times.note(time)
      filtered.pointer.pointee.pts = time
      // The encoder decides by itself which pictures stand alone.
      filtered.pointer.pointee.pict_type = AV_PICTURE_TYPE_NONE
      try require(encoder.send(filtered.pointer))
      encoded += 1
      av_frame_unref(filtered.pointer)
      try takeEncoded(output)
    }
  }

  private func takeEncoded(_ output: LibavOutput) throws(Rejection.Reason) {
    while true {
      let status = encoder.receive(packet.pointer)
      if status == enclosure_av_again || status == enclosure_av_eof { return }
      try require(status)
      packet.pointer.pointee.duration = times.duration(of: packet.pointer.pointee.pts)
      times.forget(before: packet.pointer.pointee.dts)
      av_packet_rescale_ts(packet.pointer, encoder.context.pointee.time_base, stream.pointee.time_base)
      packet.pointer.pointee.stream_index = stream.pointee.index
      try output.write(packet.pointer)
    }
  }
}

extension PictureTrack {
  /// Pixels of a picture from which on a helper's memory has to be spared.
  private static let hugePixels = 4_000_000

  private static func encoder(
    _ rung: PictureEncoding.Rung, _ colour: PictureColour, _ source: UnsafeMutablePointer<AVStream>,
    _ base: AVRational
  ) throws(Rejection.Reason) -> LibavEncoder {
    let parameters = source.pointee.codecpar.pointee
    // Beside a decoder's 4K pictures little memory is left for those that the encoder looks ahead to.
    let isHuge = Int(parameters.width) * Int(parameters.height) > hugePixels
    var options = [
      "preset": "veryfast", "profile": "high", "crf": "\(rung.rateFactor)",
      // Closed captions would be data beside picture and sound.
      "a53cc": "0",
    ]
    if isHuge { options["rc-lookahead"] = "4" }
    let rate = 1 / max(source.framePeriod ?? 0.04, 1 / rung.maximumFrameRate)
    let chroma = parameters.chroma_location
    return try LibavEncoder("libx264", options: options, at: .prepare) { context in
      context.pointee.width = Int32(rung.width)
      context.pointee.height = Int32(rung.height)
      context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
      context.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
      context.pointee.time_base = base
      context.pointee.framerate = av_d2q(rate, 1_001_000)
      // What every iPhone that runs a supported system decodes.
      context.pointee.level = 40
      context.pointee.rc_max_rate = Int64(rung.maximumBitRate)
      context.pointee.rc_buffer_size = Int32(rung.maximumBitRate)
      // An MP4 counts times of decoding: in another order than that of showing, unequal ones end elsewhere.
      if isHuge || !source.isSteady { context.pointee.max_b_frames = 0 }
      context.pointee.colorspace = colour.outputMatrix
      context.pointee.color_primaries = colour.outputPrimaries
      context.pointee.color_trc = colour.outputTransfer
      context.pointee.color_range = AVCOL_RANGE_MPEG
      context.pointee.chroma_sample_location = chroma
    }
  }
}

extension UnsafeMutablePointer<AVStream> {
  /// Whether all pictures are surely shown equally long: the average rate is that of the shortest step, or half of it,
  /// which is then that of fields. What containers that count milliseconds (Matroska, FLV, ASF) call a rate is none.
  fileprivate var isSteady: Bool {
    guard pointee.time_base.den != 1000, let average = positive(pointee.avg_frame_rate),
      let finest = positive(pointee.r_frame_rate)
    else { return false }
    return abs(finest / average - 1) < 0.1 || abs(finest / average - 2) < 0.1
  }
}
