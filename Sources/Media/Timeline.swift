import CFFmpeg
import Preparation
import RichPush

/// Facts of video and sound.
func inspectTimeline(_ source: MediaFile, _ request: InspectRequest) throws(Rejection.Reason) -> MediaFacts {
  let input = try openTimeline(source, at: .inspect)
  try input.findStreams()
  if let picture = input.pictureIndex() {
    return try videoFacts(source, input, picture: picture, request)
  }
  if let sound = input.soundIndex(beside: nil) {
    return try audioFacts(source, input, sound: sound, request)
  }
  let format = input.format(of: source).rawValue
  guard input.streamCount > 0 else {
    throw cutShort(source, at: .inspect)
      ?? Rejection.Reason(.corrupt, at: .inspect, "there is nothing in the \(format) file")
  }
  let streams = input.streamNames().joined(separator: ", ")
  throw Rejection.Reason(
    .unsupportedType, at: .inspect, "the \(format) file has neither picture nor sound: \(streams)")
}

/// Opens a container; a header that breaks off is told from one that makes no sense.
func openTimeline(_ source: MediaFile, at stage: Rejection.Stage) throws(Rejection.Reason) -> LibavInput {
  do throws(Rejection.Reason) {
    return try LibavInput(source, at: stage)
  } catch {
    guard error.code == .corrupt, let cut = cutShort(source, at: stage) else { throw error }
    throw cut
  }
}

/// What may stand outside of other boxes (ISO/IEC 14496-12, table 1, and what QuickTime and Apple's streaming add).
private let topLevelBoxes: Set = [
  "ftyp", "styp", "pdin", "moov", "moof", "mfra", "mdat", "free", "skip", "wide", "meta", "meco", "sidx", "ssix",
  "prft", "emsg", "uuid", "udta", "pnot", "imda",
]

/// Why the boxes of an ISO base media file do not lead to its end; nil when they do, or it is none.
private func cutShort(_ source: MediaFile, at stage: Rejection.Stage) -> Rejection.Reason? {
  let boxes = Box.boxes(in: source)
  guard boxes.first?.type == "ftyp" else { return nil }
  if let cut = boxes.last, cut.end > source.bytes {
    guard topLevelBoxes.contains(cut.type) else {
      return Rejection.Reason(
        .corrupt, at: stage, "the file's boxes do not follow each other: there is none at byte \(cut.offset)")
    }
    return Rejection.Reason(
      .truncated, at: stage,
      "the file ends at \(source.bytes) bytes, inside its \(cut.type) box, which reaches to \(cut.end)")
  }
  guard !boxes.contains(where: { $0.type == "moov" || $0.type == "moof" }) else { return nil }
  return Rejection.Reason(
    .truncated, at: stage, "the file has no moov box: whatever wrote it did not get to its end")
}

private func videoFacts(
  _ source: MediaFile, _ input: LibavInput, picture index: Int, _ request: InspectRequest
) throws(Rejection.Reason) -> MediaFacts {
  guard let stream = input.stream(index), let picture = input.pictureStream(index) else {
    throw Rejection.Reason(.corrupt, at: .inspect, "the picture's stream cannot be found again")
  }
  let parameters = stream.pointee.codecpar.pointee
  let coded = (width: Int(parameters.width), height: Int(parameters.height))
  try requireDecodableSize(coded, at: .inspect)
  guard !picture.pixelFormat.isEmpty || !picture.isDecodable || picture.isEncrypted else {
    throw Rejection.Reason(
      .corrupt, at: .inspect, "no picture of the \(picture.codec) stream could be decoded from its beginning")
  }
  let sound = input.soundIndex(beside: index)
  try requireOwnSpeed(stream, source)
  let measure = try measured(index, input, source, request)
  let duration = try duration(of: index, beside: sound, in: input, source, measure)
  let turn = DisplayOrientation(of: stream)
  let shown = displayedSize(
    coded, pixelAspect: positive(av_guess_sample_aspect_ratio(input.context, stream, nil)), turn)
  let facts = VideoFacts(
    codedWidth: coded.width, codedHeight: coded.height, width: shown.width, height: shown.height,
    rotation: turn.rotation, isMirrored: turn.isMirrored, picture: picture,
    sound: sound.flatMap { input.audioStream($0) }, duration: duration, framePeriod: stream.framePeriod,
    copyObstacle: measure?.copyObstacle, streams: input.streamNames())
  return MediaFacts(
    format: input.format(of: source), bytes: source.bytes, content: .video(facts),
    metadata: input.metadata(beside: [index, sound].compactMap { $0 }))
}

