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
    let steps = 4095
    let linear = (0...steps).map { Float(light(of: Double($0) / Double(steps))) }
    // By the root of the light, so that dark tones get their share of the steps.
    let brightest = linear[steps]
    let factors = (0...steps).map { step -> Float in
      let root = Double(max(step, 1)) / Double(steps)
      return Float(factor(for: root * root * Double(brightest)))
    }
    let encoded = (0...steps).map { UInt8((sRGB(Double($0) / Double(steps)) * 255).rounded()) }
    func index(_ value: Float) -> Int { Int(min(max(value, 0), 1) * Float(steps)) }
    let values = memory.bindMemory(to: UInt16.self)
    for pixel in 0..<count {
      // A pixel's 8 bytes are read before the 4 that it becomes are written over earlier ones.
      let start = pixel * 4
      let r = linear[Int(values[start] >> 4)]
      let g = linear[Int(values[start + 1] >> 4)]
      let b = linear[Int(values[start + 2] >> 4)]
      // One factor for all three keeps the hue.
      let luminance = 0.2627 * r + 0.6780 * g + 0.0593 * b
      let factor = factors[index((luminance / brightest).squareRoot())]
      // BT.2020 to BT.709 primaries (ITU-R BT.2087).
      memory[start] = encoded[index((1.6605 * r - 0.5876 * g - 0.0728 * b) * factor)]
      memory[start + 1] = encoded[index((-0.1246 * r + 1.1329 * g - 0.0083 * b) * factor)]
      memory[start + 2] = encoded[index((-0.0182 * r - 0.1006 * g + 1.1187 * b) * factor)]
      memory[start + 3] = 255
    }
  }

  /// Light by the signal: of the display as a multiple of diffuse white, which is 203 cd/m² (ITU-R BT.2408); of the
  /// scene, 1 at its brightest, where the transfer is that of a camera.
  private func light(of signal: Double) -> Double {
    switch transfer {
    case .perceptual:
      let (m1, m2, c1, c2, c3) = (0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875)
      let power = pow(signal, 1 / m2)
      return pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1) * 10_000 / 203
    case .hybridLogGamma:
      let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
      return signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
    }
  }

  /// By what the light of a pixel of this luminance becomes what sRGB shows, where 1 is white.
  private func factor(for luminance: Double) -> Double {
    let shown =
      switch transfer {
      case .perceptual: luminance
      // On a display of 1000 cd/m², whose gamma is 1.2 (ITU-R BT.2100).
      case .hybridLogGamma: pow(luminance, 1.2) * 1000 / 203
      }
    return compressed(shown) / luminance
  }

  /// Leaves dark and middle tones as they are and bends brighter ones towards white, which is 1000 cd/m² (Reinhard).
  private func compressed(_ light: Double) -> Double {
    let knee = 0.6
    guard light > knee else { return light }
    let room = 1 - knee
    let white = (1000 / 203 - knee) / room
    let above = (light - knee) / room
    return knee + room * above * (1 + above / (white * white)) / (1 + above)
  }

  private func sRGB(_ light: Double) -> Double {
    light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }
}
