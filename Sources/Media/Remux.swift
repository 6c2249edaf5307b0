import CFFmpeg
import Preparation
import RichPush

/// Copies streams into a fresh container, without metadata.
/// - Parameter output: an empty file, readable and writable.
func remux(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: RemuxRecipe
) throws(Rejection.Reason) -> PreparedFile {
  let remuxing = try Remuxing(source, into: output, facts: facts, recipe)
  try remuxing.run()
  return try remuxing.result(output)
}

/// One run of copying.
private final class Remuxing {
  private let facts: MediaFacts
  private let recipe: RemuxRecipe
  private let input: LibavInput
  private let surveys: [Int: RemuxSurvey]
  private let output: LibavOutput
  private var tracks: [Int: RemuxTrack] = [:]
  private let packet: LibavPacket

  init(
    _ source: MediaFile, into descriptor: Int32, facts: MediaFacts, _ recipe: RemuxRecipe
  ) throws(Rejection.Reason) {
    self.facts = facts
    self.recipe = recipe
    surveys = try RemuxSurvey.survey(
      source, kept: [recipe.picture, recipe.sound].compactMap { $0 },
      end: recipe.trims ? recipe.maximumSeconds.map { $0 + facts.startSeconds } : nil)
    input = try LibavInput(source, at: .prepare)
    try input.findStreams()
    output = try LibavOutput(
      recipe.type, borrowing: descriptor, maximumBytes: recipe.maximumBytes, at: .prepare)
    packet = try LibavPacket(at: .prepare)
    try addTracks()
  }

  private func addTracks() throws(Rejection.Reason) {
    let kept = [recipe.picture, recipe.sound].compactMap { $0 }
    for index in 0..<input.streamCount where !kept.contains(index) {
      input.stream(index)?.pointee.discard = AVDISCARD_ALL
    }
    let start = facts.startMicroseconds
    for index in kept {
      guard let stream = input.stream(index) else {
        throw Rejection.Reason(.corrupt, at: .prepare, "the file's stream \(index) was there and is gone")
      }
      let isPicture = index == recipe.picture
      let survey = surveys[index] ?? RemuxSurvey()
      let sets = isPicture ? try RemuxParameterSets(of: stream, firstPacket: survey.firstPacket) : nil
      let copy = try output.addStream(
        copying: stream, tag: isPicture ? recipe.pictureTag : nil,
        pixelAspect: isPicture ? av_guess_sample_aspect_ratio(input.context, stream, nil) : nil)
      try sets?.describe(copy)
      tracks[index] = RemuxTrack(
        source: stream, output: copy, start: start, survey: survey, parameterSets: sets,
        end: isPicture ? nil : soundEnd.map { $0 + facts.startSeconds }, mayBreakOff: input.mayBreakOff)
    }
    try output.writeHeader(settings)
    for index in kept { tracks[index]?.startClock() }
  }

  private var soundEnd: Double? { facts.presentationEnd(limit: recipe.maximumSeconds, trims: recipe.trims) }

  private var settings: [String: String] {
    switch recipe.type {
    case .mpeg4, .mpeg4Audio: ["movflags": "+faststart"]
    // The tag comes first: some programs know MP3 only by it.
    case .mp3: ["id3v2_version": "3", "write_xing": "1"]
    case .wav, .aiff, .jpeg, .png, .gif: [:]
    }
  }

  func run() throws(Rejection.Reason) {
    while true {
      let status = input.read(into: packet.pointer)
      if status == enclosure_av_again { continue }
      guard status >= 0 else { break }
      let index = Int(packet.pointer.pointee.stream_index)
      guard let track = tracks[index] else { continue }
      try track.take(packet.pointer, output)
      if recipe.trims, tracks.values.allSatisfy(\.isComplete) { break }
    }
    try input.check()
    for track in tracks.values { try track.requirePackets() }
    try output.finish()
  }

  /// Takes back what the muxer presents of the picture beyond what the source did.
  private func limitPicture(_ descriptor: Int32) throws(Rejection.Reason) {
    guard recipe.type == .mpeg4, let track = recipe.picture.flatMap({ tracks[$0] }), var end = track.presentedEnd,
      case .video(let video) = facts.content
    else { return }
    // The source's edit list may end inside its last picture.
    if let presented = video.duration.presented, abs(presented - end) <= video.framePeriod ?? 0 {
      end = min(end, presented)
    }
    try limitPresentation(descriptor, track: 0, to: end)
  }

