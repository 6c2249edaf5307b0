import CFFmpeg
import Preparation
import RichPush

/// Opens and decodes a prepared video or sound to its end, and holds it against what was meant to be made.
func verifyTimeline(_ file: MediaFile, _ expected: PreparedFile) throws(Rejection.Reason) {
  guard file.bytes == expected.bytes else {
    throw damaged("the prepared file has \(file.bytes) bytes, \(expected.bytes) were written")
  }
  try requireAttachable(file, expected.type)
  try requireLayout(of: file, expected.type)
  let input = try LibavInput(file, at: .verify)
  try input.findStreams()
  let picture = input.pictureIndex()
  let sound = input.soundIndex(beside: picture)
  try requireStreams(of: input, expected, picture: picture, sound: sound)
  let spans = try decode(input, [picture, sound].compactMap { $0 })
  if let timeline = expected.timeline, let picture {
    try requireTimeline(timeline, of: input, picture: picture, sound: sound, spans)
  }
  let end = spans.values.compactMap(\.end).max() ?? 0
  // A picture's last frame, or what a coder of sound puts before and behind.
  let tolerance = max(picture.flatMap { input.stream($0)?.framePeriod } ?? 0, 0.1) + 0.005
  guard let duration = expected.duration, abs(end - duration) <= tolerance else {
    throw damaged("the prepared file lasts \(rounded(end)) s, \(expected.duration.map(rounded) ?? "no") s were meant")
  }
}

/// Holds what is presented against what was planned.
private func requireTimeline(
  _ planned: PlannedTimeline, of input: LibavInput, picture: Int, sound: Int?, _ spans: [Int: PresentedSpan]
) throws(Rejection.Reason) {
  guard (sound != nil) == planned.hasSound else {
    throw damaged("the prepared video has \(sound == nil ? "no" : "a") sound, which was not meant")
  }
  // The tick of the container's clock by which ends are rounded up is a millisecond.
  let tick = 0.002
  let framePeriod = input.stream(picture)?.framePeriod ?? 0
  let end = spans[picture]?.end ?? 0
  guard abs(end - planned.pictureSeconds) <= framePeriod + tick else {
    throw damaged(
      "the prepared picture ends at \(rounded(end)) s, \(rounded(planned.pictureSeconds)) s were meant")
  }
  guard let limit = planned.maximumSeconds else { return }
  let whole = input.presentedDuration ?? end
  guard whole <= limit + tick else {
    throw Rejection.Reason(
      .videoTooLong, at: .verify,
      "the prepared video lasts \(rounded(whole)) s; at most \(rounded(limit)) s were meant", limit: limit,
      measured: whole)
  }
}

/// Looks at the first bytes, and for the index before the pictures, with our own eyes.
private func requireLayout(of file: MediaFile, _ type: AttachmentType) throws(Rejection.Reason) {
  let head = file.bytes(at: 0, count: 12)
  func reads(_ text: String, at offset: Int) -> Bool {
    head.dropFirst(offset).starts(with: Array(text.utf8))
  }
  let begins: Bool
  switch type {
  case .mpeg4: begins = reads("ftypisom", at: 4) || reads("ftypmp42", at: 4)
  case .mpeg4Audio: begins = reads("ftypM4A ", at: 4)
  case .mp3: begins = reads("ID3", at: 0)
  case .wav: begins = reads("RIFF", at: 0) && reads("WAVE", at: 8)
  case .aiff: begins = reads("FORM", at: 0) && (reads("AIFF", at: 8) || reads("AIFC", at: 8))
  case .jpeg, .png, .gif: begins = false
  }
  guard begins else { throw damaged("the prepared file does not begin as \(type.rawValue) does") }
  guard type == .mpeg4 || type == .mpeg4Audio else { return }
  let boxes = Box.boxes(in: file)
  guard let index = boxes.firstIndex(where: { $0.type == "moov" }),
    let data = boxes.firstIndex(where: { $0.type == "mdat" }), index < data
  else { throw damaged("the prepared file's moov does not come before its mdat") }
  guard boxes.last?.end == file.bytes else { throw damaged("the prepared file's boxes do not lead to its end") }
}

private func requireStreams(
  of input: LibavInput, _ expected: PreparedFile, picture: Int?, sound: Int?
) throws(Rejection.Reason) {
  let found = input.streamNames().joined(separator: ", ")
  guard input.streamCount == [picture, sound].compactMap({ $0 }).count else {
    throw damaged("the prepared file has more streams than meant: \(found)")
  }
  let metadata = input.metadata(beside: [picture, sound].compactMap { $0 })
  guard metadata.isEmpty else {
    throw damaged("the prepared file still has \(metadata.map(\.rawValue).joined(separator: ", "))")
  }
  guard expected.type.kind == .video else {
    guard picture == nil, sound != nil else { throw damaged("the prepared sound has other streams: \(found)") }
    return
  }
  guard let picture, let stream = input.stream(picture) else {
    throw damaged("the prepared video has no picture: \(found)")
  }
  let tags = ["h264": "avc1", "hevc": "hvc1"]
  guard tags[stream.codecName] == stream.tag else {
    throw damaged("the prepared video is \(stream.codecName) tagged \(stream.tag)")
  }
  if let sound = sound.flatMap({ input.stream($0) }), sound.codecName != "aac" {
    throw damaged("the prepared video's sound is \(sound.codecName)")
  }
  let parameters = stream.pointee.codecpar.pointee
  let shown = displayedSize(
    (Int(parameters.width), Int(parameters.height)),
    pixelAspect: positive(av_guess_sample_aspect_ratio(input.context, stream, nil)), DisplayOrientation(of: stream))
  guard shown.width == expected.width, shown.height == expected.height else {
    throw damaged(
      "the prepared video is displayed at \(shown.width)x\(shown.height), "
        + "\(expected.width ?? 0)x\(expected.height ?? 0) was meant")
  }
}

/// Decodes every packet of the streams.
/// - Returns: when each is presented.
private func decode(_ input: LibavInput, _ indices: [Int]) throws(Rejection.Reason) -> [Int: PresentedSpan] {
  var trials: [Int: TimelineTrial] = [:]
  for index in indices {
    guard let stream = input.stream(index) else { continue }
    trials[index] = try TimelineTrial(of: stream)
  }
  let packet = try LibavPacket(at: .verify)
  while true {
    let status = input.read(into: packet.pointer)
    if status == enclosure_av_again { continue }
    guard status >= 0 else { break }
    try trials[Int(packet.pointer.pointee.stream_index)]?.add(packet.pointer)
  }
  try input.check()
  for trial in trials.values { try trial.finish() }
  return trials.mapValues(\.span)
}

func damaged(_ what: String) -> Rejection.Reason {
  Rejection.Reason(.corrupt, at: .verify, what)
}
