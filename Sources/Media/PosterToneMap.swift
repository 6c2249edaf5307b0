import CFFmpeg
import Glibc

/// Light brighter than a display's white, and colours wider than sRGB, brought down to what a JPEG shows.
struct HighDynamicRange {
  private enum Transfer {
    /// SMPTE ST 2084.
    case perceptual
    /// ARIB STD-B67.
    case hybridLogGamma
  }

  private let transfer: Transfer

  /// - Returns: nil for a frame of ordinary light.
  init?(_ frame: AVFrame) {
    switch frame.color_trc {
    case AVCOL_TRC_SMPTE2084: transfer = .perceptual
    case AVCOL_TRC_ARIB_STD_B67: transfer = .hybridLogGamma
    default: return nil
    }
  }

  /// For people.
  var name: String {
    switch transfer {
    case .perceptual: "HDR (PQ)"
    case .hybridLogGamma: "HDR (HLG)"
    }
  }

  /// Turns RGBA of 16 bits into RGBA of 8 bits in the same memory.
  func map(_ memory: UnsafeMutableRawBufferPointer, count: Int) {
    let linear = (0..<4096).map { Float(light(of: Double($0) / 4095)) }
    let encoded = (0..<4096).map { UInt8((sRGB(Double($0) / 4095) * 255).rounded()) }
    let values = memory.bindMemory(to: UInt16.self)
    func component(_ index: Int) -> Float { linear[Int(values[index] >> 4)] }
    for pixel in 0..<count {
      let (r, g, b) = (component(pixel * 4), component(pixel * 4 + 1), component(pixel * 4 + 2))
      // One factor for all three keeps the hue.
      let luminance = 0.2627 * r + 0.6780 * g + 0.0593 * b
      let factor = luminance > 0 ? compressed(luminance) / luminance : 0
      // BT.2020 to BT.709 primaries (ITU-R BT.2087).
      let red = (1.6605 * r - 0.5876 * g - 0.0728 * b) * factor
      let green = (-0.1246 * r + 1.1329 * g - 0.0083 * b) * factor
      let blue = (-0.0182 * r - 0.1006 * g + 1.1187 * b) * factor
      let start = pixel * 4
      // A pixel's 8 bytes are read before the 4 that it becomes are written over earlier ones.
      memory[start] = encoded[index(red)]
      memory[start + 1] = encoded[index(green)]
      memory[start + 2] = encoded[index(blue)]
      memory[start + 3] = 255
    }
  }

  private func index(_ value: Float) -> Int { Int(min(max(value, 0), 1) * 4095) }

  /// Light as a multiple of diffuse white, which is 203 cd/m² (ITU-R BT.2408).
  private func light(of signal: Double) -> Double {
    switch transfer {
    case .perceptual:
      let (m1, m2, c1, c2, c3) = (0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875)
      let power = pow(signal, 1 / m2)
      return pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1) * 10_000 / 203
    case .hybridLogGamma:
      let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
      let scene = signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
      // The display's gamma of 1.2, at 1000 cd/m².
      return pow(scene, 1.2) * 1000 / 203
    }
  }

  /// Leaves dark and middle tones nearly as they are and bends bright ones towards white (Reinhard, white at 1000 cd/m²).
  private func compressed(_ light: Float) -> Float {
    let white: Float = 1000 / 203
    return light * (1 + light / (white * white)) / (1 + light * 0.6)
  }

  private func sRGB(_ light: Double) -> Double {
    light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }
}
