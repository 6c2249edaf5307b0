import CFFmpeg
import Glibc

/// How much there is to see in a decoded picture, by its lightness alone.
struct PosterJudgement {
  /// 0 to 255.
  let mean: Double
  /// Standard deviation, of the same scale.
  let deviation: Double
  /// Bits, of a histogram of 64 steps: 0 for one colour, 6 when all are as frequent.
  let entropy: Double

  /// A picture that shows something, as most do.
  static let good = 0.35
  /// Less than this is next to nothing: black, white, the middle of a fade.
  static let acceptable = 0.12

  /// From 0, nothing to see, to 1.
  var score: Double {
    // Neither nearly black nor nearly white.
    let exposure = min(ramp(mean, from: 8, to: 40), ramp(255 - mean, from: 8, to: 40))
    return exposure * min(deviation / 32, 1) * min(entropy / 4, 1)
  }

  private func ramp(_ value: Double, from low: Double, to high: Double) -> Double {
    min(max((value - low) / (high - low), 0), 1)
  }
}

extension PosterJudgement {
  /// Looks at a grid of samples of a frame's first component, which is luma or green.
  /// - Returns: nil for pixel formats whose samples cannot be read one by one.
  init?(_ frame: UnsafePointer<AVFrame>) {
    guard let samples = LumaSamples(frame) else { return nil }
    var histogram = [Int](repeating: 0, count: 64)
    var (sum, squares, count) = (0.0, 0.0, 0.0)
    samples.visitGrid(columns: 96, rows: 96) { value in
      histogram[min(max(Int(value / 4), 0), 63)] += 1
      sum += value
      squares += value * value
      count += 1
    }
    guard count > 0 else { return nil }
    mean = sum / count
    deviation = max(squares / count - mean * mean, 0).squareRoot()
    entropy = histogram.reduce(0) { bits, frequency in
      guard frequency > 0 else { return bits }
      let share = Double(frequency) / count
      return bits - share * log2(share)
    }
  }
}

/// Read access to one component of a frame.
private struct LumaSamples {
  private let plane: UnsafePointer<UInt8>
  private let lineSize: Int
  private let component: AVComponentDescriptor
  private let isBigEndian: Bool
  private let isLimited: Bool
  private let width: Int
  private let height: Int

  init?(_ frame: UnsafePointer<AVFrame>) {
    let frame = frame.pointee
    let format = AVPixelFormat(rawValue: frame.format)
    guard let description = av_pix_fmt_desc_get(format)?.pointee else { return nil }
    let unreadable = UInt64(
      AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT
        | AV_PIX_FMT_FLAG_BAYER)
    guard description.flags & unreadable == 0 else { return nil }
    let isRGB = description.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
    component = isRGB && description.nb_components >= 3 ? description.comp.1 : description.comp.0
    guard (8...16).contains(component.depth), frame.width > 0, frame.height > 0 else { return nil }
    let planes = [frame.data.0, frame.data.1, frame.data.2, frame.data.3]
    let lineSizes = [frame.linesize.0, frame.linesize.1, frame.linesize.2, frame.linesize.3]
    guard (0..<4).contains(component.plane), let start = planes[Int(component.plane)] else { return nil }
    plane = UnsafePointer(start)
    lineSize = Int(lineSizes[Int(component.plane)])
    isBigEndian = description.flags & UInt64(AV_PIX_FMT_FLAG_BE) != 0
    isLimited = !isRGB && description.nb_components >= 3 && !isFullRange(frame)
    width = Int(frame.width)
    height = Int(frame.height)
  }

  /// Calls `visit` with values of 0 to 255 in the middle of each field of a grid.
  func visitGrid(columns: Int, rows: Int, _ visit: (Double) -> Void) {
    let (columns, rows) = (min(columns, width), min(rows, height))
    let scale = 255 / Double((1 << component.depth) - 1)
    for row in 0..<rows {
      let line = plane + (row * 2 + 1) * height / (2 * rows) * lineSize
      for column in 0..<columns {
        let x = (column * 2 + 1) * width / (2 * columns)
        let sample = line + x * Int(component.step) + Int(component.offset)
        var value = Int(sample[0])
        if component.depth > 8 || component.shift > 0 {
          value = isBigEndian ? value << 8 | Int(sample[1]) : value | Int(sample[1]) << 8
        }
        value = value >> Int(component.shift) & ((1 << component.depth) - 1)
        let lightness = Double(value) * scale
        visit(isLimited ? min(max((lightness - 16) * 255 / 219, 0), 255) : lightness)
      }
    }
  }
}

/// Whether a frame of luma and chroma uses all values of its samples.
func isFullRange(_ frame: AVFrame) -> Bool {
  if frame.color_range == AVCOL_RANGE_JPEG { return true }
  let full = [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P]
  return full.contains(AVPixelFormat(rawValue: frame.format))
}
