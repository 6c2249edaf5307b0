import CFFmpeg
import Preparation
import RichPush

/// Looks for a picture that stands for a whole video, and decodes as little of it as will do.
///
/// Key frames come first: each costs one packet. The first that shows something is taken. Only where there is none
/// behind the beginning, or none that shows anything, pictures are decoded one after the other, and not more of them
/// than a budget allows.
final class PosterSearch {
  /// A decoded picture.
  struct Found {
    let frame: LibavFrame
    /// When it is shown, in seconds from the start of the presentation.
    let seconds: Double
    let score: Double
  }

  /// How the picture is turned for display.
  let turn: DisplayOrientation
  private let video: MediaFile
  private var input: LibavInput
  private var stream: UnsafeMutablePointer<AVStream>
  private let decoder: LibavDecoder
  private let packet: LibavPacket
  private let duration: Double
  /// The moment that is presented first, in seconds of the container.
  private let origin: Double
  private var best: Found?
  private var seen: Set<Int64> = []
  /// Pixels that may still be decoded: about two seconds of work.
  private var budget = 500_000_000
  /// Packets that were read.
  private(set) var packets = 0
  private var hasSought = false

  /// More packets than this are not read in search of a picture.
  private static let maximumPackets = 5_000

  /// - Parameter duration: how long the video is presented, in seconds.
  init(_ video: MediaFile, duration: Double) throws(Rejection.Reason) {
    self.video = video
    (input, stream) = try PosterSearch.open(video)
    let parameters = stream.pointee.codecpar.pointee
    try requireDecodableSize((Int(parameters.width), Int(parameters.height)), at: .prepare)
    decoder = try LibavDecoder(parameters.codec_id, parameters: stream.pointee.codecpar, at: .prepare)
    decoder.context.pointee.pkt_timebase = stream.pointee.time_base
    packet = try LibavPacket(at: .prepare)
    turn = DisplayOrientation(of: stream)
    self.duration = max(duration, 0)
    // In ISO media files times count from the start of the presentation, elsewhere from anywhere.
    let start = seconds(input.context.pointee.start_time, AVRational(num: 1, den: AV_TIME_BASE))
    origin = input.isISO ? 0 : start ?? 0
  }

  private static func open(
    _ video: MediaFile
  ) throws(Rejection.Reason) -> (LibavInput, UnsafeMutablePointer<AVStream>) {
    let input = try LibavInput(video, at: .prepare)
    try input.findStreams()
    guard let index = input.pictureIndex(), let stream = input.stream(index) else {
      throw Rejection.Reason(.corrupt, at: .prepare, "the video has no picture to make a poster of")
    }
    for other in 0..<input.streamCount where other != index {
      input.stream(other)?.pointee.discard = AVDISCARD_ALL
    }
    return (input, stream)
  }

  /// Width of a pixel of this frame by its height; nil when unknown.
  func pixelAspect(of frame: LibavFrame) -> Double? {
    positive(av_guess_sample_aspect_ratio(input.context, stream, frame.pointer))
  }

  /// - Throws: `corrupt` when no picture can be decoded.
  func found() throws(Rejection.Reason) -> Found {
    try lookAtKeyFrames()
    if (best?.score ?? 0) < PosterJudgement.acceptable { try lookFromTheStart() }
    guard let best else {
      try input.check()
      throw Rejection.Reason(.corrupt, at: .prepare, "no picture of the video can be decoded for its poster")
    }
    return best
  }

  // MARK: Where to look

  /// Moments to look at, in order: past a fade-in, and not in one at the end.
  private var targets: [Double] {
    [min(max(duration / 6, 2), duration / 3), duration / 3, duration / 2, duration * 2 / 3, duration * 5 / 6]
  }

  /// What is shown before this belongs to the beginning, which is often black.
  private var lead: Double { min(1, duration / 6) }

