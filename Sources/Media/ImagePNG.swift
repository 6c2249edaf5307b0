import CVips

struct PNGData {
  let bytes: [UInt8]
  let isPalette: Bool
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
    let bytes = try savedByVips { enclosure_vips_save_png(picture.image, palette ? 1 : 0, $0) }
    return PNGData(bytes: bytes, isPalette: palette)
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
  private borrowing func isEqual(to png: PNGData) -> Bool {
    do throws(VipsFailure) {
      let other = try VipsPicture(decodingPNG: png.bytes).pixels()
      return other.channels == channels && other.bytes.elementsEqual(bytes)
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
