/// The pixels of a picture, taken apart into what a hash describes.
struct ThumbHashPixels {
  private let width: Int
  private let height: Int
  private let hasAlpha: Bool
  private var luma: [Double] = []
  /// Yellow against blue.
  private var yellowBlue: [Double] = []
  private var redGreen: [Double] = []
  private var alpha: [Double] = []

  /// - Parameter rgba: width × height × 4 bytes.
  init(width: Int, height: Int, rgba: [UInt8]) {
    (self.width, self.height) = (width, height)
    let pixels = stride(from: 0, to: rgba.count, by: 4)
    var (red, green, blue, opacity) = (0.0, 0.0, 0.0, 0.0)
    for index in pixels {
      let alpha = Double(rgba[index + 3]) / 255
      red += alpha / 255 * Double(rgba[index])
      green += alpha / 255 * Double(rgba[index + 1])
      blue += alpha / 255 * Double(rgba[index + 2])
      opacity += alpha
    }
    luma.reserveCapacity(width * height)
    yellowBlue.reserveCapacity(width * height)
    redGreen.reserveCapacity(width * height)
    self.alpha.reserveCapacity(width * height)
    if opacity > 0 {
      red /= opacity
      green /= opacity
      blue /= opacity
    }
    hasAlpha = opacity < Double(width * height)
    // What is transparent takes the average colour, which disturbs the waves the least.
    for index in pixels {
      let alpha = Double(rgba[index + 3]) / 255
      let r = red * (1 - alpha) + alpha / 255 * Double(rgba[index])
      let g = green * (1 - alpha) + alpha / 255 * Double(rgba[index + 1])
      let b = blue * (1 - alpha) + alpha / 255 * Double(rgba[index + 2])
      luma.append((r + g + b) / 3)
      yellowBlue.append((r + g) / 2 - b)
      redGreen.append(r - g)
      self.alpha.append(alpha)
    }
  }

  func hash() -> [UInt8] {
    // Opacity takes room from brightness.
    let limit = hasAlpha ? 5 : 7
    let longSide = Double(max(width, height))
    let columns = max(1, nearest(Double(limit * width) / longSide))
    let rows = max(1, nearest(Double(limit * height) / longSide))
    let isLandscape = width > height

    let l = spectrum(of: luma, columns: max(3, columns), rows: max(3, rows))
    let p = spectrum(of: yellowBlue, columns: 3, rows: 3)
    let q = spectrum(of: redGreen, columns: 3, rows: 3)
    let a = hasAlpha ? spectrum(of: alpha, columns: 5, rows: 5) : nil

    var colour = nearest(63 * l.constant)
    colour |= nearest(31.5 + 31.5 * p.constant) << 6
    colour |= nearest(31.5 + 31.5 * q.constant) << 12
    colour |= nearest(31 * l.scale) << 18
    colour |= hasAlpha ? 1 << 23 : 0
    var shape = isLandscape ? rows : columns
    shape |= nearest(63 * p.scale) << 3
    shape |= nearest(63 * q.scale) << 9
    shape |= isLandscape ? 1 << 15 : 0

    var hash = [colour, colour >> 8, colour >> 16, shape, shape >> 8].map { UInt8(truncatingIfNeeded: $0) }
    if let a { hash.append(UInt8(truncatingIfNeeded: nearest(15 * a.constant) | nearest(15 * a.scale) << 4)) }
    let factors = [l, p, q, a].compactMap { $0 }.flatMap(\.varying).map { nearest(15 * $0) }
    for index in stride(from: 0, to: factors.count, by: 2) {
      let second = index + 1 < factors.count ? factors[index + 1] : 0
      hash.append(UInt8(truncatingIfNeeded: factors[index] | second << 4))
    }
    return hash
  }

  /// One channel as waves.
  private struct Spectrum {
    var constant = 0.0
    /// The others, from 0 to 1, where 0.5 is none.
    var varying: [Double] = []
    /// What 1 stands for.
    var scale = 0.0
  }

  private func spectrum(of channel: [Double], columns: Int, rows: Int) -> Spectrum {
    let alongX = (0..<columns).map { samples(ofWave: $0, over: width) }
    // Each wave is a product of one along each side, so the columns need to be added up once for all waves in a row.
    let downColumns = (0..<rows).map { sums(ofColumns: channel, by: samples(ofWave: $0, over: height)) }
    var spectrum = Spectrum()
    for wave in waves(columns: columns, rows: rows) {
      var sum = 0.0
      for (column, factor) in zip(downColumns[wave.y], alongX[wave.x]) { sum += column * factor }
      let strength = sum / Double(width * height)
      if wave == Wave(x: 0, y: 0) {
        spectrum.constant = strength
      } else {
        spectrum.varying.append(strength)
        spectrum.scale = max(spectrum.scale, abs(strength))
      }
    }
    // Waves of nothing but the errors of addition are none: a plain picture has the same hash on every processor.
    if spectrum.scale < 1e-12 { (spectrum.scale, spectrum.varying) = (0, spectrum.varying.map { _ in 0 }) }
    let scale = spectrum.scale
    if scale > 0 { spectrum.varying = spectrum.varying.map { 0.5 + 0.5 / scale * $0 } }
    return spectrum
  }

  /// The sum of each column, each row counting as much as its factor says.
  private func sums(ofColumns channel: [Double], by factors: [Double]) -> [Double] {
    var sums = [Double](repeating: 0, count: width)
    sums.withUnsafeMutableBufferPointer { sums in
      channel.withUnsafeBufferPointer { channel in
        for (row, factor) in factors.enumerated() {
          let pixels = channel[row * width..<(row + 1) * width]
          for (column, value) in zip(sums.indices, pixels) { sums[column] += factor * value }
        }
      }
    }
    return sums
  }
}

/// The nearest whole number of one that is not negative.
func nearest(_ value: Double) -> Int {
  Int(value + 0.5)
}
