/// How pictures are encoded as H.264: upright, of square pixels, 8 bits of 4:2:0.
package struct PictureEncoding: Codable, Sendable, Equatable {
  /// Clockwise turn to be applied, in degrees: 0, 90, 180 or 270.
  package var rotation: Int
  /// Whether the picture is mirrored left to right after it was turned.
  package var isMirrored: Bool
  package var deinterlaces: Bool
  /// Whether the pictures are of high dynamic range, to be shown on screens that are not.
  package var toneMaps: Bool
  /// What to try, best first: the next when the file became too large.
  package var rungs: [Rung]

  /// One way to make a video small enough.
  package struct Rung: Codable, Sendable, Equatable {
    /// Size in pixels, upright, even.
    package var width: Int
    package var height: Int
    /// Pictures a second at most; those in between are left out.
    package var maximumFrameRate: Double
    /// libx264's constant rate factor, 0 to 51: lower is better.
    package var rateFactor: Int
    /// Bits per second that no second exceeds, however hard the pictures are.
    package var maximumBitRate: Int

    package init(width: Int, height: Int, maximumFrameRate: Double, rateFactor: Int, maximumBitRate: Int) {
      self.width = width
      self.height = height
      self.maximumFrameRate = maximumFrameRate
      self.rateFactor = rateFactor
      self.maximumBitRate = maximumBitRate
    }
  }

  package init(
    rotation: Int = 0, isMirrored: Bool = false, deinterlaces: Bool = false, toneMaps: Bool = false, rungs: [Rung]
  ) {
    self.rotation = rotation
    self.isMirrored = isMirrored
    self.deinterlaces = deinterlaces
    self.toneMaps = toneMaps
    self.rungs = rungs
  }

  /// The rung of an attempt, counted from 0; nil when there are none at all.
  package func rung(_ attempt: Int) -> Rung? {
    rungs.isEmpty ? nil : rungs[min(max(attempt, 0), rungs.count - 1)]
  }
}
