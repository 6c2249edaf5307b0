import CFFmpeg
import Glibc
import Preparation
import RichPush

/// Makes a fresh file of a picture and a sound, of which at least one is decoded and encoded anew.
/// - Parameter output: an empty file, readable and writable.
func transcode(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: EncodeRecipe
) throws(Rejection.Reason) -> PreparedFile {
  var recipe = recipe
  var attempt = 0
  while true {
    do throws(Rejection.Reason) {
      let run = try Transcoding(source, into: output, facts: facts, recipe, attempt: attempt)
      try run.run()
      return try run.result()
    } catch {
      if error.code.mayBeEncodedInstead, let encoded = recipe.encodingCopiedPicture {
        (recipe, attempt) = (encoded, 0)
      } else {
        guard error.code == .cannotFitLimit, attempt + 1 < recipe.attempts else { throw error }
        attempt += 1
      }
      try empty(output)
    }
  }
}

extension Rejection.Code {
  /// Whether what cannot be copied for this reason may still be encoded anew.
  var mayBeEncodedInstead: Bool { self == .cannotFitLimit || self == .unsupportedCodec }
}

/// Takes back what was written to an output.
func empty(_ output: Int32) throws(Rejection.Reason) {
  guard ftruncate(output, 0) == 0 else {
    throw Rejection.Reason(.storeFailed, at: .prepare, "the prepared file could not be written: errno \(errno)")
  }
}

/// One run over the source.
private final class Transcoding {
  private let facts: MediaFacts
  private let recipe: EncodeRecipe
  private let input: LibavInput
  private let surveys: [Int: RemuxSurvey]
  private let output: LibavOutput
  private let descriptor: Int32
  private var picture: (any TranscodeTrack)?
  private var sound: (any TranscodeTrack)?
  private let packet: LibavPacket
  private let attempt: Int

  init(
    _ source: MediaFile, into descriptor: Int32, facts: MediaFacts, _ recipe: EncodeRecipe, attempt: Int
  ) throws(Rejection.Reason) {
    self.facts = facts
    self.recipe = recipe
    self.descriptor = descriptor
    self.attempt = attempt
    surveys =
      recipe.copied.isEmpty
      ? [:]
      : try RemuxSurvey.survey(
        source, kept: recipe.copied, end: recipe.trims ? recipe.maximumSeconds.map { $0 + facts.startSeconds } : nil)
    input = try LibavInput(source, at: .prepare)
    try input.findStreams()
    output = try LibavOutput(
      recipe.type, borrowing: descriptor, maximumBytes: recipe.maximumBytes, at: .prepare,
      manner: "encoded as small as is sensible")
    packet = try LibavPacket(at: .prepare)
    let kept = recipe.kept
    for index in 0..<input.streamCount where !kept.contains(index) {
      input.stream(index)?.pointee.discard = AVDISCARD_ALL
    }
    picture = try recipe.picture.map { recipe throws(Rejection.Reason) in try pictureTrack(recipe, attempt) }
    sound = try recipe.sound.map { recipe throws(Rejection.Reason) in try soundTrack(recipe, attempt) }
    try output.writeHeader(settings)
    picture?.start()
    sound?.start()
  }

  private func pictureTrack(
    _ recipe: PictureRecipe, _ attempt: Int
  ) throws(Rejection.Reason) -> any TranscodeTrack {
    let stream = try stream(recipe.stream)
    switch recipe.treatment {
    case .copy(let tag):
      let survey = surveys[recipe.stream] ?? RemuxSurvey()
      let sets = try RemuxParameterSets(of: stream, firstPacket: survey.firstPacket)
      let copy = try output.addStream(
        copying: stream, tag: tag, pixelAspect: av_guess_sample_aspect_ratio(input.context, stream, nil))
      try sets?.describe(copy)
      let track = RemuxTrack(
        source: stream, output: copy, start: facts.startMicroseconds, survey: survey, parameterSets: sets, end: nil,
        mayBreakOff: input.mayBreakOff)
      return CopyTrack(track, step: "copied \(stream.codecName) as \(tag)")
    case .encode(let encoding):
      return try PictureTrack(
        stream, to: output, encoding, attempt: attempt, start: facts.startMicroseconds, end: pictureEnd)
    }
  }

  /// Where the pictures end at the latest, in seconds of the output, half a frame of grace included: what would only
  /// come behind the last of them, since its times go back to where others were shown, is left out.
  private var pictureEnd: Double? {
    guard case .video(let video) = facts.content, let presented = video.duration.presented else {
      return presentationEnd
    }
    let end = presented + (video.framePeriod ?? 0) / 2
    return min(end, presentationEnd ?? end)
  }

  private func soundTrack(
    _ recipe: SoundRecipe, _ attempt: Int
  ) throws(Rejection.Reason) -> any TranscodeTrack {
    let stream = try stream(recipe.stream)
    switch recipe.treatment {
    case .copy:
      let copy = try output.addStream(copying: stream)
      let track = RemuxTrack(
        source: stream, output: copy, start: facts.startMicroseconds,
        survey: surveys[recipe.stream] ?? RemuxSurvey(), parameterSets: nil,
        end: presentationEnd.map { $0 + facts.startSeconds }, mayBreakOff: input.mayBreakOff)
      return CopyTrack(track, step: "copied \(stream.codecName)")
    case .encode(let codings):
      guard let coding = codings.isEmpty ? nil : codings[min(attempt, codings.count - 1)] else {
        throw Rejection.Reason(.unsupportedCodec, at: .prepare, "the recipe does not say how to encode the sound")
      }
      return try SoundTrack(
        stream, to: output, coding, start: self.recipe.picture == nil ? nil : facts.startSeconds,
        end: presentationEnd)
    }
  }

