import CFFmpeg
import RichPush

/// Turns decoded pictures into RGBA of 8 bits per channel, not premultiplied. Owns libswscale's context and the pixels.
final class LibavRGBA {
  private let stage: Rejection.Stage
  private var scaler: OpaquePointer?
  private var shape: Shape?
  private var pixels = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// What a scaler is made for; another one is needed when any of it changes.
  private struct Shape: Equatable {
    var width: Int32
    var height: Int32
    var format: Int32
    var matrix: UInt32
    var range: UInt32
  }

  init(at stage: Rejection.Stage) {
    self.stage = stage
  }

  deinit {
    sws_freeContext(scaler)
    pixels.deallocate()
  }

  /// The pixels of a frame, row by row without gaps; valid until the next call.
  func convert(_ frame: UnsafePointer<AVFrame>) throws(Rejection.Reason) -> UnsafeRawBufferPointer {
    let frame = frame.pointee
    let (width, height) = (Int(frame.width), Int(frame.height))
    guard width > 0, height > 0, width <= LibavInput.maximumPixels / height else {
      throw Rejection.Reason(.corrupt, at: stage, "a picture of \(width)x\(height) pixels came out of the decoder")
    }
    try prepare(for: frame)
    let count = width * height * 4
    // libswscale writes whole vector registers, so up to 64 bytes past the end of the last row.
    if pixels.count < count + 64 {
      pixels.deallocate()
      pixels = .allocate(byteCount: count + 64, alignment: 64)
    }
    let planes = frame.data
    var source: [UnsafePointer<UInt8>?] = [planes.0, planes.1, planes.2, planes.3].map { $0.map { UnsafePointer($0) } }
    var sourceStrides = [frame.linesize.0, frame.linesize.1, frame.linesize.2, frame.linesize.3]
    var target: [UnsafeMutablePointer<UInt8>?] = [
      pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, nil, nil,
    ]
    var targetStrides: [Int32] = [Int32(width * 4), 0, 0, 0]
    let rows = sws_scale(scaler, &source, &sourceStrides, 0, frame.height, &target, &targetStrides)
    guard rows == frame.height else {
      throw Rejection.Reason(.corrupt, at: stage, "the colours of a picture could not be converted")
    }
    return UnsafeRawBufferPointer(rebasing: pixels[0..<count])
  }

  /// Gives the picture last converted the lightness of another one as its alpha.
  /// - Parameter mask: RGBA, as many bytes.
  func setAlpha(_ mask: UnsafeRawBufferPointer) {
    for alpha in stride(from: 3, to: mask.count, by: 4) { pixels[alpha] = mask[alpha - 3] }
  }

  private func prepare(for frame: AVFrame) throws(Rejection.Reason) {
    let shape = Shape(
      width: frame.width, height: frame.height, format: frame.format, matrix: frame.colorspace.rawValue,
      range: frame.color_range.rawValue)
    guard shape != self.shape else { return }
    sws_freeContext(scaler)
    self.shape = nil
    let format = AVPixelFormat(rawValue: frame.format)
    let flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP
    scaler = sws_getContext(
      frame.width, frame.height, format, frame.width, frame.height, AV_PIX_FMT_RGBA, flags, nil, nil, nil)
    guard let scaler else {
      let name = av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "\(frame.format)"
      throw Rejection.Reason(
        .unsupportedCodec, at: stage, "pictures of the pixel format \(name) cannot be converted to RGB")
    }
    if isYUV(format) {
      // Unspecified means BT.601 in libswscale's table, and in MIAF's and JFIF's rules.
      let coefficients = sws_getCoefficients(Int32(bitPattern: frame.colorspace.rawValue))
      let isFull = frame.color_range == AVCOL_RANGE_JPEG || isFullByName(format)
      sws_setColorspaceDetails(
        scaler, coefficients, isFull ? 1 : 0, coefficients, 1, 0, 1 << 16, 1 << 16)
    }
    self.shape = shape
  }

  private func isYUV(_ format: AVPixelFormat) -> Bool {
    guard let description = av_pix_fmt_desc_get(format) else { return false }
    let others = UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER)
    return description.pointee.flags & others == 0 && description.pointee.nb_components >= 3
  }

  private func isFullByName(_ format: AVPixelFormat) -> Bool {
    [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P]
      .contains(format)
  }
}
