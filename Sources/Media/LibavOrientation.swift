import CFFmpeg
import Glibc

/// How a track is turned for display, from its display matrix.
struct DisplayOrientation: Equatable {
  /// Clockwise rotation in degrees, 0 to 359.
  var rotation = 0
  /// Whether the picture is mirrored left to right after it was rotated.
  var isMirrored = false

  /// Whether the picture lies on its side.
  var isTransposed: Bool { rotation % 180 == 90 }

  /// The same as EXIF counts it, 1 to 8; turns other than by right angles count as none.
  var exif: Int {
    switch (rotation, isMirrored) {
    case (0, true): 2
    case (180, false): 3
    case (180, true): 4
    case (90, true): 5
    case (90, false): 6
    case (270, true): 7
    case (270, false): 8
    default: 1
    }
  }

  init(of stream: UnsafePointer<AVStream>) {
    let bytes = 9 * MemoryLayout<Int32>.size
    var size = 0
    guard let data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= bytes else {
      self.init(matrix: [])
      return
    }
    var matrix = [Int32](repeating: 0, count: 9)
    matrix.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(start: data, count: bytes)) }
    self.init(matrix: matrix)
  }

  /// - Parameter matrix: nine numbers as av_display_rotation_get takes them.
  init(matrix: [Int32]) {
    guard matrix.count == 9 else { return }
    var matrix = matrix
    // A negative determinant mirrors.
    let (a, b, c, d) = (Double(matrix[0]), Double(matrix[1]), Double(matrix[3]), Double(matrix[4]))
    isMirrored = a * d - b * c < 0
    if isMirrored { av_display_matrix_flip(&matrix, 1, 0) }
    let degrees = -av_display_rotation_get(matrix)
    guard degrees.isFinite else { return }
    rotation = ((Int(degrees.rounded()) % 360) + 360) % 360
  }

  /// The display matrix that shows just this, and the picture in its own size with its corner at the origin, as
  /// av_display_rotation_get takes it. Cameras and editors also write matrices that scale, slant or shift; players
  /// disagree about those, and one of zeros shows nothing at all.
  /// - Parameters:
  ///   - width: of the stored picture, in pixels.
  ///   - height: likewise.
  /// - Returns: nil when there is nothing to turn or mirror; turns other than by right angles count as none.
  func matrix(width: Int32, height: Int32) -> [Int32]? {
    guard exif != 1 else { return nil }
    let (cosine, sine): (Int32, Int32) =
      switch rotation {
      case 90: (0, 1)
      case 180: (-1, 0)
      case 270: (0, -1)
      default: (1, 0)
      }
    let sideways: Int32 = isMirrored ? -1 : 1
    let (a, b, c, d) = (cosine * sideways, sine, -sine * sideways, cosine)
    let (x, y) = (max(-a, 0) * width + max(-c, 0) * height, max(-b, 0) * width + max(-d, 0) * height)
    let one: Int32 = 1 << 16
    return [a * one, b * one, 0, c * one, d * one, 0, x &* one, y &* one, 1 << 30]
  }
}
