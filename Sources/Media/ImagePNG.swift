import CVips

/// The owner of a PNG file in memory.
struct PNGData: ~Copyable {
  let bytes: UnsafeRawBufferPointer
  let isPalette: Bool

  deinit {
    g_free(UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }
}

extension PixelBuffer {
  /// An 8-bit PNG without interlacing and without metadata; with a palette where it can hold every colour.
  borrowing func encodedAsPNG() throws(VipsFailure) -> PNGData {
    if hasAtMostColours(256), let palette = try? encodedAsPNG(palette: true), isEqual(to: palette) {
      return palette
    }
    return try encodedAsPNG(palette: false)
  }

  private borrowing func encodedAsPNG(palette: Bool) throws(VipsFailure) -> PNGData {
    let picture = try VipsPicture(copying: self)
    guard let target = vips_target_new_to_memory() else { throw .last() }
    defer { g_object_unref(target) }
    guard enclosure_vips_save_png(picture.image, palette ? 1 : 0, target) == 0 else { throw .last() }
    var count = 0
    guard let start = vips_target_steal(target, &count) else { throw .last() }
    return PNGData(bytes: UnsafeRawBufferPointer(start: start, count: count), isPalette: palette)
  }

  private borrowing func hasAtMostColours(_ limit: Int) -> Bool {
    var colours: Set<UInt32> = []
    var last: UInt32?
    for offset in stride(from: 0, to: bytes.count, by: channels) {
      var colour: UInt32 = 0
      for channel in 0..<channels { colour = colour << 8 | UInt32(bytes[offset + channel]) }
      guard colour != last else { continue }
      last = colour
      if colours.insert(colour).inserted, colours.count > limit { return false }
    }
    return true
  }

  /// Whether a palette kept every pixel: the quantiser that makes it promises nothing.
  private borrowing func isEqual(to png: borrowing PNGData) -> Bool {
    do throws(VipsFailure) {
      let source = vips_source_new_from_memory(png.bytes.baseAddress, png.bytes.count)
      guard let source else { return false }
      defer { g_object_unref(source) }
      var loaded: UnsafeMutablePointer<VipsImage>?
      guard enclosure_vips_load_png(source, &loaded) == 0, let loaded else { throw .last() }
      let other = try VipsPicture(adopting: loaded).pixels()
      guard other.channels == channels, other.bytes.count == bytes.count else { return false }
      return zip(other.bytes, bytes).allSatisfy(==)
    } catch {
      return false
    }
  }

  /// The same colours, for a picture whose alpha says nothing.
  borrowing func withoutAlpha() -> PixelBuffer {
    let kept = hasAlpha ? channels - 1 : channels
    let result = PixelBuffer(width: width, height: height, channels: kept)
    var target = 0
    for offset in stride(from: 0, to: bytes.count, by: channels) {
      for channel in 0..<kept { result.bytes[target + channel] = bytes[offset + channel] }
      target += kept
    }
    return result
  }
}
