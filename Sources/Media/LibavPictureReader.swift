import CFFmpeg
import Preparation
import RichPush

/// Decodes the pictures of a file's first video stream, in order, as RGBA.
final class LibavPictureReader {
  private let stage: Rejection.Stage
  private let pictures: any LibavPictureSource
  private let converter: LibavRGBA
  private let frame: LibavFrame

  init(_ source: MediaFile, at stage: Rejection.Stage) throws(Rejection.Reason) {
    self.stage = stage
    converter = LibavRGBA(at: stage)
    frame = try LibavFrame(at: stage)
    pictures = try openPictures(of: source, at: stage)
  }

  /// The next picture; nil at the end.
  ///
  /// `pixels` is width × height × 4 bytes of RGBA, not premultiplied, and valid until the next call; `delay` is how
  /// long the picture is shown, in milliseconds. Orientation is not applied.
  func next() throws(Rejection.Reason) -> (width: Int, height: Int, delay: Int, pixels: UnsafeRawBufferPointer)? {
    guard let delay = try pictures.next(into: frame.pointer) else { return nil }
    let pixels = try converter.convert(frame.pointer)
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

/// Picks the way to read a file's pictures by its first bytes.
private func openPictures(
  of source: MediaFile, at stage: Rejection.Stage
) throws(Rejection.Reason) -> any LibavPictureSource {
  let head = source.bytes(at: 0, count: 64)
  if let codec = wholeFileCodec(of: head) { return try LibavWholePicture(source, codec, at: stage) }
  if head.starts(with: pngSignature) {
    let animation = try AnimatedPNG(source, at: stage)
    guard !animation.delays.isEmpty else { return try LibavWholePicture(source, AV_CODEC_ID_PNG, at: stage) }
    return try LibavTrackPictures(source, demuxer: "apng", delays: animation.delays, at: stage)
  }
  if head.starts(with: Array("GIF8".utf8)) { return try LibavTrackPictures(source, demuxer: "gif", at: stage) }
  if head.starts(with: iconSignature) { return try LibavTrackPictures(source, demuxer: "ico", at: stage) }
  return try LibavTrackPictures(source, demuxer: nil, at: stage)
}

/// The codec of the formats that are one coded picture and nothing else, so that no container has to be opened.
func wholeFileCodec(of head: [UInt8]) -> AVCodecID? {
  if head.starts(with: Array("BM".utf8)) { return AV_CODEC_ID_BMP }
  if head.starts(with: Array("8BPS".utf8)) { return AV_CODEC_ID_PSD }
  if head.starts(with: jpeg2000Signature) || head.starts(with: jpeg2000Codestream) { return AV_CODEC_ID_JPEG2000 }
  if head.starts(with: jpegXLSignature) || head.starts(with: [0xFF, 0x0A]) { return AV_CODEC_ID_JPEGXL }
  return nil
}

let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
let iconSignature: [UInt8] = [0, 0, 1, 0]
let jpeg2000Signature: [UInt8] = [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
let jpeg2000Codestream: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]
let jpegXLSignature: [UInt8] = [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
