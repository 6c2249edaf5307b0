import CVips
import Preparation
import RichPush

/// Makes each frame of an animation as large as the result, each by itself, so that frames don't bleed into each other.
final class FrameFitting {
  private let orientation: Orientation
  private let width: Int
  private let height: Int
  private let whole: (width: Int, height: Int)
  private let crops: Bool
  /// Where the frames are cut: the first one decides, else the picture would jump.
  private var corner: (left: Int, top: Int)?

  init(_ image: ImageFacts, width: Int, height: Int, crops: Bool) {
    orientation = Orientation(exif: image.orientation)
    self.width = width
    self.height = height
    self.crops = crops
    let recipe = StillRecipe(width: width, height: height, crops: crops, quality: 0, maximumBytes: 0)
    whole = recipe.sizeBeforeCropping(width: image.width, height: image.height)
  }

  func fit(_ frame: consuming VipsPicture) throws(Rejection.Reason) -> PixelBuffer {
    do throws(VipsFailure) {
      var current = try frame.withoutExtraChannels()
      let stored = orientation.isTransposed ? (width: whole.height, height: whole.width) : whole
      if stored != (current.width, current.height) {
        current = try current.resized(to: stored.width, stored.height).inMemory()
      }
      if orientation.step != nil { current = try current.upright(from: orientation) }
      if crops { current = try cut(current) }
      return try current.pixels()
    } catch {
      throw Rejection.Reason(.corrupt, at: .prepare, "a frame cannot be prepared: \(error.message)")
    }
  }

  private func cut(_ frame: borrowing VipsPicture) throws(VipsFailure) -> VipsPicture {
    let corner: (left: Int, top: Int)
    if let known = self.corner {
      corner = known
    } else {
      let first = try frame.inMemory().cropped(to: width, height)
      corner = (-Int(first.image.pointee.Xoffset), -Int(first.image.pointee.Yoffset))
      self.corner = corner
    }
    return try frame.applying {
      enclosure_vips_extract_area($0, Int32(corner.left), Int32(corner.top), Int32(width), Int32(height), $1)
    }
  }
}
