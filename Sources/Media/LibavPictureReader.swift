import CFFmpeg
import Preparation
import RichPush

/// Decodes the pictures of a file's first video stream, in order, as RGBA, with the transparency that a picture sequence
/// keeps in a track of its own.
final class LibavPictureReader {
  private let stage: Rejection.Stage
  private let pictures: any LibavPictureSource
  private let converter: LibavRGBA
  private let frame: LibavFrame
  private let transparency: LibavPictureReader?

  convenience init(_ source: MediaFile, format: MediaFormat, at stage: Rejection.Stage) throws(Rejection.Reason) {
    guard format == .avif || format == .heif, let alpha = alphaTrack(of: source) else {
      try self.init(try openPictures(of: source, format: format, at: stage), at: stage)
      return
    }
    try self.init(
      try LibavTrackPictures(source, demuxer: nil, at: stage) { $0 != alpha },
      transparency: try LibavPictureReader(
        try LibavTrackPictures(source, demuxer: nil, at: stage) { $0 == alpha }, at: stage),
      at: stage)
  }

  private init(
    _ pictures: any LibavPictureSource, transparency: LibavPictureReader? = nil, at stage: Rejection.Stage
  ) throws(Rejection.Reason) {
    self.stage = stage
    self.pictures = pictures
    self.transparency = transparency
    converter = LibavRGBA(at: stage)
    frame = try LibavFrame(at: stage)
  }

  /// The next picture; nil at the end.
  ///
  /// `pixels` is width × height × 4 bytes of RGBA, not premultiplied, and valid until the next call; `delay` is how
  /// long the picture is shown, in milliseconds. Orientation is not applied.
  func next() throws(Rejection.Reason) -> (width: Int, height: Int, delay: Int, pixels: UnsafeRawBufferPointer)? {
    guard let delay = try pictures.next(into: frame.pointer) else { return nil }
    let pixels = try converter.convert(frame.pointer)
    if let transparency {
      guard let mask = try transparency.next(), mask.pixels.count == pixels.count else {
        throw Rejection.Reason(.corrupt, at: stage, "the track of transparency does not go with its pictures")
      }
      converter.setAlpha(mask.pixels)
    }
    return (Int(frame.pointer.pointee.width), Int(frame.pointer.pointee.height), delay, pixels)
  }

  /// The ICC profile of the picture last read; nil when it has none.
  var colourProfile: [UInt8]? {
    guard let data = av_frame_get_side_data(frame.pointer, AV_FRAME_DATA_ICC_PROFILE),
      let bytes = data.pointee.data
    else { return nil }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(data.pointee.size)))
  }

  /// Facts of the picture last read that only its decoder knows.
  var lastPixelFormat: AVPixelFormat { AVPixelFormat(rawValue: frame.pointer.pointee.format) }
}

/// Where decoded pictures come from.
protocol LibavPictureSource {
  /// Decodes the next picture.
  /// - Returns: how long it is shown, in milliseconds; nil at the end.
  func next(into frame: UnsafeMutablePointer<AVFrame>) throws(Rejection.Reason) -> Int?
}

/// Picks the way to read a file's pictures: some formats are one coded picture and nothing else, so that no container
/// has to be opened.
private func openPictures(
  of source: MediaFile, format: MediaFormat, at stage: Rejection.Stage
) throws(Rejection.Reason) -> any LibavPictureSource {
  switch format {
  case .bmp: return try LibavWholePicture(source, AV_CODEC_ID_BMP, at: stage)
  case .psd: return try LibavWholePicture(source, AV_CODEC_ID_PSD, at: stage)
  case .jpeg2000: return try LibavWholePicture(source, AV_CODEC_ID_JPEG2000, at: stage)
  case .jpegXL: return try LibavWholePicture(source, AV_CODEC_ID_JPEGXL, at: stage)
  case .png: return try LibavWholePicture(source, AV_CODEC_ID_PNG, at: stage)
  case .apng:
    let structure = PNGStructure(source)
    guard !structure.isCutShort else { throw animationIsCutShort(at: stage) }
    return try LibavTrackPictures(source, demuxer: "apng", delays: structure.delays, at: stage)
  case .gif: return try LibavGIFPictures(source, at: stage)
  case .ico: return try LibavTrackPictures(source, demuxer: "ico", at: stage)
  default: return try LibavTrackPictures(source, demuxer: nil, at: stage)
  }
}
