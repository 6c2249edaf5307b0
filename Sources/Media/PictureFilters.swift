import CFFmpeg
import Preparation

/// The filters between decoder and encoder.
struct PictureFilters {
  var encoding: PictureEncoding
  var rung: PictureEncoding.Rung
  var colour: PictureColour

  /// Size in pixels before the picture is turned.
  private var lying: (width: Int, height: Int) {
    encoding.rotation % 180 == 90 ? (rung.height, rung.width) : (rung.width, rung.height)
  }

  /// The chain for frames like this one, as libavfilter reads it.
  func description(for frame: AVFrame) -> String {
    var filters: [String] = []
    if encoding.deinterlaces || frame.interlaced_frame != 0 {
      filters.append("bwdif=mode=send_frame:parity=auto:deint=all")
    }
    filters += geometry(of: frame)
    if let conversion = colour.conversion { filters.append(conversion) }
    switch encoding.rotation {
    case 90: filters.append("transpose=dir=clock")
    case 180: filters += ["hflip", "vflip"]
    case 270: filters.append("transpose=dir=cclock")
    default: break
    }
    if encoding.isMirrored { filters.append("hflip") }
    return (filters + ["format=pix_fmts=yuv420p"]).joined(separator: ",")
  }

  private func geometry(of frame: AVFrame) -> [String] {
    let (width, height) = lying
    let (extraWidth, extraHeight) = (Int(frame.width) - width, Int(frame.height) - height)
    var filters: [String] = []
    // An odd row or column is better lost than all others blurred.
    let isCut = (0...1).contains(extraWidth) && (0...1).contains(extraHeight)
    if isCut, extraWidth + extraHeight > 0 { filters.append("crop=\(width):\(height):0:0:exact=1") }
    let isPlain = frame.format == AV_PIX_FMT_YUV420P.rawValue && !colour.isFullRange
    switch colour.treatment {
    case .keep:
      if !isCut || !isPlain { filters.append("scale=\(width):\(height):flags=bicubic:\(colour.scaling)") }
    case .narrow, .toneMap:
      // Shrunk first, since what follows is slow and wants much memory. The matrix stays as it is.
      let range = "in_range=\(colour.isFullRange ? "full" : "limited"):out_range=limited"
      filters.append("scale=\(width):\(height):flags=bicubic:\(range),format=yuv420p10le")
    }
    return filters
  }
}
