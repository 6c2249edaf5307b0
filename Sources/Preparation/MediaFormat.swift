/// What a file's bytes are, by name: an open set, since libavformat knows hundreds of containers.
package struct MediaFormat: RawRepresentable, Hashable, Sendable, Codable {
  package var rawValue: String

  package init(rawValue: String) {
    self.rawValue = rawValue
  }

  package static let jpeg = MediaFormat(rawValue: "jpeg")
  package static let png = MediaFormat(rawValue: "png")
  package static let apng = MediaFormat(rawValue: "apng")
  package static let gif = MediaFormat(rawValue: "gif")
  package static let webp = MediaFormat(rawValue: "webp")
  /// HEIF with HEVC inside: .heic, .heif, .hif.
  package static let heif = MediaFormat(rawValue: "heif")
  package static let avif = MediaFormat(rawValue: "avif")
  package static let tiff = MediaFormat(rawValue: "tiff")
  package static let bmp = MediaFormat(rawValue: "bmp")
  package static let ico = MediaFormat(rawValue: "ico")
  package static let psd = MediaFormat(rawValue: "psd")
  package static let jpeg2000 = MediaFormat(rawValue: "jpeg2000")
  package static let jpegXL = MediaFormat(rawValue: "jpegxl")
  package static let mp4 = MediaFormat(rawValue: "mp4")
  package static let mov = MediaFormat(rawValue: "mov")
  package static let matroska = MediaFormat(rawValue: "matroska")
  package static let webm = MediaFormat(rawValue: "webm")
  package static let avi = MediaFormat(rawValue: "avi")
  package static let mpegTS = MediaFormat(rawValue: "mpegts")
  package static let mpegPS = MediaFormat(rawValue: "mpeg")
  /// MPEG-1 or MPEG-2 video without a container.
  package static let mpegVideo = MediaFormat(rawValue: "mpegvideo")
  package static let mp3 = MediaFormat(rawValue: "mp3")
  package static let wav = MediaFormat(rawValue: "wav")
  package static let aiff = MediaFormat(rawValue: "aiff")
  package static let ogg = MediaFormat(rawValue: "ogg")
  package static let flac = MediaFormat(rawValue: "flac")
  /// AAC in ADTS frames, without a container.
  package static let adts = MediaFormat(rawValue: "aac")
}
