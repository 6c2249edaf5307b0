import CFFmpeg
import Preparation
import RichPush

/// How long a stream is presented, by its header and, where that does not settle it, by its packets.
/// - Parameters:
///   - index: the stream that is meant.
///   - sound: the stream that is kept with it.
///   - measure: what reading the packets showed; nil when they need not be read.
/// - Throws: `corrupt` when the stream has no packets, `truncated` when they end long before the header says.
func duration(
  of index: Int, beside sound: Int?, in input: LibavInput, _ source: MediaFile, _ measure: TimelineMeasure?
) throws(Rejection.Reason) -> MediaDuration {
  // Bare streams of pictures say nothing about time: libavformat counts 25 a second.
  guard !input.isBarePicture else { return MediaDuration() }
  let header = input.headerDuration(of: index)
  guard let measure else {
    let start = presentationStart(
      picture: input.startTime(of: index), sound: sound.flatMap { input.startTime(of: $0) }, isISO: input.isISO)
    return MediaDuration(header: header?.seconds, start: start)
  }
  let boxes = input.isISO ? Box.boxes(in: source) : []
  let isFragmented = boxes.contains { $0.type == "moof" }
  guard let span = measure.spans[index], span.count > 0, let length = span.length else {
    throw Rejection.Reason(.corrupt, at: input.stage, "the file's header has no picture or sound to go with it")
  }
  if measure.isComplete {
    try requireWhole(measure, header: isFragmented ? nil : header?.seconds, boxes: boxes, input, source)
  }
  let isPicture = input.stream(index)?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
  // The sound may start first: then the picture is awaited, and that time counts.
  let start = presentationStart(
    picture: isPicture ? span.start : nil,
    sound: isPicture ? sound.flatMap { measure.spans[$0]?.start } : span.start, isISO: input.isISO)
  let awaited = max((span.start ?? 0) - start, 0)
  var packets = length + awaited
  guard let header else { return MediaDuration(packets: packets, start: start) }
  if isFragmented, measure.isComplete, header.seconds > packets * 2 {
    return MediaDuration(packets: packets, start: start)
  }
  if !measure.isComplete {
    packets = max(packets, header.seconds)
  } else if input.isISO, abs(packets - header.seconds) <= input.stream(index)?.framePeriod ?? 0 {
    // How long the last picture is shown stands in the sample table and the edit list only.
    packets = header.seconds
  }
  return MediaDuration(header: header.seconds, packets: packets, start: start)
}

/// The moment of the source that becomes 0, in seconds: where the first of the kept streams starts.
///
/// Encoders of sound need up to a tenth of a second to get going, and containers without edit lists start with that.
/// So much sound before the first picture is left out: a phone shows the first picture at once, and the whole lasts as
/// long as the picture does.
/// - Parameters:
///   - picture: when the picture starts, nil when there is none.
///   - sound: when the sound starts, nil when there is none.
///   - isISO: whether what lies before 0 is hidden by an edit list.
func presentationStart(picture: Double?, sound: Double?, isISO: Bool) -> Double {
  var start = min(picture ?? .infinity, sound ?? .infinity)
  guard start.isFinite else { return 0 }
  if isISO || picture == nil { start = max(start, 0) }
  if let picture, picture - start <= 0.1 { return isISO ? max(picture, 0) : picture }
  return start
}

/// Refuses a file whose packets end long before its header says.
private func requireWhole(
  _ measure: TimelineMeasure, header: Double?, boxes: [Box], _ input: LibavInput, _ source: MediaFile
) throws(Rejection.Reason) {
  let end = measure.end ?? 0
  let ending = TimelineEnding(of: source, input)
  let isCut =
    boxes.contains { ["mdat", "moof", "moov"].contains($0.type) && $0.end > source.bytes }
    || (ending == .cut && header != nil)
  if isCut || measure.hasCutPacket, end < (header ?? .infinity) - 0.05 {
    let promised = header.map { " of \(rounded($0)) s" } ?? ""
    throw Rejection.Reason(
      .truncated, at: input.stage, "the file breaks off after \(rounded(end)) s\(promised)")
  }
  guard let header, header.isFinite, ending != .whole, ending != .streamed, input.keepsItsWord, end < header * 0.9 - 0.5
  else { return }
  throw Rejection.Reason(
    .truncated, at: input.stage, "the file breaks off after \(rounded(end)) s of \(rounded(header)) s")
}

extension LibavInput {
  /// When a stream starts by its header, in seconds; nil where the header does not say.
  fileprivate func startTime(of index: Int) -> Double? {
    stream(index).flatMap { seconds($0.pointee.start_time, $0.pointee.time_base) }
  }

  var isISO: Bool { formatName == "mov,mp4,m4a,3gp,3g2,mj2" }

  /// Whether the file is a stream of pictures without a container, so that nothing tells when each is shown. MPEG-1 and
  /// MPEG-2 need no container for that: their sequence header has the frame rate (ISO/IEC 13818-2, 6.3.3).
  var isBarePicture: Bool { ["h264", "hevc", "m4v", "vc1", "obu", "av1"].contains(formatName) }

  /// Whether the header shows that a stream lasts longer than is of interest, so that its packets need not be read.
  ///
  /// Only ISO base media files are believed, so that no film has to be read: libavformat takes what the header claims
  /// down to what the sample tables hold. What is claimed of fragments may be an offset, and what others claim is
  /// written on faith.
  func isKnownLonger(than seconds: Double, stream index: Int, _ source: MediaFile) -> Bool {
    guard isISO, let header = headerDuration(of: index), header.isOfStream, header.seconds > seconds else {
      return false
    }
    return !Box.boxes(in: source).contains { $0.type == "moof" }
  }

  /// Whether what libavformat calls a stream's duration is that: of ASF it hands every stream the longest one's.
  var hasDurationsOfStreams: Bool { formatName != "asf" }

  /// Whether a duration in the header was written when the file was finished: others are guesses or promises.
  fileprivate var keepsItsWord: Bool {
    let hasGuesses = (0..<streamCount).contains { index in
      guard let stream = stream(index) else { return false }
      return ["mp3", "aac"].contains(stream.codecName) && streamCount == 1 && !isISO
    }
    return !hasGuesses
      && ["matroska,webm", "avi", "flv", "asf", "wav", "aiff", "flac", "caf", "mov,mp4,m4a,3gp,3g2,mj2"]
        .contains(formatName)
  }

  /// What the header says of a stream, in seconds.
  /// - Returns: nil when it says nothing, or libavformat only guessed by the bit rate.
  fileprivate func headerDuration(of index: Int) -> (seconds: Double, isOfStream: Bool)? {
    guard let stream = stream(index), context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE else {
      return nil
    }
    if let duration = seconds(stream.pointee.duration, stream.pointee.time_base), duration > 0, duration.isFinite {
      return (duration, hasDurationsOfStreams || streamCount == 1)
    }
    let microseconds = AVRational(num: 1, den: AV_TIME_BASE)
    guard let duration = seconds(context.pointee.duration, microseconds), duration > 0 else { return nil }
    return (duration, streamCount == 1)
  }
}
