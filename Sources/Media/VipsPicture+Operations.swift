import CVips
import Preparation

extension VipsPicture {
  /// Another size, by Lanczos-3. Transparent pixels don't bleed into their neighbours.
  borrowing func resized(to width: Int, _ height: Int) throws(VipsFailure) -> VipsPicture {
    let x = Double(width) / Double(self.width)
    let y = Double(height) / Double(self.height)
    guard hasAlpha else { return try applying { enclosure_vips_resize($0, x, y, $1) } }
    let format = image.pointee.BandFmt
    return try applying(enclosure_vips_premultiply)
      .applying { enclosure_vips_resize($0, x, y, $1) }
      .applying(enclosure_vips_unpremultiply)
      .applying { enclosure_vips_cast($0, format, $1) }
  }

  /// Upright, by EXIF orientation. Turning needs pixels in any order, so it is for pictures in memory.
  borrowing func upright(from orientation: Orientation) throws(VipsFailure) -> VipsPicture {
    let flipped = try applying {
      orientation.isMirrored
        ? enclosure_vips_flip($0, VIPS_DIRECTION_HORIZONTAL, $1) : enclosure_vips_rotate($0, VIPS_ANGLE_D0, $1)
    }
    let angle =
      switch orientation.rotation {
      case 90: VIPS_ANGLE_D90
      case 180: VIPS_ANGLE_D180
      case 270: VIPS_ANGLE_D270
      default: VIPS_ANGLE_D0
      }
    return try flipped.applying { enclosure_vips_rotate($0, angle, $1) }
  }

  /// Cut to the part that draws the eye.
  borrowing func cropped(to width: Int, _ height: Int) throws(VipsFailure) -> VipsPicture {
    try applying { enclosure_vips_smart_crop($0, Int32(width), Int32(height), $1) }
  }

  /// The same pixels, computed and held in memory.
  borrowing func inMemory() throws(VipsFailure) -> VipsPicture {
    guard let copy = vips_image_copy_memory(image) else { throw .last() }
    return VipsPicture(adopting: copy)
  }

  /// RGBA in 8 bits. Only for pictures that are sRGB or grey.
  borrowing func asRGBA() throws(VipsFailure) -> VipsPicture {
    let colours = try applying { enclosure_vips_convert($0, VIPS_INTERPRETATION_sRGB, $1) }
    return colours.hasAlpha ? colours : try colours.applying(enclosure_vips_add_alpha)
  }
}
