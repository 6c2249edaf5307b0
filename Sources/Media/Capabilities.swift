import CFFmpeg
import CVips
import Preparation

/// Asks the libraries what they were built with.
func mediaCapabilities() -> MediaCapabilities {
  let isReady = VipsLibrary.isReady
  var parts = [
    loader("JPEG images", "jpegload"), loader("PNG images", "pngload"), loader("GIF animations", "gifload"),
    loader("WebP images", "webpload"), loader("TIFF images", "tiffload"), loader("HEIC and AVIF images", "heifload"),
    loader("writing GIF", "gifsave"), loader("writing PNG", "pngsave"),
  ]
  if !isReady {
    for index in parts.indices { parts[index].isThere = false }
  }
  parts += [
    decoder("H.264 video", "h264"), decoder("HEVC video", "hevc"), decoder("AV1 video and AVIF sequences", "libdav1d"),
    decoder("VP9 video", "vp9"), decoder("AAC audio", "aac"), decoder("MP3 audio", "mp3float"),
    decoder("ALAC audio", "alac"), decoder("APNG animations", "apng"), decoder("JPEG XL images", "libjxl"),
    decoder("JPEG 2000 images", "jpeg2000"), decoder("Photoshop images", "psd"), decoder("BMP and ICO images", "bmp"),
  ]
  return MediaCapabilities(
    libraries: [
      .init(name: "libvips", version: String(cString: vips_version_string())),
      .init(name: "libavformat", version: text(ofVersion: avformat_version())),
      .init(name: "libavcodec", version: text(ofVersion: avcodec_version())),
      .init(name: "libswscale", version: text(ofVersion: swscale_version())),
    ], parts: parts)
}

private func loader(_ purpose: String, _ name: String) -> MediaCapabilities.Part {
  .init(purpose: purpose, name: name, isThere: vips_type_find("VipsOperation", name) != 0, package: "libvips42")
}

private func decoder(_ purpose: String, _ name: String) -> MediaCapabilities.Part {
  .init(purpose: purpose, name: name, isThere: avcodec_find_decoder_by_name(name) != nil, package: "libavcodec59")
}

private func text(ofVersion version: UInt32) -> String {
  "\(version >> 16).\(version >> 8 & 255).\(version & 255)"
}
