import RichPush

func planImage(
  _ image: ImageFacts, of facts: MediaFacts, for profile: Profile, options: PreparationOptions
) throws(Rejection.Reason) -> Recipe {
  try requireSize(of: facts, for: profile)
  let (pixels, overflow) = image.width.multipliedReportingOverflow(by: image.height)
  guard image.width > 0, image.height > 0 else {
    throw Rejection.Reason(.corrupt, at: .plan, "the image says it is \(image.width)x\(image.height) pixels large")
  }
  guard !overflow, pixels <= profile.maximumPixels else {
    throw Rejection.Reason(
      .tooManyPixels, at: .plan,
      "the image has \(image.width)x\(image.height) pixels; at most \(profile.maximumPixels) are decoded",
      limit: Double(profile.maximumPixels), measured: Double(image.width) * Double(image.height))
  }
  let still = stillRecipe(image, format: facts.format, for: profile, fit: options.fit)
  guard image.isAnimated else { return .still(still) }
  guard image.frames <= profile.maximumFrames else {
    throw Rejection.Reason(
      .tooManyFrames, at: .plan,
      "the animation has \(image.frames) frames; at most \(profile.maximumFrames) are shown",
      limit: Double(profile.maximumFrames), measured: Double(image.frames))
  }
  let (all, tooMany) = pixels.multipliedReportingOverflow(by: image.frames)
  guard !tooMany, all <= profile.maximumDecodedPixels else {
    throw Rejection.Reason(
      .tooManyPixels, at: .plan,
      "the animation has \(image.frames) frames of \(image.width)x\(image.height) pixels;"
        + " at most \(profile.maximumDecodedPixels) pixels are decoded",
      limit: Double(profile.maximumDecodedPixels), measured: Double(pixels) * Double(image.frames))
  }
  return .animation(animationRecipe(image, of: facts, still: still, for: profile))
}

/// The size of a picture scaled down to fit into a square, never up; each side at least one pixel.
package func fitted(width: Int, height: Int, side: Int) -> (width: Int, height: Int) {
  guard max(width, height) > side else { return (width, height) }
  func scaled(_ length: Int) -> Int {
    max(1, Int((Double(length) * Double(side) / Double(max(width, height))).rounded()))
  }
  return (scaled(width), scaled(height))
}

private func stillRecipe(
  _ image: ImageFacts, format: MediaFormat, for profile: Profile, fit: PreparationOptions.Fit
) -> StillRecipe {
  let whole = fitted(width: image.width, height: image.height, side: profile.imageSide)
  let (width, height): (Int, Int)
  switch fit {
  case .inside: (width, height) = whole
  case .cover:
    // The largest square of the picture, never enlarged.
    let side = min(profile.imageSide, image.width, image.height)
    (width, height) = (side, side)
  }
  let crops = fit == .cover && image.width != image.height
  let keepsPixels = !crops && width == image.width && height == image.height
  return StillRecipe(
    width: width, height: height, crops: crops, quality: profile.jpegQuality,
    keepsCoefficients: keepsPixels && format == .jpeg && image.colour != .cmyk && image.bitsPerChannel == 8
      && !image.hasColourProfile,
    maximumBytes: MediaKind.image.maximumAttachmentBytes)
}

private func animationRecipe(
  _ image: ImageFacts, of facts: MediaFacts, still: StillRecipe, for profile: Profile
) -> AnimationRecipe {
  let keepsSize = still.width == image.width && still.height == image.height && !still.crops
  return AnimationRecipe(
    delays: shownDelays(of: image, for: profile), plays: min(max(image.plays ?? 1, 0), profile.maximumPlays),
    keepsFrames: facts.format == .gif && keepsSize && facts.bytes <= MediaKind.image.maximumAttachmentBytes
      && image.width * image.height * image.frames <= profile.maximumAnimationPixels,
    crops: still.crops, rungs: rungs(width: still.width, height: still.height, frames: image.frames, for: profile),
    still: still, maximumBytes: MediaKind.image.maximumAttachmentBytes)
}

/// One delay for every frame, also where the source has fewer or more than frames.
private func shownDelays(of image: ImageFacts, for profile: Profile) -> [Int] {
  (0..<image.frames).map { frame in
    shownDelay(frame < image.delays.count ? image.delays[frame] : 0, for: profile)
  }
}

/// How long a frame is really shown: what viewers make of a delay that is too short to be meant.
private func shownDelay(_ delay: Int, for profile: Profile) -> Int {
  delay <= 10 ? profile.slowedDelay : min(max(delay, profile.minimumDelay), profile.maximumDelay)
}

/// The ladder: first smaller pictures, then fewer colours, then fewer frames. Rungs that would hold too many pixels
/// are left out, so that what is tried first can be held at all.
private func rungs(width: Int, height: Int, frames: Int, for profile: Profile) -> [AnimationRecipe.Rung] {
  let rungs: [(scale: Double, colours: Int, step: Int)] = [
    (1, 256, 1), (0.75, 256, 1), (0.5, 256, 1), (0.5, 64, 1), (0.5, 64, 2), (0.375, 32, 2), (0.25, 32, 4),
  ]
  return rungs.compactMap { rung in
    let size = (
      width: max(1, Int((Double(width) * rung.scale).rounded())),
      height: max(1, Int((Double(height) * rung.scale).rounded()))
    )
    let kept = (frames + rung.step - 1) / rung.step
    guard size.width * size.height * kept <= profile.maximumEncodedPixels else { return nil }
    return AnimationRecipe.Rung(width: size.width, height: size.height, colours: rung.colours, frameStep: rung.step)
  }
}
