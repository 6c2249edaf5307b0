import Preparation
import RichPush

/// Prepares a JPEG without a detour through RGB where that can be.
///
/// The short ways are for files that the decoder has nothing to say against. Everything else (CMYK, RGB, odd
/// subsampling, damage) takes the long one, which also finds out what is wrong.
/// - Returns: nil when the long way has to be taken.
func prepareJPEG(
  _ source: MediaFile, into output: Int32, _ image: ImageFacts, _ recipe: StillRecipe
) throws(Rejection.Reason) -> PreparedFile? {
  guard let decoder = JPEGDecoder(source), decoder.isYCbCr, decoder.width == image.codedWidth,
    decoder.height == image.codedHeight
  else { return nil }
  let orientation = Orientation(exif: image.orientation)
  let turned = orientation.step.map { [$0] } ?? []
  if recipe.keepsCoefficients, let kept = decoder.transformed(orientation), isPlainJPEG(kept.bytes),
    kept.bytes.count <= recipe.maximumBytes
  {
    var file = try writeJPEG(kept, into: output, recipe, steps: turned + ["kept jpeg coefficients"])
    file.placeholder = kept.placeholder()
    return file
  }
  let whole = recipe.sizeBeforeCropping(width: image.width, height: image.height)
  let profile = image.hasColourProfile ? JPEGStructure(source)?.profile : nil
  let goesThroughRGB = profile != nil || recipe.crops
  // Grey with a profile is rare, and the long way keeps it grey.
  guard profile == nil || decoder.subsampling != .grey else { return nil }
  guard let decoded = decoder.planes(shrink: jpegShrink(image, for: recipe)) else { return nil }
  let planes = resized(
    decoded, of: decoder, shrink: jpegShrink(image, for: recipe), to: whole, orientation,
    subsampling: decoder.subsampling == .grey ? .grey : .quarter)
  var steps = ["decoded jpeg"] + turned
  if whole != (image.width, image.height) {
    steps.append("resized \(image.width)x\(image.height) to \(whole.width)x\(whole.height)")
  }
  guard goesThroughRGB else {
    guard let jpeg = planes.encoded(quality: recipe.quality) else { return nil }
    var file = try writeJPEG(jpeg, into: output, recipe, steps: steps + ["encoded jpeg q\(recipe.quality)"])
    file.placeholder = planes.placeholder()
    return file
  }
  guard let colours = planes.colours() else { return nil }
  let pixels: PixelBuffer
  do throws(VipsFailure) {
    var picture = try VipsPicture(copying: colours)
    if let profile {
      picture.setProfile(profile.bytes)
      picture = try picture.convertedToSRGB()
      steps.append("converted \(profile.name) to sRGB")
    }
    if recipe.crops {
      picture = try picture.cropped(to: recipe.width, recipe.height)
      steps.append("cropped \(whole.width)x\(whole.height) to \(recipe.width)x\(recipe.height)")
    }
    pixels = try picture.pixels()
  } catch {
    throw Rejection.Reason(.corrupt, at: .prepare, "the picture cannot be prepared: \(error.message)")
  }
  return try writeStill(pixels, into: output, recipe, steps: steps)
}

/// Planes of the wanted size, upright, from planes that were decoded at a fraction of the file's size.
private func resized(
  _ decoded: borrowing JPEGPlanes, of decoder: borrowing JPEGDecoder, shrink: Int, to size: (width: Int, height: Int),
  _ orientation: Orientation, subsampling: JPEGSubsampling
) -> JPEGPlanes {
  let result = JPEGPlanes(width: size.width, height: size.height, subsampling: subsampling)
  // The result as the file has it, before columns and rows are exchanged.
  let stored = orientation.isTransposed ? (width: size.height, height: size.width) : size
  for index in 0..<result.count {
    let source = decoded.plane(index)
    let target = result.plane(index)
    let from = index == 0 ? (x: 1, y: 1) : decoder.subsampling.factors
    let to = index == 0 ? (x: 1, y: 1) : subsampling.factors
    let extent = (
      x: Double(decoder.width) / Double(shrink * from.x), y: Double(decoder.height) / Double(shrink * from.y)
    )
    let columns = ResamplingAxis(
      count: orientation.isTransposed ? target.rows : target.columns,
      step: extent.x * Double(to.x) / Double(stored.width), extent: extent.x, available: source.columns,
      isMirrored: orientation.mirrorsColumns)
    let rows = ResamplingAxis(
      count: orientation.isTransposed ? target.columns : target.rows,
      step: extent.y * Double(to.y) / Double(stored.height), extent: extent.y, available: source.rows,
      isMirrored: orientation.mirrorsRows)
    guard orientation.isTransposed else {
      resample(source, columns: columns, rows: rows, into: target)
      continue
    }
    let samples = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: columns.count * rows.count)
    defer { samples.deallocate() }
    let lying = Plane(samples: samples, columns: columns.count, rows: rows.count, stride: columns.count)
    resample(source, columns: columns, rows: rows, into: lying)
    transpose(lying, into: target)
  }
  result.fillPadding()
  return result
}

/// Whether a JPEG is what an attachment has to be: baseline, grey or in three colours, JFIF first and nothing else
/// beside the picture.
func isPlainJPEG(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard bytes.starts(with: [0xFF, 0xD8, 0xFF, 0xE0]) else { return false }
  var offset = 2
  var isBaseline = false
  while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
    let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
    guard offset + 2 + length <= bytes.count else { return false }
    switch bytes[offset + 1] {
    case 0xC0: isBaseline = length >= 8 && bytes[offset + 4] == 8 && [1, 3].contains(bytes[offset + 9])
    case 0xE0: guard offset == 2, length >= 16, bytes[6...].starts(with: "JFIF\0") else { return false }
    case 0xDA: return isBaseline
    case 0xDB, 0xC4, 0xDD: break
    default: return false
    }
    offset += 2 + length
  }
  return false
}
