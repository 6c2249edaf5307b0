import RichPush

/// What a GIF's blocks are put into anew.
struct GIFTiming: Equatable {
  /// Hundredths of a second, one for each frame.
  let delays: [Int]
  /// How often the animation plays, 0 for ever.
  let plays: Int

  /// GIF knows hundredths of a second only, so what is rounded away of one frame is given to the next: no frame is
  /// off by more than 5 ms, and neither is the whole.
  /// - Parameter milliseconds: one for each frame.
  init(milliseconds: [Int], plays: Int) {
    var passed = 0
    var written = 0
    delays = milliseconds.map { delay in
      passed += delay
      let hundredths = min(max(2, (passed + 5) / 10 - written), 65_535)
      written += hundredths
      return hundredths
    }
    self.plays = plays
  }

  /// Seconds of one play.
  var duration: Double { Double(delays.reduce(0, +)) / 100 }
}

extension GIFStructure {
  /// The same frames, byte for byte, in a file that holds nothing else: no comments, no foreign extensions, nothing
  /// behind the end.
  /// - Parameter size: of the canvas, which some files give wrongly.
  func rewritten(_ file: MediaFile, size: (width: Int, height: Int), _ timing: GIFTiming) -> [UInt8] {
    var result = file.bytes(at: prefix.lowerBound, count: prefix.count)
    guard result.count == prefix.count, result.count >= 13 else { return [] }
    // Loops and delays came with 89a.
    result.replaceSubrange(0..<6, with: Array("GIF89a".utf8))
    result.replaceSubrange(6..<10, with: littleEndian(size.width) + littleEndian(size.height))
    if timing.plays != 1 {
      let repetitions = timing.plays == 0 ? 0 : min(timing.plays - 1, 65_535)
      result += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + littleEndian(repetitions) + [0]
    }
    for (frame, delay) in zip(frames, timing.delays) {
      result += GIFStructure.controlBlock(frame, hundredths: delay)
      result += file.bytes(at: frame.image.lowerBound, count: frame.image.count)
    }
    result.append(0x3B)
    return result
  }

  /// The graphic control extension of a frame: disposal, transparency and delay.
  static func controlBlock(_ frame: Frame, hundredths: Int) -> [UInt8] {
    [0x21, 0xF9, 4, frame.control ?? 0] + littleEndian(hundredths) + [frame.transparentIndex, 0]
  }
}

private func littleEndian(_ number: Int) -> [UInt8] {
  [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
}
