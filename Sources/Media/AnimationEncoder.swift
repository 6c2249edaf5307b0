import CVips
import Preparation
import RichPush

/// Encodes frames as GIF while they are decoded.
///
/// libvips wants one tall picture. It gets one whose rows are made when it asks for them, so that one frame is held.
final class AnimationEncoder {
  private let width: Int
  private let height: Int
  private let frames: Int
  private let nextFrame: () throws(Rejection.Reason) -> PixelBuffer
  private var current: PixelBuffer?
  private(set) var index = -1
  private(set) var failure: Rejection.Reason?
  /// Of the first frame.
  private var placeholder: Placeholder?

  /// - Parameter nextFrame: gives RGBA of the given size, `frames` times. It is called on another thread, while
  ///   `encoded` waits for it.
  init(width: Int, height: Int, frames: Int, nextFrame: @escaping () throws(Rejection.Reason) -> PixelBuffer) {
    self.width = width
    self.height = height
    self.frames = frames
    self.nextFrame = nextFrame
  }

  enum Result {
    case done([UInt8], Placeholder?)
    /// It became too large, or was on the way to: as many bytes as it would have had by what was seen.
    case tooLarge(projected: Int)
  }

  func encoded(colours: Int, limit: Int) throws(Rejection.Reason) -> Result {
    var projected = 0
    do throws(VipsFailure) {
      let strip = try strip()
      let bits = Int32(max(1, min(8, Int.bitWidth - (colours - 1).leadingZeroBitCount)))
      let bytes = try savedByVips(
        isEnough: { [self] count in
          projected = projection(count)
          return count > limit || projected > limit + limit / 2
        }, { enclosure_vips_save_gif(strip.image, bits, Self.effort, Self.dither, $0) })
      return .done(bytes, placeholder)
    } catch {
      if let failure { throw failure }
      guard error.isEnough else {
        throw Rejection.Reason(.corrupt, at: .prepare, "the animation cannot be encoded: \(error.message)")
      }
      return .tooLarge(projected: max(projected, limit + 1))
    }
  }

  /// The time spent on each palette, from 1 to 10. Below 4 nothing gets faster; 4 takes a third longer for 4 % fewer
  /// bytes.
  private static let effort: Int32 = 3
  /// Error diffusion hides steps in colour and costs bytes, since its noise changes from frame to frame.
  private static let dither = 0.6

  /// How large the file will be, from the frames that are done. The first ones say too little.
  private func projection(_ bytes: Int) -> Int {
    let done = index
    guard done >= 6 else { return bytes }
    return bytes / done * frames
  }

  private func strip() throws(VipsFailure) -> VipsPicture {
    guard VipsLibrary.isReady, let image = vips_image_new() else { throw .last() }
    let strip = VipsPicture(adopting: image)
    vips_image_init_fields(
      image, Int32(width), Int32(height * frames), 4, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE, VIPS_INTERPRETATION_sRGB, 1,
      1)
    vips_image_set_int(image, VIPS_META_PAGE_HEIGHT, Int32(height))
    guard enclosure_vips_set_demand(image) == 0 else { throw .last() }
    // Rows are only made while `encoded` waits for them, so the encoder outlives every call.
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard vips_image_generate(image, nil, fillRegion, nil, context, nil) == 0 else { throw .last() }
    return strip
  }

  fileprivate func fill(_ region: UnsafeMutablePointer<VipsRegion>) -> Bool {
    let valid = region.pointee.valid
    for row in Int(valid.top)..<Int(valid.top + valid.height) {
      guard advance(to: row / height), let target = enclosure_vips_region_address(region, valid.left, Int32(row)) else {
        return false
      }
      copyRow(row % height, left: Int(valid.left), columns: Int(valid.width), to: target)
    }
    return true
  }

  private func copyRow(_ row: Int, left: Int, columns: Int, to target: UnsafeMutableRawPointer) {
    guard let bytes = current?.bytes else { return }
    let start = (row * width + left) * 4
    UnsafeMutableRawBufferPointer(start: target, count: columns * 4)
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + columns * 4]))
  }

  private func advance(to wanted: Int) -> Bool {
    guard wanted >= index, failure == nil else { return false }
    do throws(Rejection.Reason) {
      while index < wanted {
        current = try nextFrame()
        index += 1
        if index == 0 { placeholder = current?.placeholder(isGIF: true) }
      }
      return true
    } catch {
      failure = error
      return false
    }
  }
}

private func fillRegion(
  _ region: UnsafeMutablePointer<VipsRegion>?, _ sequence: UnsafeMutableRawPointer?,
  _ context: UnsafeMutableRawPointer?, _ unused: UnsafeMutableRawPointer?, _ stop: UnsafeMutablePointer<gboolean>?
) -> Int32 {
  guard let region, let context else { return -1 }
  return Unmanaged<AnimationEncoder>.fromOpaque(context).takeUnretainedValue().fill(region) ? 0 : -1
}
