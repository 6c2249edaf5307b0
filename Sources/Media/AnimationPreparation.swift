import Preparation
import RichPush

func prepareAnimation(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: AnimationRecipe
) throws(Rejection.Reason) -> PreparedFile {
  guard case .image(let image) = facts.content, image.frames > 0, recipe.delays.count == image.frames else {
    throw Rejection.Reason(.unsupportedType, at: .prepare, "the source is no animation")
  }
  var steps: [String] = []
  if recipe.keepsFrames {
    if let kept = try keepFrames(source, into: output, image, recipe) { return kept }
    steps.append("could not keep the gif's frames in \(megabytes(recipe.maximumBytes))")
  }
  steps.append("decoded \(facts.format.rawValue)")
  if let step = Orientation(exif: image.orientation).step { steps.append(step) }
  var projected: (bytes: Int, rung: AnimationRecipe.Rung)?
  for rung in recipe.rungs {
    if let last = projected, rung.likelyBytes(from: last) > 2 * recipe.maximumBytes {
      steps.append("left out \(rung.name): too large by what \(last.rung.name) would have had")
      continue
    }
    let timing = GIFTiming(milliseconds: rung.delays(of: recipe.delays), plays: recipe.plays)
    switch try encode(source, facts, image, recipe, rung, timing, into: output) {
    case .tooLarge(let bytes):
      projected = (bytes, rung)
      steps.append("tried \(rung.name): about \(megabytes(bytes)), over \(megabytes(recipe.maximumBytes))")
    case .done(let gif, let placeholder):
      try write(gif, into: output)
      return PreparedFile(
        type: .gif, bytes: gif.count, width: rung.width, height: rung.height, frames: timing.delays.count,
        duration: timing.duration, placeholder: placeholder, steps: steps + rung.steps(image, recipe),
        reductions: rung.reductions(image, recipe))
    }
  }
  return try prepareFirstFrame(source, into: output, facts, image, recipe, steps: steps)
}

/// A GIF whose frames stay as they are, once every one was decoded.
/// - Returns: nil when it does not fit the limit, or its frames are not those that were counted.
private func keepFrames(
  _ source: MediaFile, into output: Int32, _ image: ImageFacts, _ recipe: AnimationRecipe
) throws(Rejection.Reason) -> PreparedFile? {
  let structure = GIFStructure(source, most: image.frames)
  let frames = try AnimationFrames(source, format: .gif, decoder: image.decoder, at: .prepare)
  var count = 0
  var placeholder: Placeholder?
  while let frame = try frames.next() {
    guard frame.width == image.width, frame.height == image.height else { return nil }
    if count == 0 { placeholder = (try? frame.pixels())?.placeholder() }
    count += 1
  }
  guard count == image.frames, structure.frames.count == count else { return nil }
  let timing = GIFTiming(milliseconds: recipe.delays, plays: recipe.plays)
  let gif = structure.rewritten(source, size: (image.width, image.height), timing)
  guard gif.count <= recipe.maximumBytes, !gif.isEmpty else { return nil }
  try write(gif, into: output)
  return PreparedFile(
    type: .gif, bytes: gif.count, width: image.width, height: image.height, frames: count, duration: timing.duration,
    placeholder: placeholder, steps: ["kept gif frames"])
}

/// Decodes, scales and encodes the frames of one rung.
private func encode(
  _ source: MediaFile, _ facts: MediaFacts, _ image: ImageFacts, _ recipe: AnimationRecipe,
  _ rung: AnimationRecipe.Rung, _ timing: GIFTiming, into output: Int32
) throws(Rejection.Reason) -> AnimationEncoder.Result {
  let frames = try AnimationFrames(source, format: facts.format, decoder: image.decoder, at: .prepare)
  let fitting = FrameFitting(image, width: rung.width, height: rung.height, crops: recipe.crops)
  var isFirst = true
  let encoder = AnimationEncoder(width: rung.width, height: rung.height, frames: timing.delays.count) {
    () throws(Rejection.Reason) -> PixelBuffer in
    for _ in 0..<(isFirst ? 0 : rung.frameStep - 1) { _ = try frames.next() }
    isFirst = false
    guard let frame = try frames.next() else {
      throw Rejection.Reason(.truncated, at: .prepare, "the animation has fewer frames than it says")
    }
    return try fitting.fit(frame)
  }
  switch try encoder.encoded(colours: rung.colours, limit: recipe.maximumBytes) {
  case .tooLarge(let projected): return .tooLarge(projected: projected)
  case .done(let bytes, let placeholder):
    // The saver's own delays and loops are replaced, so that they are exact whatever its version makes of them.
    try write(bytes, into: output)
    let file = try MediaFile(borrowing: output, at: .prepare)
    let structure = GIFStructure(file, most: timing.delays.count)
    guard structure.frames.count == timing.delays.count else {
      throw Rejection.Reason(
        .corrupt, at: .prepare,
        "the encoder made \(structure.frames.count) frames of \(timing.delays.count)")
    }
    let gif = structure.rewritten(file, size: (rung.width, rung.height), timing)
    return gif.count <= recipe.maximumBytes ? .done(gif, placeholder) : .tooLarge(projected: gif.count)
  }
}

private func prepareFirstFrame(
  _ source: MediaFile, into output: Int32, _ facts: MediaFacts, _ image: ImageFacts, _ recipe: AnimationRecipe,
  steps: [String]
) throws(Rejection.Reason) -> PreparedFile {
  var steps = steps
  let frames = try AnimationFrames(source, format: facts.format, decoder: image.decoder, at: .prepare)
  guard let first = try frames.next() else {
    throw Rejection.Reason(.corrupt, at: .prepare, "no picture can be decoded")
  }
  let pixels: PixelBuffer
  do throws(VipsFailure) {
    // The frame is upright RGBA in sRGB, except for its orientation.
    var own: [String] = []
    pixels = try stillPixels(of: first, image, recipe.still, steps: &own)
    // That it was turned may be said already.
    steps += own.filter { !steps.contains($0) }
  } catch {
    throw decodingReason(error, of: source, format: facts.format, at: .prepare)
  }
  var file = try writeStill(
    pixels, into: output, recipe.still, steps: steps + ["kept the first of \(image.frames) frames"])
  file.reductions.append(
    "became a still of its first frame: the animation does not fit \(megabytes(recipe.maximumBytes))")
  return file
}
