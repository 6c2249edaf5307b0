import CFFmpeg
import Preparation
import RichPush

/// A sound that is decoded and encoded as AAC-LC.
///
/// Its samples keep their places on the presentation's timeline: gaps become silence, what overlaps is dropped. The
/// encoder's priming stands before 0, where the muxer's edit list hides it.
final class SoundTrack: TranscodeTrack {
  let coding: SoundCoding
  private let source: UnsafeMutablePointer<AVStream>
  private let output: UnsafeMutablePointer<AVStream>
  private let decoder: LibavDecoder
  private let encoder: LibavEncoder
  private let mixer: SoundMixer
  private let frame: LibavFrame
  private let packet: LibavPacket
  /// Seconds of the source that become 0; nil until the first frame of a sound without picture says so.
  private var origin: Double?
  private let isAlone: Bool
  /// Where the sound ends at the latest, in seconds of the output.
  private let end: Double?
  /// How much sound has gone into the mixer, in seconds.
  private var placed = 0.0
  /// Samples given to the encoder.
  private var encoded: Int64 = 0
  private var packets = 0
  private var frames = 0
  private var faults = 0
  private var isCut = false
  /// Seconds that were left out behind `end`.
  private var lost = 0.0
  private var heard: (channels: Int, sampleRate: Int)

  /// Players pass over a few damaged frames, as they come from a bad connection; more are heard.
  private static let tolerableShare = 0.02
  /// Encoders leave longer pauses out; a longer jump is a mistake of whoever cut the file.
  private static let longestPause = 10.0

  /// - Parameters:
  ///   - start: seconds of the source that become 0; nil for a sound without picture, which starts with itself.
  ///   - end: where the sound ends at the latest, in seconds of the output; nil for the end of the source.
  init(
    _ source: UnsafeMutablePointer<AVStream>, to writer: LibavOutput, _ coding: SoundCoding, start: Double?,
    end: Double?
  ) throws(Rejection.Reason) {
    self.source = source
    self.coding = coding
    origin = start
    isAlone = start == nil
    self.end = end
    let parameters = source.pointee.codecpar.pointee
    heard = (Int(parameters.ch_layout.nb_channels), Int(parameters.sample_rate))
    decoder = try LibavDecoder(
      parameters.codec_id, parameters: source.pointee.codecpar, at: .prepare
    ) { context in
      // Damage of what is coded without loss becomes loud noise; these coders can tell.
      guard [AV_CODEC_ID_FLAC, AV_CODEC_ID_TTA, AV_CODEC_ID_WAVPACK].contains(parameters.codec_id) else { return }
      context.pointee.err_recognition |= AV_EF_CRCCHECK | AV_EF_EXPLODE
    }
    // The decoder takes off what encoders put before the sound, and moves the times accordingly.
    decoder.context.pointee.pkt_timebase = source.pointee.time_base
    encoder = try LibavEncoder("aac", at: .prepare) { context in
      context.pointee.profile = FF_PROFILE_AAC_LOW
      context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
      context.pointee.sample_rate = Int32(coding.sampleRate)
      context.pointee.bit_rate = Int64(coding.bitRate)
      context.pointee.time_base = AVRational(num: 1, den: Int32(coding.sampleRate))
      av_channel_layout_default(&context.pointee.ch_layout, Int32(coding.channels))
    }
    output = try writer.addStream(encodedBy: encoder)
    mixer = try SoundMixer(channels: coding.channels, sampleRate: coding.sampleRate)
    frame = try LibavFrame(at: .prepare)
    packet = try LibavPacket(at: .prepare)
  }

  func start() {}

  var presentedEnd: Double? { nil }
  var isComplete: Bool { end.map { placed > $0 - 1 / Double(coding.sampleRate) } ?? false }
  var lostSeconds: Double? { lost > 0.000_5 ? lost : nil }

  func take(_ packet: UnsafeMutablePointer<AVPacket>, _ output: LibavOutput) throws(Rejection.Reason) {
    packets += 1
    if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { isCut = true }
    var status = decoder.send(packet)
    if status == enclosure_av_again {
      try takeFrames(output)
      status = decoder.send(packet)
    }
    if status < 0 { faults += 1 }
    try takeFrames(output)
  }

  func finish(_ output: LibavOutput) throws(Rejection.Reason) {
    _ = decoder.send(nil)
    try takeFrames(output)
    try requireSound()
    try mixer.flush()
    try encode(output, isLast: true)
    try check(encoder.send(nil))
    try writePackets(output)
  }

  private func takeFrames(_ output: LibavOutput) throws(Rejection.Reason) {
    while true {
      let status = decoder.receive(frame.pointer)
      if status == enclosure_av_again || status == enclosure_av_eof { return }
      guard status >= 0 else {
        guard status != enclosure_av_out_of_memory else { throw libavOutOfMemory(at: .prepare) }
        faults += 1
        guard faults < 100_000 else { return }
        continue
      }
      let decoded = frame.pointer.pointee
      if decoded.decode_error_flags != 0 || decoded.flags & AV_FRAME_FLAG_CORRUPT != 0 { faults += 1 }
      try place()
      try encode(output, isLast: false)
    }
  }

