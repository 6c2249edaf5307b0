import Glibc

/// Where the samples of one axis come from when it gets another length.
///
/// Positions are exact: a picture of 2725 columns that was decoded at half size has 1362.5 columns, whatever the
/// decoder padded it to.
struct ResamplingAxis {
  /// Number of samples in the result.
  let count: Int
  /// Source samples per sample of the result.
  let step: Double
  /// Length of the picture in source samples.
  let extent: Double
  /// Number of samples in the source.
  let available: Int
  let isMirrored: Bool

  /// The weights of each sample of the result, by Lanczos-3.
  func taps() -> ResamplingTaps {
    let widening = max(1, step)
    let reach = 3 * widening
    // Padded to whole groups of four, which is what one instruction multiplies.
    let width = (min(available, Int((2 * reach).rounded(.up)) + 1) + 3) / 4 * 4
    var firsts: [Int] = []
    var weights: [Float] = []
    firsts.reserveCapacity(count)
    weights.reserveCapacity(count * width)
    for index in 0..<count {
      let forward = (Double(index) + 0.5) * step
      let centre = isMirrored ? extent - forward : forward
      let low = min(max(0, Int((centre - reach).rounded(.up))), available - 1)
      let high = max(low, min(available - 1, Int((centre + reach).rounded(.down)), low + width - 1))
      var own = (low...high).map { lanczos3((Double($0) + 0.5 - centre) / widening) }
      let sum = own.reduce(0, +)
      if abs(sum) > 1e-6 {
        for tap in own.indices { own[tap] /= sum }
      } else {
        own[0] = 1
      }
      firsts.append(low)
      weights += own.map(Float.init)
      weights += repeatElement(0, count: width - own.count)
    }
    return ResamplingTaps(width: width, firsts: firsts, weights: weights)
  }
}

struct ResamplingTaps {
  /// Weights per sample, a multiple of four; those that are not needed are zero.
  let width: Int
  let firsts: [Int]
  let weights: [Float]
}

private func lanczos3(_ x: Double) -> Double {
  guard abs(x) >= 1e-9 else { return 1 }
  guard abs(x) < 3 else { return 0 }
  let angle = Double.pi * x
  return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
}

/// Resamples a plane: rows first, so that the second step reads numbers that lie side by side.
func resample(_ source: Plane, columns: ResamplingAxis, rows: ResamplingAxis, into target: Plane) {
  let columnTaps = columns.taps()
  let rowTaps = rows.taps()
  // Room for the zero weights behind the last column.
  let line = UnsafeMutablePointer<Float>.allocate(capacity: source.columns + columnTaps.width)
  line.initialize(repeating: 0, count: source.columns + columnTaps.width)
  defer { line.deallocate() }
  guard let samples = source.samples.baseAddress, let results = target.samples.baseAddress else { return }
  columnTaps.weights.withUnsafeBufferPointer { columnWeights in
    rowTaps.weights.withUnsafeBufferPointer { rowWeights in
      columnTaps.firsts.withUnsafeBufferPointer { firsts in
        guard let across = columnWeights.baseAddress, let down = rowWeights.baseAddress else { return }
        for row in 0..<target.rows {
          sumRows(
            samples + rowTaps.firsts[row] * source.stride, stride: source.stride,
            rows: min(rowTaps.width, source.rows - rowTaps.firsts[row]), columns: source.columns,
            weights: down + row * rowTaps.width, into: line)
          sumColumns(
            line, firsts: firsts, weights: across, width: columnTaps.width, into: results + row * target.stride)
        }
      }
    }
  }
}

/// The weighted sum of rows. Written so that the compiler turns the inner loop into vector instructions.
private func sumRows(
  _ samples: UnsafePointer<UInt8>, stride: Int, rows: Int, columns: Int, weights: UnsafePointer<Float>,
  into line: UnsafeMutablePointer<Float>
) {
  var row = 0
  while row < rows {
    let first = samples + row * stride
    if row + 4 <= rows {
      let (a, b, c, d) = (weights[row], weights[row + 1], weights[row + 2], weights[row + 3])
      let (second, third, fourth) = (first + stride, first + 2 * stride, first + 3 * stride)
      let keep: Float = row == 0 ? 0 : 1
      for column in 0..<columns {
        line[column] =
          keep * line[column] + (a * Float(first[column]) + b * Float(second[column]))
          + (c * Float(third[column]) + d * Float(fourth[column]))
      }
      row += 4
    } else {
      let weight = weights[row]
      let keep: Float = row == 0 ? 0 : 1
      for column in 0..<columns {
        line[column] = keep * line[column] + weight * Float(first[column])
      }
      row += 1
    }
  }
}

/// The weighted sums along one row.
private func sumColumns(
  _ line: UnsafePointer<Float>, firsts: UnsafeBufferPointer<Int>, weights: UnsafePointer<Float>, width: Int,
  into result: UnsafeMutablePointer<UInt8>
) {
  for column in 0..<firsts.count {
    let samples = UnsafeRawPointer(line + firsts[column])
    let own = UnsafeRawPointer(weights + column * width)
    var sums = SIMD4<Float>.zero
    var tap = 0
    while tap < width {
      let offset = tap * MemoryLayout<Float>.stride
      sums +=
        samples.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float>.self)
        * own.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float>.self)
      tap += 4
    }
    result[column] = UInt8(max(0, min(255, sums[0] + sums[1] + sums[2] + sums[3] + 0.5)))
  }
}

/// Exchanges columns and rows.
func transpose(_ source: Plane, into target: Plane) {
  // In blocks that stay in the cache while one of the two sides is walked across its rows.
  let block = 32
  for top in stride(from: 0, to: source.rows, by: block) {
    for left in stride(from: 0, to: source.columns, by: block) {
      for row in top..<min(top + block, source.rows) {
        for column in left..<min(left + block, source.columns) {
          target.samples[column * target.stride + row] = source.samples[row * source.stride + column]
        }
      }
    }
  }
}