  private func stream(_ index: Int) throws(Rejection.Reason) -> UnsafeMutablePointer<AVStream> {
    guard let stream = input.stream(index) else {
      throw Rejection.Reason(.corrupt, at: .prepare, "the file's stream \(index) was there and is gone")
    }
    return stream
  }

  private var presentationEnd: Double? { facts.presentationEnd(limit: recipe.maximumSeconds, trims: recipe.trims) }

  private var settings: [String: String] {
    var settings = ["movflags": "+faststart"]
    // The edit list counts in the movie's time scale: with that of the sound it is exact.
    if recipe.picture == nil, let rate = (sound as? SoundTrack)?.coding.sampleRate {
      settings["movie_timescale"] = "\(rate)"
    }
    return settings
  }

  func run() throws(Rejection.Reason) {
    while true {
      let status = input.read(into: packet.pointer)
      if status == enclosure_av_again { continue }
      guard status >= 0 else { break }
      let track =
        switch Int(packet.pointer.pointee.stream_index) {
        case recipe.picture?.stream: picture
        case recipe.sound?.stream: sound
        default: nil as (any TranscodeTrack)?
        }
      guard let track, !recipe.trims || !track.isComplete else { continue }
      try track.take(packet.pointer, output)
      if recipe.trims, tracks.allSatisfy(\.isComplete) { break }
    }
    try input.check()
    try picture?.finish(output)
    try sound?.finish(output)
    try output.finish()
  }

  func result() throws(Rejection.Reason) -> PreparedFile {
    if var end = picture?.presentedEnd, case .video(let video) = facts.content {
      // The source's edit list may end inside its last picture.
      if let presented = video.duration.presented, abs(presented - end) <= video.framePeriod ?? 0 {
        end = min(end, presented)
      }
      try limitPresentation(descriptor, track: 0, to: end)
    }
    // The last packet of a copied sound that was cut goes on for a moment.
    if recipe.picture != nil, recipe.sound?.treatment == .copy, let end = presentationEnd {
      try limitPresentation(descriptor, track: 1, to: end)
    }
    let written = try MediaFile(borrowing: descriptor, at: .prepare)
    let check = try LibavInput(written, at: .prepare)
    try check.findStreams()
    var file = PreparedFile(
      type: recipe.type, bytes: written.bytes, duration: check.presentedDuration, steps: steps, reductions: reductions)
    if case .video(let video) = facts.content, let picture = recipe.picture {
      file.timeline = video.timeline(end: presentationEnd, hasSound: recipe.sound != nil)
      switch picture.treatment {
      case .copy: (file.width, file.height) = (video.width, video.height)
      case .encode(let encoding):
        let rung = encoding.rung(attempt)
        (file.width, file.height) = (rung?.width, rung?.height)
      }
    }
    return file
  }

  private var tracks: [any TranscodeTrack] { [picture, sound].compactMap { $0 } }

  private var steps: [String] {
    var steps = tracks.flatMap(\.steps)
    if recipe.trims, let limit = recipe.maximumSeconds { steps.append(cut(to: limit)) }
    let dropped = facts.metadata.map { $0.rawValue.split(separator: "_").joined(separator: " ") }
    if !dropped.isEmpty { steps.append("dropped " + dropped.joined(separator: ", ")) }
    steps.append("wrote \(recipe.type.fileExtension) with moov first")
    return steps
  }

  private var reductions: [String] {
    var reductions = tracks.flatMap(\.reductions)
    if recipe.trims, let limit = recipe.maximumSeconds {
      reductions.append(facts.trimming(to: limit))
    } else if let lost = sound?.lostSeconds, let end = presentationEnd {
      reductions.append(lostSound(after: end, lost))
    }
    return reductions
  }
}

extension EncodeRecipe {
  /// Streams of the source that are used.
  fileprivate var kept: [Int] { [picture?.stream, sound?.stream].compactMap { $0 } }

  /// Those of them that are copied.
  fileprivate var copied: [Int] {
    var copied: [Int] = []
    if let picture, case .copy = picture.treatment { copied.append(picture.stream) }
    if let sound, case .copy = sound.treatment { copied.append(sound.stream) }
    return copied
  }

  /// The recipe that encodes the pictures which this one copies; nil when there is none.
  fileprivate var encodingCopiedPicture: EncodeRecipe? {
    guard let picture, case .copy = picture.treatment, let encoding = picture.otherwise else { return nil }
    var recipe = self
    recipe.picture = PictureRecipe(stream: picture.stream, .encode(encoding: encoding))
    return recipe
  }

  /// How many ways there are to make the file small enough.
  fileprivate var attempts: Int {
    if let picture, case .encode(let encoding) = picture.treatment { return encoding.rungs.count }
    if let sound, case .encode(let codings) = sound.treatment, picture == nil { return codings.count }
    return 1
  }
}