/// Reads the packets, unless the header shows that there are more of them than are of interest.
private func measured(
  _ index: Int, _ input: LibavInput, _ source: MediaFile, _ request: InspectRequest
) throws(Rejection.Reason) -> TimelineMeasure? {
  guard !input.isKnownLonger(than: request.enoughSeconds, stream: index, source) else { return nil }
  return try TimelineMeasure(input, stream: index, limit: request.enoughSeconds * 2)
}

/// Refuses edit lists that show the media slower, faster or not moving at all: libavformat passes over that, and what
/// came out would play otherwise and last longer or shorter.
private func requireOwnSpeed(
  _ stream: UnsafeMutablePointer<AVStream>, _ source: MediaFile
) throws(Rejection.Reason) {
  guard ISOTrack.tracks(of: source).contains(where: { $0.id == Int(stream.pointee.id) && $0.changesSpeed }) else {
    return
  }
  throw Rejection.Reason(
    .unsupportedCodec, at: .inspect,
    "the edit list shows the picture at other than its own speed, which cannot be prepared")
}

private func audioFacts(
  _ source: MediaFile, _ input: LibavInput, sound index: Int, _ request: InspectRequest
) throws(Rejection.Reason) -> MediaFacts {
  guard let sound = input.audioStream(index) else {
    throw Rejection.Reason(.corrupt, at: .inspect, "the sound's stream cannot be found again")
  }
  // Of sound as much fits as its length allows: it is read to its end.
  var request = request
  request.enoughSeconds = .infinity
  let measure = try measured(index, input, source, request)
  let duration = try duration(of: index, beside: nil, in: input, source, measure)
  let facts = AudioFacts(sound: sound, duration: duration, streams: input.streamNames())
  return MediaFacts(
    format: input.format(of: source), bytes: source.bytes, content: .audio(facts),
    metadata: input.metadata(beside: [index]))
}

/// The size of a picture when its pixels are squared, then turned.
func displayedSize(
  _ coded: (width: Int, height: Int), pixelAspect: Double?, _ turn: DisplayOrientation
) -> (width: Int, height: Int) {
  var width = coded.width
  if let pixelAspect {
    let squared = (Double(coded.width) * pixelAspect).rounded()
    // Stranger shapes are damage.
    if squared >= 1, squared <= 1e6 { width = Int(squared) }
  }
  return turn.isTransposed ? (coded.height, width) : (width, coded.height)
}

extension LibavInput {
  /// The container by our name for it.
  func format(of source: MediaFile) -> MediaFormat {
    format(beginning: source.bytes(at: 0, count: 64))
  }

  /// - Parameter head: the first 64 bytes, or all of a shorter file.
  func format(beginning head: [UInt8]) -> MediaFormat {
    switch formatName {
    case "mov,mp4,m4a,3gp,3g2,mj2": isoFormat(beginning: head)
    case "matroska,webm":
      // The document type stands in the EBML header, which is short.
      String(decoding: head, as: UTF8.self).contains("webm") ? .webm : .matroska
    default: MediaFormat(rawValue: formatName)
    }
  }
}

/// QuickTime's files tell themselves by their brand. Those older than the ftyp box have none.
func isoFormat(beginning head: [UInt8]) -> MediaFormat {
  let brand = head.dropFirst(4)
  return brand.starts(with: "ftypqt  ") || !brand.starts(with: "ftyp") ? .mov : .mp4
}
