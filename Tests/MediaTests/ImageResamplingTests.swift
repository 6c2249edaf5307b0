import Testing

@testable import Media

@Suite("Resampling a plane")
struct ImageResamplingTests {
  @Test("to the same size changes nothing")
  func identity() {
    let row: [UInt8] = [0, 50, 255, 128, 7, 99, 200, 31, 4]
    #expect(resampled(row, to: 9, extent: 9) == row)
  }

  @Test("mirrors on the way")
  func mirrored() {
    #expect(resampled([10, 20, 30, 40], to: 4, extent: 4, isMirrored: true) == [40, 30, 20, 10])
  }

  @Test("keeps one colour one colour", arguments: [1, 2, 7, 31, 100])
  func constant(count: Int) {
    #expect(
      resampled([UInt8](repeating: 201, count: 50), to: count, extent: 50) == [UInt8](repeating: 201, count: count))
  }

  @Test("goes by the picture's true length, not by what the decoder padded it to")
  func fraction() {
    // A ramp of 10 per sample: every result lies where its centre does.
    let ramp = (0..<25).map { UInt8($0 * 10) }
    let half = resampled(ramp, to: 10, extent: 24.5)
    for index in 3..<7 {
      let centre = (Double(index) + 0.5) * 2.45 - 0.5
      #expect(abs(Double(half[index]) - centre * 10) <= 1.5)
    }
  }

  private func resampled(_ row: [UInt8], to count: Int, extent: Double, isMirrored: Bool = false) -> [UInt8] {
    var source = row
    var result = [UInt8](repeating: 0, count: count)
    source.withUnsafeMutableBufferPointer { samples in
      result.withUnsafeMutableBufferPointer { target in
        resample(
          Plane(samples: samples, columns: samples.count, rows: 1, stride: samples.count),
          columns: ResamplingAxis(
            count: count, step: extent / Double(count), extent: extent, available: samples.count,
            isMirrored: isMirrored),
          rows: ResamplingAxis(count: 1, step: 1, extent: 1, available: 1, isMirrored: false),
          into: Plane(samples: target, columns: count, rows: 1, stride: count))
      }
    }
    return result
  }
}