  /// Puts the decoded frame where it belongs on the timeline.
  private func place() throws(Rejection.Reason) {
    let decoded = frame.pointer.pointee
    let rate = Double(decoded.sample_rate)
    guard SoundCoding.readableRates.contains(Int(decoded.sample_rate)), decoded.nb_samples > 0,
      SoundCoding.readableChannels.contains(Int(decoded.ch_layout.nb_channels))
    else {
      faults += 1
      return
    }
    if frames == 0 { heard = (Int(decoded.ch_layout.nb_channels), Int(decoded.sample_rate)) }
    try mixer.prepare(for: frame.pointer)
    var first = 0
    var count = Int(decoded.nb_samples)
    let drift = drift(of: decoded)
    if drift > 0 {
      let pause = min(drift, max((end ?? .infinity) - placed, 0))
      let silence = Int((pause * rate).rounded())
      try mixer.addSilence(count: silence)
      placed += Double(silence) / rate
    } else if drift < 0 {
      first = Int(min((-drift * rate).rounded(), Double(count)))
      count -= first
    }
    frames += 1
    if let end {
      let kept = min(max(Int(((end - placed) * rate).rounded()), 0), count)
      lost += Double(count - kept) / rate
      count = kept
    }
    try mixer.add(frame.pointer, from: first, count: count)
    placed += Double(count) / rate
  }

  /// By how many seconds a frame comes later than what was placed before it ends; 0 where it may follow directly.
  private func drift(of decoded: AVFrame) -> Double {
    let ticks =
      decoded.best_effort_timestamp != enclosure_av_no_timestamp ? decoded.best_effort_timestamp : decoded.pts
    guard let time = seconds(ticks, source.pointee.time_base) else { return 0 }
    guard let origin else {
      origin = time
      return 0
    }
    let drift = time - origin - placed
    // Time bases of milliseconds make every frame a little early or late.
    let tolerance = frames == 0 ? 0 : isAlone ? 0.1 : 0.03
    guard abs(drift) > tolerance else { return 0 }
    guard !isAlone || (0...SoundTrack.longestPause).contains(drift) else {
      self.origin = time - placed
      return 0
    }
    return drift
  }

  /// Gives the encoder what is ready.
  private func encode(_ output: LibavOutput, isLast: Bool) throws(Rejection.Reason) {
    let size = Int(encoder.context.pointee.frame_size)
    while mixer.available >= size || (isLast && mixer.available > 0) {
      let count = min(size, mixer.available)
      try mixer.take(count, into: frame.pointer)
      frame.pointer.pointee.pts = encoded
      encoded += Int64(count)
      try check(encoder.send(frame.pointer))
      try writePackets(output)
    }
  }

  private func writePackets(_ writer: LibavOutput) throws(Rejection.Reason) {
    while true {
      let status = encoder.receive(packet.pointer)
      if status == enclosure_av_again || status == enclosure_av_eof { return }
      try check(status)
      av_packet_rescale_ts(packet.pointer, encoder.context.pointee.time_base, output.pointee.time_base)
      packet.pointer.pointee.stream_index = output.pointee.index
      try writer.write(packet.pointer)
    }
  }

  private func check(_ status: Int32) throws(Rejection.Reason) {
    guard status < 0 else { return }
    guard status != enclosure_av_out_of_memory else { throw libavOutOfMemory(at: .prepare) }
    throw Rejection.Reason(.corrupt, at: .prepare, "the sound cannot be encoded: \(libavComplaint(about: status))")
  }

  private func requireSound() throws(Rejection.Reason) {
    guard frames > 0 else {
      throw Rejection.Reason(.corrupt, at: .prepare, "nothing of the sound can be decoded")
    }
    let tolerable = max(Int(Double(packets) * SoundTrack.tolerableShare), 1)
    guard faults <= tolerable else {
      throw Rejection.Reason(
        .corrupt, at: .prepare,
        "\(faults) of \(packets) packets of the sound cannot be decoded; at most \(tolerable) may fail",
        limit: Double(tolerable), measured: Double(faults))
    }
  }

  var steps: [String] {
    var steps: [String] = []
    if heard.channels > coding.channels { steps.append("mixed \(heard.channels) channels down to \(coding.channels)") }
    if heard.sampleRate != coding.sampleRate {
      steps.append("resampled \(heard.sampleRate) Hz to \(coding.sampleRate) Hz")
    }
    steps.append("encoded \(source.codecName) as aac of \(coding.bitRate / 1000) kbit/s")
    return steps
  }

  var reductions: [String] {
    var reductions: [String] = []
    let full = SoundCoding(keepingChannels: heard.channels, sampleRate: heard.sampleRate)
    if coding.bitRate < full.bitRate {
      let mono = coding.channels < full.channels ? " in mono" : ""
      let rate = coding.sampleRate < full.sampleRate ? " at \(coding.sampleRate) Hz" : ""
      reductions.append("to fit, the sound was encoded with \(coding.bitRate / 1000) kbit/s\(mono)\(rate)")
    }
    if isCut { reductions.append("the sound breaks off in the middle, after \(rounded(placed)) s") }
    return reductions
  }
}
