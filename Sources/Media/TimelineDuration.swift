import CFFmpeg
import Preparation
import RichPush

/// How long a stream is presented, by its header and, where that does not settle it, by its packets.
/// - Parameter sound: the stream that is kept with it.
/// - Throws: `corrupt` when the stream has no packets, `truncated` when they end long before the header says.
func duration(
  of index: Int, beside sound: Int?, in input: LibavInput, _ source: MediaFile, _ request: InspectRequest
) throws(Rejection.Reason) -> MediaDuration {
  let header = input.headerDuration(of: index)
  let boxes = input.isISO ? Box.boxes(in: source) : []
  let isFragmented = boxes.contains { $0.type == "moof" }
  // A film's header is believed, so that no film has to be read. What it claims of fragments may be an offset.
  if let header, header.isOfStream, header.seconds > request.enoughSeconds, !isFragmented {
    return MediaDuration(header: header.seconds)
  }
  let measure = try TimelineMeasure(input, stream: index, limit: request.enoughSeconds * 2)
  guard let span = measure.spans[index], span.count > 0, let length = span.length else {
    throw Rejection.Reason(.corrupt, at: input.stage, "the file's header has no picture or sound to go with it")
  }
  if measure.isComplete {
    try requireWhole(measure, header: isFragmented ? nil : header?.seconds, boxes: boxes, input, source)
  }
  // The sound may start first: then the picture is awaited, and that time counts. A tenth of a second is what
  // encoders of sound need to get going.
  let start = min(span.start ?? 0, sound.flatMap { measure.spans[$0]?.start } ?? .infinity)
  let awaited = (span.start ?? 0) - start
  var packets = awaited > 0.1 ? length + awaited : length
  guard let header else { return MediaDuration(packets: packets) }
  if isFragmented, measure.isComplete, header.seconds > packets * 2 { return MediaDuration(packets: packets) }
  if !measure.isComplete {
    packets = max(packets, header.seconds)
  } else if input.isISO, abs(packets - header.seconds) <= input.stream(index)?.framePeriod ?? 0 {
    // How long the last picture is shown stands in the sample table and the edit list only.
    packets = header.seconds
  }
  return MediaDuration(header: header.seconds, packets: packets)
}

/// Refuses a file whose packets end long before its header says.
private func requireWhole(
  _ measure: TimelineMeasure, header: Double?, boxes: [Box], _ input: LibavInput, _ source: MediaFile
) throws(Rejection.Reason) {
  let end = measure.end ?? 0
  let isCut = boxes.contains { ["mdat", "moof", "moov"].contains($0.type) && $0.end > source.bytes }
  if isCut || measure.hasCutPacket, end < (header ?? .infinity) - 0.05 {
    let promised = header.map { " of \(rounded($0)) s" } ?? ""
    throw Rejection.Reason(
      .truncated, at: input.stage, "the file breaks off after \(rounded(end)) s\(promised)")
  }
  guard let header, header.isFinite, input.keepsItsWord, end < header * 0.9 - 0.5 else { return }
  throw Rejection.Reason(
    .truncated, at: input.stage, "the file breaks off after \(rounded(end)) s of \(rounded(header)) s")
}

extension LibavInput {
  var isISO: Bool { formatName == "mov,mp4,m4a,3gp,3g2,mj2" }

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
