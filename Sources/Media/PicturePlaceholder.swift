import CTurboJPEG
import Preparation
import RichPush

// Placeholders are made of the pixels of a picture while they are at hand. No picture is lost for the want of one, so
// what fails gives nil.

/// The size in which a picture is hashed, in pixels: as large as a hash allows, not enlarged.
///
/// But where there are fewer pixels than a hash has half waves, its waves are not told apart and its colours are wrong,
/// so very small pictures and thin strips are enlarged, which changes nothing in the proportions that a hash knows.
func thumbnailSize(width: Int, height: Int) -> (width: Int, height: Int) {
  let halfWaves = 7
  let size = fitted(width: width, height: height, side: ThumbHash.maximumSide)
  guard min(size.width, size.height) < halfWaves else { return size }
  let factor = ThumbHash.maximumSide / max(size.width, size.height)
  func enlarged(_ side: Int) -> Int {
    let side = side * factor
    return side < halfWaves ? side * ((halfWaves + side - 1) / side) : side
  }
  return (enlarged(size.width), enlarged(size.height))
}

extension PixelBuffer {
  /// The placeholder of a picture that is upright and in sRGB or grey.
  /// - Parameter isGIF: whether it becomes a frame of a GIF, which is there or not.
  borrowing func placeholder(isGIF: Bool = false) -> Placeholder? {
    guard isGIF, isTransparent else { return placeholder(extent: (Double(width), Double(height))) }
    let shown = PixelBuffer(width: width, height: height, channels: channels)
    shown.bytes.copyMemory(from: UnsafeRawBufferPointer(bytes))
    for alpha in stride(from: channels - 1, to: bytes.count, by: channels) {
      // Where libvips' encoder draws the line.
      shown.bytes[alpha] = bytes[alpha] < 128 ? 0 : 255
    }
    return shown.placeholder(extent: (Double(width), Double(height)))
  }

  /// - Parameter extent: the picture's exact size in these pixels, of which the last ones may be there in part only.
  fileprivate borrowing func placeholder(extent: (width: Double, height: Double)) -> Placeholder? {
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress, width > 0, height > 0 else { return nil }
    let size = thumbnailSize(width: width, height: height)
    guard size != (width, height) else { return ownPlaceholder() }
    let small = PixelBuffer(width: size.width, height: size.height, channels: channels)
    guard let result = small.bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
    average(
      InterleavedSamples(start: start, channels: channels, stride: width * channels),
      columns: AveragingAxis(count: size.width, extent: extent.width, available: width),
      rows: AveragingAxis(count: size.height, extent: extent.height, available: height),
      isTransparent: isTransparent, into: result)
    return small.ownPlaceholder()
  }

  /// The placeholder of a picture that is small enough as it is.
  fileprivate borrowing func ownPlaceholder() -> Placeholder? {
    var rgba = [UInt8](repeating: 255, count: width * height * 4)
    for index in 0..<width * height {
      let (pixel, target) = (index * channels, index * 4)
      rgba[target] = bytes[pixel]
      rgba[target + 1] = bytes[channels < 3 ? pixel : pixel + 1]
      rgba[target + 2] = bytes[channels < 3 ? pixel : pixel + 2]
      if hasAlpha { rgba[target + 3] = bytes[pixel + channels - 1] }
    }
    return ThumbHash(width: width, height: height, rgba: rgba).map { Placeholder(thumbHash: $0.base64) }
  }
}

extension JPEGPlanes {
  /// The placeholder of a picture that is upright and in sRGB: only a thumbnail's colours are converted.
  borrowing func placeholder() -> Placeholder? {
    let size = thumbnailSize(width: width, height: height)
    let small = JPEGPlanes(width: size.width, height: size.height, subsampling: count == 1 ? .grey : .full)
    for index in 0..<count {
      let (source, target) = (plane(index), small.plane(index))
      guard let start = source.samples.baseAddress, let result = target.samples.baseAddress,
        target.stride == size.width
      else { return nil }
      let factors = index == 0 ? (x: 1, y: 1) : subsampling.factors
      average(
        InterleavedSamples(start: start, channels: 1, stride: source.stride),
        columns: AveragingAxis(
          count: size.width, extent: Double(width) / Double(factors.x), available: source.columns),
        rows: AveragingAxis(count: size.height, extent: Double(height) / Double(factors.y), available: source.rows),
        isTransparent: false, into: result)
    }
    return small.colours()?.ownPlaceholder()
  }
}

extension JPEGData {
  /// The placeholder of a file that is upright and in sRGB and was never decoded: it is now, at the smallest scale
  /// that shows as much as a placeholder can.
  borrowing func placeholder() -> Placeholder? {
    guard let handle = tjInitDecompress() else { return nil }
    defer { tjDestroy(handle) }
    var (width, height, subsampling, colours): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    let start = bytes.bindMemory(to: UInt8.self).baseAddress
    guard
      tjDecompressHeader3(handle, start, UInt(bytes.count), &width, &height, &subsampling, &colours) == 0
    else { return nil }
    // 40 pixels are nearly six for the shortest half wave: its strength is 1 % off, and a hash has steps of 7 %.
    let enough = 40
    let shrink = [8, 4, 2].first { max(Int(width), Int(height)) >= enough * $0 } ?? 1
    let isGrey = subsampling == JPEGSubsampling.grey.rawValue
    let pixels = PixelBuffer(
      width: (Int(width) + shrink - 1) / shrink, height: (Int(height) + shrink - 1) / shrink,
      channels: isGrey ? 1 : 3)
    let status = tjDecompress2(
      handle, start, UInt(bytes.count), pixels.bytes.bindMemory(to: UInt8.self).baseAddress, Int32(pixels.width), 0,
      Int32(pixels.height), (isGrey ? TJPF_GRAY : TJPF_RGB).rawValue, TJFLAG_LIMITSCANS)
    guard status == 0 else { return nil }
    return pixels.placeholder(extent: (Double(width) / Double(shrink), Double(height) / Double(shrink)))
  }
}
