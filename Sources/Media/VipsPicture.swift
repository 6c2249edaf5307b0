import CVips
import RichPush

/// The owner of one libvips image: pixels, or a recipe for pixels that are computed when they are asked for.
///
/// An image made from another keeps that one alive by itself.
struct VipsPicture: ~Copyable {
  let image: UnsafeMutablePointer<VipsImage>

  init(adopting image: UnsafeMutablePointer<VipsImage>) {
    self.image = image
  }

  /// A picture in memory, as a copy.
  init(copying pixels: borrowing PixelBuffer) throws(VipsFailure) {
    self = try VipsPicture(
      copying: UnsafeRawBufferPointer(pixels.bytes), width: pixels.width, height: pixels.height,
      channels: pixels.channels)
  }

  /// A picture in memory, as a copy: 8-bit grey (1 channel), grey and alpha (2), RGB (3) or RGBA (4), without padding.
  init(copying bytes: UnsafeRawBufferPointer, width: Int, height: Int, channels: Int) throws(VipsFailure) {
    guard VipsLibrary.isReady else { throw VipsFailure("libvips does not start") }
    let plain = vips_image_new_from_memory_copy(
      bytes.baseAddress, width * height * channels, Int32(width), Int32(height), Int32(channels), VIPS_FORMAT_UCHAR)
    guard let plain else { throw .last() }
    let raw = VipsPicture(adopting: plain)
    self = try raw.applying {
      enclosure_vips_copy_as($0, channels < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, $1)
    }
  }

  deinit {
    g_object_unref(image)
  }

  var width: Int { Int(image.pointee.Xsize) }
  var height: Int { Int(image.pointee.Ysize) }
  var channels: Int { Int(image.pointee.Bands) }
  var hasAlpha: Bool { vips_image_hasalpha(image) != 0 }
  var interpretation: VipsInterpretation { vips_image_get_interpretation(image) }
  var isEightBit: Bool { image.pointee.BandFmt == VIPS_FORMAT_UCHAR }

  /// Applies an operation that makes one image from this one.
  borrowing func applying(
    _ operation: (UnsafeMutablePointer<VipsImage>, UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32
  ) throws(VipsFailure) -> VipsPicture {
    var result: UnsafeMutablePointer<VipsImage>?
    guard operation(image, &result) == 0, let result else { throw .last() }
    return VipsPicture(adopting: result)
  }

  /// Computes all pixels. Only for pictures of 8 bits.
  borrowing func pixels() throws(VipsFailure) -> PixelBuffer {
    guard isEightBit else { throw VipsFailure("the picture has not 8 bits per channel") }
    var count = 0
    guard let memory = vips_image_write_to_memory(image, &count) else { throw .last() }
    return PixelBuffer(adopting: memory, width: width, height: height, channels: channels)
  }
}

// Metadata.
extension VipsPicture {
  borrowing func has(_ field: String) -> Bool {
    vips_image_get_typeof(image, field) != 0
  }

  borrowing func integer(_ field: String) -> Int? {
    var value: Int32 = 0
    guard has(field), vips_image_get_int(image, field, &value) == 0 else { return nil }
    return Int(value)
  }

  borrowing func integers(_ field: String) -> [Int] {
    var values: UnsafeMutablePointer<Int32>?
    var count: Int32 = 0
    guard has(field), vips_image_get_array_int(image, field, &values, &count) == 0, let values else { return [] }
    return UnsafeBufferPointer(start: values, count: Int(count)).map(Int.init)
  }

  borrowing func blob(_ field: String) -> [UInt8]? {
    var start: UnsafeRawPointer?
    var count = 0
    guard has(field), vips_image_get_blob(image, field, &start, &count) == 0, let start else { return nil }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Only for a picture that nobody else holds.
  borrowing func setProfile(_ profile: [UInt8]) {
    vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, profile, profile.count)
  }

  /// The names of all metadata fields.
  borrowing func fieldNames() -> [String] {
    guard let fields = vips_image_get_fields(image) else { return [] }
    defer { g_strfreev(fields) }
    var names: [String] = []
    var index = 0
    while let field = fields[index] {
      names.append(String(cString: field))
      index += 1
    }
    return names
  }
}
