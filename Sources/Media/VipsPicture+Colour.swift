import CVips
import Preparation

extension VipsPicture {
  var colour: ImageFacts.Colour { isCMYK ? .cmyk : isGrey ? .grey : .rgb }

  /// By the samples' type; what the file stores may be less.
  var bitsPerChannel: Int {
    switch image.pointee.BandFmt {
    case VIPS_FORMAT_UCHAR, VIPS_FORMAT_CHAR: 8
    case VIPS_FORMAT_USHORT, VIPS_FORMAT_SHORT: 16
    default: 32
    }
  }

  private var isGrey: Bool { interpretation == VIPS_INTERPRETATION_B_W || interpretation == VIPS_INTERPRETATION_GREY16 }
  private var isCMYK: Bool { interpretation == VIPS_INTERPRETATION_CMYK }
  private var profile: ColourProfile? { blob(VIPS_META_ICC_NAME).map(ColourProfile.init) }

  /// Without channels that are neither colour nor the first alpha.
  borrowing func withoutExtraChannels() throws(VipsFailure) -> VipsPicture {
    let most = isGrey ? 2 : 4
    return try applying { enclosure_vips_extract_bands($0, 0, Int32(min(channels, most)), $1) }
  }

  /// Whether the pixels can be cut to 8 bits before anything else is done with them: what an ICC profile converts
  /// keeps its bits until then.
  borrowing func needsFewerBits() throws(VipsFailure) -> Bool {
    !isEightBit && foreignColours == nil
  }

  /// sRGB or grey in 8 bits, without a profile.
  borrowing func inEightBits() throws(VipsFailure) -> VipsPicture {
    let target = isGrey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB
    if isEightBit, interpretation == target { return try applying { enclosure_vips_copy_as($0, target, $1) } }
    return try applying { enclosure_vips_convert($0, target, $1) }
      .applying { enclosure_vips_cast($0, VIPS_FORMAT_UCHAR, $1) }
  }

  /// The name of the colours when they are neither sRGB nor plain grey; nil when nothing has to be converted.
  var foreignColours: String? {
    if let profile, let space = profile.space {
      let fits = isCMYK ? space == "CMYK" : isGrey ? space == "GRAY" : space == "RGB "
      if fits { return profile.isPlainSRGB ? nil : profile.name }
    }
    return isCMYK ? "CMYK" : nil
  }

  /// sRGB in 8 bits by the embedded profile; CMYK without one by libvips' own. Grey stays grey.
  borrowing func convertedToSRGB() throws(VipsFailure) -> VipsPicture {
    let wasGrey = isGrey
    let converted: VipsPicture
    do throws(VipsFailure) {
      converted = try applying { enclosure_vips_convert_profile($0, isCMYK ? "cmyk" : "srgb", $1) }.inMemory()
    } catch {
      // A broken profile is no reason to lose the picture.
      converted =
        try isCMYK
        ? applying { enclosure_vips_convert_fallback($0, "cmyk", $1) }.inMemory() : inEightBits().inMemory()
    }
    guard wasGrey, converted.channels >= 3 else { return converted }
    let hasAlpha = converted.hasAlpha
    // The three channels are equal: grey, and alpha where there is one.
    let grey = try converted.applying { enclosure_vips_extract_bands($0, 2, hasAlpha ? 2 : 1, $1) }
    return try grey.applying { enclosure_vips_copy_as($0, VIPS_INTERPRETATION_B_W, $1) }
  }
}
