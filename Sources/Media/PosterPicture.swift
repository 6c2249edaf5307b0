import CFFmpeg
import Preparation
import RichPush

/// A frame of a video on its way to a still: scaled, with square pixels, upright, in sRGB.
struct PosterPicture {
  private let frame: LibavFrame
  private let turn: DisplayOrientation
  /// As displayed.
  private let size: (width: Int, height: Int)

  init(_ frame: LibavFrame, turn: DisplayOrientation, pixelAspect: Double?) throws(Rejection.Reason) {
    self.frame = frame
    self.turn = turn
    let coded = (width: Int(frame.pointer.pointee.width), height: Int(frame.pointer.pointee.height))
    try requireDecodableSize(coded, at: .prepare)
    guard coded.width > 0, coded.height > 0 else {
      throw Rejection.Reason(.corrupt, at: .prepare, "the poster's picture has no pixels")
    }
    size = displayedSize(coded, pixelAspect: pixelAspect, turn)
  }

  /// - Parameters:
  ///   - side: of the square to fit into, in pixels.
  ///   - steps: gets what was done, for people.
  /// - Returns: RGBA without transparency.
  func pixels(side: Int, steps: inout [String]) throws(Rejection.Reason) -> PixelBuffer {
    let upright = fitted(width: size.width, height: size.height, side: side)
    let stored = turn.isTransposed ? (width: upright.height, height: upright.width) : upright
    let orientation = Orientation(exif: turn.exif)
    do throws(VipsFailure) {
      let lying = try scaled(to: stored, steps: &steps)
      if let step = orientation.step { steps.append(step) }
      if upright != size { steps.append("resized \(size.width)x\(size.height) to \(upright.width)x\(upright.height)") }
      return try lying.upright(from: orientation).pixels()
    } catch {
      throw Rejection.Reason(.corrupt, at: .prepare, "the poster cannot be made: \(error.message)")
    }
  }

  private func scaled(
    to size: (width: Int, height: Int), steps: inout [String]
  ) throws(VipsFailure) -> VipsPicture {
    let frame = frame.pointer.pointee
    let format = AVPixelFormat(rawValue: frame.format)
    let light = HighDynamicRange(frame)
    let target = light == nil ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGBA64LE
    let bytesPerPixel = light == nil ? 4 : 8
    // The lines of one field lie every other; both together would show combs.
    let fields: Int32 = frame.interlaced_frame != 0 && frame.height >= 4 ? 2 : 1
    let scaler = sws_getContext(
      frame.width, frame.height / fields, format, Int32(size.width), Int32(size.height), target,
      SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP, nil, nil, nil)
    guard let scaler else {
      throw VipsFailure("its pixel format cannot be converted to RGB")
    }
    defer { sws_freeContext(scaler) }
    let coefficients = sws_getCoefficients(matrix(of: frame))
    // Fails for what is no luma and chroma, and has nothing to set then.
    _ = sws_setColorspaceDetails(
      scaler, coefficients, isFullRange(frame) ? 1 : 0, sws_getCoefficients(Int32(SWS_CS_DEFAULT)), 1, 0, 1 << 16,
      1 << 16)
    let stride = size.width * bytesPerPixel
    // libswscale writes whole vector registers, so up to 64 bytes past the end of the last row.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * size.height + 64, alignment: 64)
    defer { memory.deallocate() }
    let planes = [frame.data.0, frame.data.1, frame.data.2, frame.data.3]
    var source: [UnsafePointer<UInt8>?] = planes.map { $0.map { UnsafePointer($0) } }
    var sourceStrides = [frame.linesize.0, frame.linesize.1, frame.linesize.2, frame.linesize.3].map { $0 * fields }
    var rows: [UnsafeMutablePointer<UInt8>?] = [memory.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, nil, nil]
    var strides: [Int32] = [Int32(stride), 0, 0, 0]
    if format == AV_PIX_FMT_PAL8 { sourceStrides[1] /= fields }
    guard sws_scale(scaler, &source, &sourceStrides, 0, frame.height / fields, &rows, &strides) == Int32(size.height)
    else { throw VipsFailure("its colours cannot be converted") }
    var pixels = UnsafeRawBufferPointer(rebasing: memory[0..<stride * size.height])
    if let light {
      steps.append("mapped \(light.name) to sRGB")
      light.map(memory, count: size.width * size.height)
      pixels = UnsafeRawBufferPointer(rebasing: memory[0..<size.width * size.height * 4])
    }
    return try VipsPicture(copying: pixels, width: size.width, height: size.height, channels: 4)
  }

  /// The matrix between luma and chroma and RGB, as libswscale counts them. Where nobody says, it follows from the size,
  /// as players have it.
  private func matrix(of frame: AVFrame) -> Int32 {
    guard frame.colorspace == AVCOL_SPC_UNSPECIFIED || frame.colorspace == AVCOL_SPC_RGB else {
      return Int32(bitPattern: frame.colorspace.rawValue)
    }
    return frame.width >= 1280 || frame.height > 576 ? Int32(SWS_CS_ITU709) : Int32(SWS_CS_ITU601)
  }
}
