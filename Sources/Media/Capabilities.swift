import CFFmpeg
import CVips
import Preparation

/// Asks the libraries what they were built with, and which decoders and encoders they use.
func mediaCapabilities() -> MediaCapabilities {
  let images =
    loaders.map { loader($0, $1) }
    + [
      decoder("APNG animations", AV_CODEC_ID_APNG), decoder("JPEG XL images", AV_CODEC_ID_JPEGXL),
      decoder("JPEG 2000 images", AV_CODEC_ID_JPEG2000), decoder("Photoshop images", AV_CODEC_ID_PSD),
      decoder("BMP and ICO images", AV_CODEC_ID_BMP),
    ]
  let written = [
    MediaCapabilities.Part(
      purpose: "JPEG images", name: "libjpeg-turbo", isThere: true, package: "libturbojpeg0", use: .write),
    loader("PNG images", "pngsave", use: .write), loader("GIF animations", "gifsave", use: .write),
    encoder("H.264 video", "libx264"), encoder("AAC audio", "aac"),
  ]
  return MediaCapabilities(
    libraries: [
      .init(name: "libvips", version: String(cString: vips_version_string())),
      .init(name: "libavformat", version: text(ofVersion: avformat_version())),
      .init(name: "libavcodec", version: text(ofVersion: avcodec_version())),
      .init(name: "libswscale", version: text(ofVersion: swscale_version())),
      .init(name: "libswresample", version: text(ofVersion: swresample_version())),
    ],
    parts: images + videoCodecs.map(decoder) + audioCodecs.map(decoder) + written)
}

private let loaders = [
  ("JPEG images", "jpegload"), ("PNG images", "pngload"), ("GIF animations", "gifload"), ("WebP images", "webpload"),
  ("TIFF images", "tiffload"), ("HEIC and AVIF images", "heifload"),
]

private let videoCodecs = [
  ("H.264 video", AV_CODEC_ID_H264), ("HEVC video", AV_CODEC_ID_HEVC), ("AV1 video", AV_CODEC_ID_AV1),
  ("VP8 video", AV_CODEC_ID_VP8), ("VP9 video", AV_CODEC_ID_VP9), ("MPEG-1 video", AV_CODEC_ID_MPEG1VIDEO),
  ("MPEG-2 video", AV_CODEC_ID_MPEG2VIDEO), ("MPEG-4 video", AV_CODEC_ID_MPEG4), ("H.263 video", AV_CODEC_ID_H263),
  ("Theora video", AV_CODEC_ID_THEORA), ("WMV video", AV_CODEC_ID_WMV2), ("VC-1 video", AV_CODEC_ID_VC1),
  ("ProRes video", AV_CODEC_ID_PRORES), ("Motion JPEG video", AV_CODEC_ID_MJPEG),
]

private let audioCodecs = [
  ("AAC audio", AV_CODEC_ID_AAC), ("MP3 audio", AV_CODEC_ID_MP3), ("ALAC audio", AV_CODEC_ID_ALAC),
  ("FLAC audio", AV_CODEC_ID_FLAC), ("Vorbis audio", AV_CODEC_ID_VORBIS), ("Opus audio", AV_CODEC_ID_OPUS),
  ("AC-3 audio", AV_CODEC_ID_AC3), ("WMA audio", AV_CODEC_ID_WMAV2), ("AMR audio", AV_CODEC_ID_AMR_NB),
]

private func loader(
  _ purpose: String, _ name: String, use: MediaCapabilities.Part.Use = .read
) -> MediaCapabilities.Part {
  .init(
    purpose: purpose, name: name, isThere: VipsLibrary.isReady && vips_type_find("VipsOperation", name) != 0,
    package: "libvips42", use: use)
}

/// What libavcodec decodes with when nobody says with what.
private func decoder(_ purpose: String, _ codec: AVCodecID) -> MediaCapabilities.Part {
  let found = avcodec_find_decoder(codec)?.pointee.name.map { String(cString: $0) }
  return .init(
    purpose: purpose, name: found ?? String(cString: avcodec_get_name(codec)), isThere: found != nil,
    package: "libavcodec59", use: .read)
}

private func encoder(_ purpose: String, _ name: String) -> MediaCapabilities.Part {
  .init(
    purpose: purpose, name: name, isThere: avcodec_find_encoder_by_name(name) != nil, package: "libavcodec59",
    use: .write)
}

private func text(ofVersion version: UInt32) -> String {
  "\(version >> 16).\(version >> 8 & 255).\(version & 255)"
}