  func result(_ descriptor: Int32) throws(Rejection.Reason) -> PreparedFile {
    try limitPicture(descriptor)
    // The last packet of a sound that was cut goes on for a moment.
    if recipe.type == .mpeg4, recipe.sound != nil, let end = soundEnd {
      try limitPresentation(descriptor, track: recipe.picture == nil ? 0 : 1, to: end)
    }
    let written = try MediaFile(borrowing: descriptor, at: .prepare)
    let check = try LibavInput(written, at: .prepare)
    try check.findStreams()
    var file = PreparedFile(
      type: recipe.type, bytes: written.bytes, duration: check.presentedDuration ?? facts.presentedSeconds,
      steps: steps)
    if case .video(let video) = facts.content, recipe.picture != nil {
      (file.width, file.height) = (video.width, video.height)
      file.timeline = video.timeline(end: soundEnd, hasSound: recipe.sound != nil)
    }
    if recipe.trims, let limit = recipe.maximumSeconds {
      file.reductions.append(facts.trimming(to: limit))
    } else if let sound = recipe.sound.flatMap({ tracks[$0] }), let lost = sound.lostSeconds, let end = soundEnd {
      file.reductions.append(lostSound(after: end, lost))
    }
    return file
  }

  /// What was done, for people.
  private var steps: [String] {
    var steps: [String] = []
    if let picture = recipe.picture.flatMap({ input.stream($0) }) {
      let tag = recipe.pictureTag.map { " as \($0)" } ?? ""
      steps.append("copied \(picture.codecName)\(tag)")
    }
    if let sound = recipe.sound.flatMap({ input.stream($0) }) { steps.append("copied \(sound.codecName)") }
    if recipe.trims, let limit = recipe.maximumSeconds { steps.append(cut(to: limit)) }
    steps += [recipe.picture, recipe.sound].compactMap { $0 }.flatMap { tracks[$0]?.mending ?? [] }
    let dropped = facts.metadata.map { $0.rawValue.split(separator: "_").joined(separator: " ") }
    if !dropped.isEmpty { steps.append("dropped " + dropped.joined(separator: ", ")) }
    switch recipe.type {
    case .mpeg4: steps.append("wrote mp4 with moov first")
    case .mpeg4Audio: steps.append("wrote m4a with moov first")
    default: steps.append("wrote \(recipe.type.fileExtension)")
    }
    return steps
  }
}

extension LibavInput {
  /// How long the whole presentation lasts by the header, in seconds.
  var presentedDuration: Double? {
    seconds(context.pointee.duration, AVRational(num: 1, den: AV_TIME_BASE)).flatMap { $0 > 0 ? $0 : nil }
  }
}

extension MediaFacts {
  fileprivate var presentedSeconds: Double? {
    switch content {
    case .image(let image): image.duration
    case .video(let video): video.duration.presented
    case .audio(let audio): audio.duration.presented
    }
  }

  /// The moment of the source that becomes 0, in seconds.
  var startSeconds: Double {
    switch content {
    case .image: 0
    case .video(let video): video.duration.start
    case .audio(let audio): audio.duration.start
    }
  }

  /// The same in microseconds; 0 where that is more than a number holds, which is damage.
  var startMicroseconds: Int64 { Int64(exactly: (startSeconds * 1e6).rounded()) ?? 0 }

  /// When the presentation of a video has to end, in seconds: a sound that goes on behind the picture would make the
  /// attachment last longer than it may.
  func presentationEnd(limit: Double?, trims: Bool) -> Double? {
    guard let limit, case .video(let video) = content else { return nil }
    return trims ? limit : max(limit, video.duration.presented ?? 0)
  }

  /// What the sender is told of a video of which only the beginning is shown.
  func trimming(to limit: Double) -> String {
    let whole = presentedSeconds.map(rounded) ?? "?"
    return "the video lasts \(whole) s; only its first \(rounded(limit)) s are shown"
  }
}

extension VideoFacts {
  /// - Parameter end: when everything has to have ended, in seconds of the presentation; nil where there is no limit.
  func timeline(end: Double?, hasSound: Bool) -> PlannedTimeline? {
    duration.presented.map { seconds in
      PlannedTimeline(pictureSeconds: min(seconds, end ?? seconds), maximumSeconds: end, hasSound: hasSound)
    }
  }
}