  private func lookAtKeyFrames() throws(Rejection.Reason) {
    for timestamp in keyFrameTimestamps() {
      hasSought = true
      guard hasBudget, av_seek_frame(input.context, stream.pointee.index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0 else {
        continue
      }
      avcodec_flush_buffers(decoder.context)
      guard readKeyFrame(), let time = time(of: packet.pointer.pointee.pts), time >= lead, time < duration,
        seen.insert(packet.pointer.pointee.pts).inserted
      else { continue }
      // Told that nothing follows, the decoder gives the picture at once.
      if decoder.send(packet.pointer) >= 0, decoder.send(nil) >= 0, let frame = try receive() { consider(frame) }
      if isGood { return }
    }
  }

  /// The key frames nearest to the targets, by the container's index; the targets themselves where it has none.
  private func keyFrameTimestamps() -> [Int64] {
    let base = stream.pointee.time_base
    let count = avformat_index_get_entries_count(stream)
    var keys: [Int64] = []
    for index in 0..<count {
      guard let entry = avformat_index_get_entry(stream, index)?.pointee,
        entry.flags & AVINDEX_KEYFRAME != 0, entry.flags & AVINDEX_DISCARD_FRAME == 0,
        let time = seconds(entry.timestamp, base).map({ $0 - origin }), time >= lead, time < duration
      else { continue }
      keys.append(entry.timestamp)
    }
    let wanted = targets.compactMap { ticks($0 + origin) }
    // Some containers index only what they have read so far.
    guard count > 1 || input.isISO else { return wanted }
    var chosen: [Int64] = []
    for target in wanted {
      guard let nearest = keys.min(by: { $0.distance(to: target).magnitude < $1.distance(to: target).magnitude }),
        !chosen.contains(nearest)
      else { continue }
      chosen.append(nearest)
    }
    // An index counts times of decoding, a seek those of presentation, which are later.
    let reordering = Double(max(stream.pointee.codecpar.pointee.video_delay, 0) + 1) * (stream.framePeriod ?? 0)
    let lateness = ticks(reordering) ?? 0
    return chosen.map { $0.addingReportingOverflow(lateness).partialValue }
  }

  /// Decodes from the first key frame on.
  private func lookFromTheStart() throws(Rejection.Reason) {
    // Not every container leads back to its first packet.
    if hasSought { (input, stream) = try PosterSearch.open(video) }
    avcodec_flush_buffers(decoder.context)
    decoder.context.pointee.skip_frame = AVDISCARD_NONREF
    defer { decoder.context.pointee.skip_frame = AVDISCARD_DEFAULT }
    var left = targets[...]
    var last: LibavFrame?
    guard readKeyFrame() else { return }
    var hasPacket = true
    while hasBudget {
      let status = decoder.send(hasPacket ? packet.pointer : nil)
      if status == enclosure_av_eof { break }
      while let frame = try receive() {
        last = frame
        guard let time = time(of: frame.pointer.pointee.best_effort_timestamp), let target = left.first, time >= target
        else { continue }
        consider(frame)
        if isGood { return }
        left = left.drop { $0 <= time }
      }
      guard hasPacket else { break }
      hasPacket = readPacket()
    }
    if let last, best == nil || !left.isEmpty { consider(last) }
  }

  private var isGood: Bool { (best?.score ?? 0) >= PosterJudgement.good }
  private var hasBudget: Bool { budget > 0 && packets < PosterSearch.maximumPackets }

  // MARK: Packets and pictures

  /// Reads the stream's next packet.
  private func readPacket() -> Bool {
    while packets < PosterSearch.maximumPackets {
      packets += 1
      let status = input.read(into: packet.pointer)
      if status == enclosure_av_again { continue }
      guard status >= 0 else { return false }
      if packet.pointer.pointee.stream_index == stream.pointee.index { return true }
    }
    return false
  }

  /// Reads up to the stream's next key frame.
  private func readKeyFrame() -> Bool {
    // Some containers mark none.
    for _ in 0..<600 {
      guard readPacket() else { return false }
      if packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 { return true }
    }
    return true
  }

  /// Takes the decoder's next whole picture that is shown.
  private func receive() throws(Rejection.Reason) -> LibavFrame? {
    // Each is kept for itself: the best one so far may be any.
    let frame = try LibavFrame(at: .prepare)
    for _ in 0..<64 {
      guard decoder.receive(frame.pointer) >= 0 else { return nil }
      let picture = frame.pointer.pointee
      budget -= max(Int(picture.width) * Int(picture.height), 1)
      guard picture.decode_error_flags == 0, picture.flags & AV_FRAME_FLAG_CORRUPT == 0 else { continue }
      return frame
    }
    return nil
  }

  private func consider(_ frame: LibavFrame) {
    guard let time = time(of: frame.pointer.pointee.best_effort_timestamp), time >= -0.5 else { return }
    let score = PosterJudgement(frame.pointer)?.score ?? PosterJudgement.acceptable
    guard best.map({ score > $0.score }) ?? true else { return }
    best = Found(frame: frame, seconds: within(time), score: score)
  }

  /// A moment at which a picture that starts at `time` is shown, in whole milliseconds where that can be.
  private func within(_ time: Double) -> Double {
    let rounded = (max(time, 0) * 1000 - 1e-6).rounded(.up) / 1000
    return rounded < duration ? rounded : min(max(time, 0), duration * 0.999)
  }

  private func time(of timestamp: Int64) -> Double? {
    seconds(timestamp, stream.pointee.time_base).map { $0 - origin }
  }

  private func ticks(_ seconds: Double) -> Int64? {
    let base = stream.pointee.time_base
    guard base.num > 0, base.den > 0 else { return nil }
    return Int64(exactly: (seconds * Double(base.den) / Double(base.num)).rounded())
  }
}
