/// Pixels for an app to show, or to write to a file.
public struct PlaceholderPicture: Sendable, Equatable {
  public let width: Int
  public let height: Int
  /// Four bytes for each pixel, row by row, sRGB; the colours are not multiplied by the opacity.
  public let rgba: [UInt8]
}

extension ThumbHash {
  /// The picture that the hash describes, its longer side 32 pixels: to be enlarged smoothly.
  public func picture() -> PlaceholderPicture {
    guard let layout = ThumbHashLayout(bytes) else { return PlaceholderPicture(width: 0, height: 0, rgba: []) }
    let ratio = layout.aspectRatio
    let width = ratio > 1 ? 32 : nearest(32 * ratio)
    let height = ratio > 1 ? nearest(32 / ratio) : 32
    let channels = decodedChannels(layout).map { $0.values(width: width, height: height) }
    var rgba: [UInt8] = []
    rgba.reserveCapacity(width * height * 4)
    for index in 0..<width * height {
      let (luma, yellowBlue, redGreen) = (channels[0][index], channels[1][index], channels[2][index])
      let blue = luma - 2.0 / 3.0 * yellowBlue
      let red = (3 * luma - blue + redGreen) / 2
      let green = red - redGreen
      let alpha = channels.count > 3 ? channels[3][index] : 1
      rgba += [red, green, blue, alpha].map { UInt8(255 * min(max($0, 0), 1)) }
    }
    return PlaceholderPicture(width: width, height: height, rgba: rgba)
  }

  private func decodedChannels(_ layout: ThumbHashLayout) -> [Channel] {
    let colour = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
    let shape = Int(bytes[3]) | Int(bytes[4]) << 8
    var constants = [
      Double(colour & 63) / 63, Double(colour >> 6 & 63) / 31.5 - 1, Double(colour >> 12 & 63) / 31.5 - 1,
    ]
    // Colours come back somewhat stronger, as coarse steps have made them weaker.
    var scales = [
      Double(colour >> 18 & 31) / 31, Double(shape >> 3 & 63) / 63 * 1.25, Double(shape >> 9 & 63) / 63 * 1.25,
    ]
    if layout.hasAlpha {
      constants.append(Double(bytes[5] & 15) / 15)
      scales.append(Double(bytes[5] >> 4) / 15)
    }
    var nibbles = bytes[layout.headerBytes...].flatMap { [$0 & 15, $0 >> 4] }[...]
    return layout.channelSizes.enumerated().map { index, size in
      let waves = waves(columns: size.columns, rows: size.rows).dropFirst()
      let strengths = nibbles.prefix(waves.count).map { (Double($0) / 7.5 - 1) * scales[index] }
      nibbles = nibbles.dropFirst(waves.count)
      return Channel(constant: constants[index], waves: Array(zip(waves, strengths)))
    }
  }

  private struct Channel {
    let constant: Double
    let waves: [(wave: Wave, strength: Double)]

    func values(width: Int, height: Int) -> [Double] {
      let alongX = (0..<7).map { samples(ofWave: $0, over: width) }
      let alongY = (0..<7).map { samples(ofWave: $0, over: height) }
      var values = [Double](repeating: constant, count: width * height)
      for (wave, strength) in waves {
        for y in 0..<height {
          for x in 0..<width { values[x + y * width] += strength * alongX[wave.x][x] * (alongY[wave.y][y] * 2) }
        }
      }
      return values
    }
  }
}
