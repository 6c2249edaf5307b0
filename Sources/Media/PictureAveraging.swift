/// How the samples of one axis are averaged into fewer, each by the part of it that falls to the new one.
struct AveragingAxis {
  /// Number of samples in the result.
  let count: Int
  /// The samples of the source that each one of the result covers.
  private(set) var spans: [Range<Int>] = []
  /// Their weights, one after the other, which add up to 1 for each sample of the result.
  private(set) var weights: [Float] = []
  /// Where the weights of each sample begin.
  private(set) var starts: [Int] = []

  /// - Parameters:
  ///   - extent: length of the picture in samples of the source; not whole for chroma and for what was decoded smaller.
  ///   - available: number of samples in the source.
  init(count: Int, extent: Double, available: Int) {
    self.count = count
    let step = extent / Double(count)
    for index in 0..<count {
      let (start, end) = (Double(index) * step, Double(index + 1) * step)
      let first = min(Int(start), available - 1)
      let span = first..<max(first + 1, min(Int(end.rounded(.up)), available))
      let covered = span.map { max(0, min(end, Double($0 + 1)) - max(start, Double($0))) }
      let sum = covered.reduce(0, +)
      spans.append(span)
      starts.append(weights.count)
      weights += covered.map { Float(sum > 0 ? $0 / sum : 1 / Double(span.count)) }
    }
  }
}

/// Samples of 8 bits that belong to somebody else: channels interleaved.
struct InterleavedSamples {
  let start: UnsafePointer<UInt8>
  let channels: Int
  /// Bytes from one row to the next.
  let stride: Int
}

/// Makes a picture smaller by averaging, in one pass over its samples. For thumbnails that nobody looks at closely it
/// does as well as any filter.
/// - Parameters:
///   - isTransparent: whether the last channel is opacity by which the others count; the result is not premultiplied.
///   - result: rows without padding, as many channels.
func average(
  _ source: InterleavedSamples, columns: AveragingAxis, rows: AveragingAxis, isTransparent: Bool,
  into result: UnsafeMutablePointer<UInt8>
) {
  let channels = source.channels
  let width = (columns.spans.last?.upperBound ?? 0) * channels
  let line = UnsafeMutablePointer<Float>.allocate(capacity: width)
  let sums = UnsafeMutablePointer<Float>.allocate(capacity: channels)
  defer {
    line.deallocate()
    sums.deallocate()
  }
  for row in 0..<rows.count {
    line.initialize(repeating: 0, count: width)
    for (offset, index) in rows.spans[row].enumerated() {
      let samples = source.start + index * source.stride
      let weight = rows.weights[rows.starts[row] + offset]
      if isTransparent {
        addPremultiplied(samples, channels: channels, count: width, weight: weight, to: line)
      } else {
        for column in 0..<width { line[column] += weight * Float(samples[column]) }
      }
    }
    for column in 0..<columns.count {
      sums.initialize(repeating: 0, count: channels)
      for (offset, index) in columns.spans[column].enumerated() {
        let weight = columns.weights[columns.starts[column] + offset]
        for channel in 0..<channels { sums[channel] += weight * line[index * channels + channel] }
      }
      let opacity = isTransparent ? sums[channels - 1] : 1
      let pixel = result + (row * columns.count + column) * channels
      for channel in 0..<channels {
        let isOpacity = isTransparent && channel == channels - 1
        let value = isOpacity ? sums[channel] * 255 : opacity > 0 ? sums[channel] / opacity : 0
        pixel[channel] = UInt8(max(0, min(255, value + 0.5)))
      }
    }
  }
}

/// Adds colours times opacity, and opacity from 0 to 1.
private func addPremultiplied(
  _ samples: UnsafePointer<UInt8>, channels: Int, count: Int, weight: Float, to line: UnsafeMutablePointer<Float>
) {
  var pixel = 0
  while pixel < count {
    let last = pixel + channels - 1
    let part = weight * Float(samples[last]) / 255
    for channel in pixel..<last { line[channel] += part * Float(samples[channel]) }
    line[last] += part
    pixel += channels
  }
}
