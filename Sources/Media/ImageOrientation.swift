/// How a picture has to be turned to stand upright: EXIF 2.32, tag 0x0112.
///
/// The stored picture is first mirrored left to right, then rotated clockwise.
struct Orientation: Equatable {
  /// 1 to 8.
  let exif: Int

  /// Anything but 1 to 8 means that nothing has to be done.
  init(exif: Int) {
    self.exif = (1...8).contains(exif) ? exif : 1
  }

  var isMirrored: Bool { [2, 4, 5, 7].contains(exif) }
  /// Degrees clockwise.
  var rotation: Int {
    switch exif {
    case 3, 4: 180
    case 6, 7: 90
    case 5, 8: 270
    default: 0
    }
  }
  var isTransposed: Bool { exif >= 5 }

  // The same as mirrored axes of the stored picture, then exchanged axes.
  var mirrorsColumns: Bool { [2, 3, 7, 8].contains(exif) }
  var mirrorsRows: Bool { [3, 4, 6, 7].contains(exif) }

  /// For people; nil when nothing is done.
  var step: String? {
    switch (isMirrored, rotation) {
    case (false, 0): nil
    case (true, 0): "mirrored"
    case (false, let degrees): "rotated \(degrees)"
    case (true, let degrees): "mirrored and rotated \(degrees)"
    }
  }
}
