import CVips
import Preparation
import RichPush

/// The frames of an animation, composed and one after the other, as RGBA in sRGB.
///
/// Only one frame is held at a time, however many there are.
final class AnimationFrames {
  private enum Decoder {
    case vips(VipsStrip)
    case libav(LibavPictureReader)
  }

  private let source: MediaFile
  private let format: MediaFormat
  private let stage: Rejection.Stage
  private let decoder: Decoder

  init(
    _ source: MediaFile, format: MediaFormat, decoder: ImageFacts.Decoder, at stage: Rejection.Stage
  ) throws(Rejection.Reason) {
    self.source = source
    self.format = format
    self.stage = stage
    switch decoder {
    case .libav: self.decoder = .libav(try LibavPictureReader(source, format: format, at: stage))
    case .vips:
      do throws(VipsFailure) {
        let loader: VipsLoader = format == .webp ? .webp(allFrames: true) : .gif(allFrames: true)
        self.decoder = .vips(try VipsStrip(try VipsPicture(loading: source, with: loader)))
      } catch {
        throw decodingReason(error, of: source, format: format, at: stage)
      }
    }
  }

  /// The next frame; nil behind the last.
  func next() throws(Rejection.Reason) -> VipsPicture? {
    do throws(VipsFailure) {
      switch decoder {
      case .vips(let strip): return try strip.next()
      case .libav(let reader):
        let picture: (width: Int, height: Int, delay: Int, pixels: UnsafeRawBufferPointer)?
        do throws(Rejection.Reason) {
          picture = try reader.next()
        } catch {
          return try rethrow(error)
        }
        guard let picture else { return nil }
        let frame = try VipsPicture(
          copying: picture.pixels, width: picture.width, height: picture.height, channels: 4)
        return try frame.inSRGB(from: reader.colourProfile)
      }
    } catch {
      if let reason = pending { throw reason }
      throw decodingReason(error, of: source, format: format, at: stage)
    }
  }

  private var pending: Rejection.Reason?

  private func rethrow(_ reason: Rejection.Reason) throws(VipsFailure) -> VipsPicture? {
    pending = reason
    throw VipsFailure(reason.message)
  }
}

/// Frames that libvips puts below each other in one tall picture, which is decoded from top to bottom.
private final class VipsStrip {
  private let picture: VipsPicture
  private let profile: [UInt8]?
  private let frameHeight: Int
  private var top = 0

  init(_ strip: consuming VipsPicture) throws(VipsFailure) {
    profile = strip.foreignColours == nil ? nil : strip.blob(VIPS_META_ICC_NAME)
    let height = strip.integer(VIPS_META_PAGE_HEIGHT) ?? strip.height
    frameHeight = height > 0 && strip.height % height == 0 ? height : strip.height
    picture = try strip.asRGBA()
  }

  func next() throws(VipsFailure) -> VipsPicture? {
    guard top < picture.height else { return nil }
    let frame = try picture.part(top: top, height: frameHeight)
    top += frameHeight
    return try VipsPicture(copying: frame).inSRGB(from: profile)
  }
}

extension VipsPicture {
  /// Rows of a picture of 8 bits, computed now. What is read from top to bottom can be asked for once.
  fileprivate borrowing func part(top: Int, height: Int) throws(VipsFailure) -> PixelBuffer {
    // A region belongs to the thread that made it, so it doesn't outlive this call.
    guard let region = vips_region_new(image) else { throw .last() }
    defer { g_object_unref(region) }
    var rectangle = VipsRect(left: 0, top: Int32(top), width: Int32(width), height: Int32(height))
    guard vips_region_prepare(region, &rectangle) == 0 else { throw .last() }
    let pixels = PixelBuffer(width: width, height: height, channels: channels)
    let rowBytes = width * channels
    for row in 0..<height {
      guard let start = enclosure_vips_region_address(region, 0, Int32(top + row)) else {
        throw VipsFailure("a row is missing")
      }
      UnsafeMutableRawBufferPointer(rebasing: pixels.bytes[(row * rowBytes)...])
        .copyMemory(from: UnsafeRawBufferPointer(start: start, count: rowBytes))
    }
    return pixels
  }

  fileprivate consuming func inSRGB(from profile: [UInt8]?) throws(VipsFailure) -> VipsPicture {
    guard let profile else { return self }
    setProfile(profile)
    guard foreignColours != nil else { return self }
    return try convertedToSRGB()
  }
}
