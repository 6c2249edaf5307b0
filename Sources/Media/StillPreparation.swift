import CVips
import Preparation
import RichPush

func prepareStill(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: StillRecipe
) throws(Rejection.Reason) -> PreparedFile {
  guard case .image(let image) = facts.content else {
    throw Rejection.Reason(.unsupportedType, at: .prepare, "the source is no image")
  }
  if facts.format == .jpeg, let file = try prepareJPEG(source, into: output, image, recipe) {
    return file
  }
  var steps = ["decoded \(facts.format.rawValue)"]
  let pixels = try decodedStill(source, facts, image, recipe, steps: &steps)
  return try writeStill(pixels, into: output, recipe, steps: steps)
}

private func decodedStill(
  _ source: MediaFile, _ facts: MediaFacts, _ image: ImageFacts, _ recipe: StillRecipe, steps: inout [String]
) throws(Rejection.Reason) -> PixelBuffer {
  switch image.decoder {
  case .libav:
    let reader = try LibavPictureReader(source, format: facts.format, at: .prepare)
    guard let first = try reader.next() else {
      throw Rejection.Reason(.corrupt, at: .prepare, "no picture can be decoded")
    }
    do throws(VipsFailure) {
      let picture = try VipsPicture(copying: first.pixels, width: first.width, height: first.height, channels: 4)
      if let profile = reader.colourProfile { picture.setProfile(profile) }
      return try stillPixels(of: picture, image, recipe, steps: &steps)
    } catch {
      throw Rejection.Reason(.corrupt, at: .prepare, "the picture cannot be prepared: \(error.message)")
    }
  case .vips:
    guard let loader = VipsLoader(firstPictureOf: facts.format) else {
      throw Rejection.Reason(.unsupportedType, at: .prepare, "\(facts.format.rawValue) is not read")
    }
    do throws(VipsFailure) {
      let picture = try VipsPicture(loading: source, with: loader.shrinking(image, for: recipe))
      return try stillPixels(of: picture, image, recipe, steps: &steps)
    } catch {
      throw decodingReason(error, of: source, format: facts.format, at: .prepare)
    }
  }
}

extension VipsLoader {
  /// A JPEG is decoded at the smallest scale that still holds enough pixels.
  fileprivate func shrinking(_ image: ImageFacts, for recipe: StillRecipe) -> VipsLoader {
    guard case .jpeg = self else { return self }
    return .jpeg(shrink: jpegShrink(image, for: recipe))
  }
}

/// The largest of the decoder's reductions that leaves no side smaller than it has to become.
func jpegShrink(_ image: ImageFacts, for recipe: StillRecipe) -> Int {
  let size = recipe.sizeBeforeCropping(width: image.width, height: image.height)
  return [8, 4, 2].first { image.width >= size.width * $0 && image.height >= size.height * $0 } ?? 1
}

extension StillRecipe {
  /// The size to which the whole picture is scaled; larger than the result when it is cut afterwards.
  func sizeBeforeCropping(width: Int, height: Int) -> (width: Int, height: Int) {
    guard crops, width > 0, height > 0 else { return (self.width, self.height) }
    let scale = max(Double(self.width) / Double(width), Double(self.height) / Double(height))
    return (
      max(self.width, Int((Double(width) * scale).rounded())), max(self.height, Int((Double(height) * scale).rounded()))
    )
  }
}

/// Resizes, turns, converts and cuts a decoded picture.
/// - Returns: grey, grey with alpha, RGB or RGBA; sRGB, 8 bits per channel.
func stillPixels(
  of picture: consuming VipsPicture, _ image: ImageFacts, _ recipe: StillRecipe, steps: inout [String]
) throws(VipsFailure) -> PixelBuffer {
  let orientation = Orientation(exif: image.orientation)
  let whole = recipe.sizeBeforeCropping(width: image.width, height: image.height)
  let stored = orientation.isTransposed ? (width: whole.height, height: whole.width) : whole
  var current = try picture.withoutExtraChannels()
  if try current.needsFewerBits() {
    current = try current.inEightBits()
  }
  if stored != (current.width, current.height) {
    current = try current.resized(to: stored.width, stored.height)
  }
  current = try current.inMemory()
  if let step = orientation.step {
    current = try current.upright(from: orientation)
    steps.append(step)
  }
  if whole != (image.width, image.height) {
    steps.append("resized \(image.width)x\(image.height) to \(whole.width)x\(whole.height)")
  }
  if let name = current.foreignColours {
    current = try current.convertedToSRGB()
    steps.append("converted \(name) to sRGB")
  } else {
    current = try current.inEightBits()
  }
  if recipe.crops {
    current = try current.inMemory().cropped(to: recipe.width, recipe.height)
    steps.append("cropped \(whole.width)x\(whole.height) to \(recipe.width)x\(recipe.height)")
  }
  return try current.pixels()
}

/// Encodes and writes a finished picture: PNG where something shines through, else JPEG.
func writeStill(
  _ pixels: borrowing PixelBuffer, into output: Int32, _ recipe: StillRecipe, steps: [String]
) throws(Rejection.Reason) -> PreparedFile {
  guard pixels.width == recipe.width, pixels.height == recipe.height else {
    throw Rejection.Reason(
      .corrupt, at: .prepare,
      "the picture became \(pixels.width)x\(pixels.height) pixels large, not \(recipe.width)x\(recipe.height)")
  }
  guard pixels.isTransparent else {
    guard let jpeg = pixels.encodedAsJPEG(quality: recipe.quality) else {
      throw Rejection.Reason(.corrupt, at: .prepare, "the picture cannot be encoded as JPEG")
    }
    var file = try writeJPEG(jpeg, into: output, recipe, steps: steps + ["encoded jpeg q\(recipe.quality)"])
    file.placeholder = pixels.placeholder()
    return file
  }
  let png: PNGData
  do throws(VipsFailure) {
    png = try pixels.encodedAsPNG()
  } catch {
    throw Rejection.Reason(.corrupt, at: .prepare, "the picture cannot be encoded as PNG: \(error.message)")
  }
  try requireFit(png.bytes.count, recipe.maximumBytes)
  try write(png.bytes, into: output)
  return PreparedFile(
    type: .png, bytes: png.bytes.count, width: recipe.width, height: recipe.height, frames: 1,
    placeholder: pixels.placeholder(), steps: steps + ["encoded png\(png.isPalette ? " with a palette" : "")"])
}

func writeJPEG(
  _ jpeg: borrowing JPEGData, into output: Int32, _ recipe: StillRecipe, steps: [String]
) throws(Rejection.Reason) -> PreparedFile {
  try requireFit(jpeg.bytes.count, recipe.maximumBytes)
  try write(jpeg.bytes, into: output)
  return PreparedFile(
    type: .jpeg, bytes: jpeg.bytes.count, width: recipe.width, height: recipe.height, frames: 1, steps: steps)
}

private func requireFit(_ bytes: Int, _ maximum: Int) throws(Rejection.Reason) {
  guard bytes <= maximum else {
    throw Rejection.Reason(
      .cannotFitLimit, at: .prepare, "the image would have \(bytes) bytes; at most \(maximum) can be attached",
      limit: Double(maximum), measured: Double(bytes))
  }
}
