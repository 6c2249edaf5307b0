/// A picture in some 25 bytes: what an app shows as long as, or because, the picture itself is not there.
///
/// It is Evan Wallace's ThumbHash (evanw.github.io/thumbhash): brightness, two differences of colours and opacity, each
/// as the first coefficients of a cosine transform, in 4 bits each. The bytes are those of his programs, save that a
/// coefficient of exactly 0 has two neighbours, and errors of rounding choose between them.
public struct ThumbHash: Sendable, Equatable {
  /// The longest side of a picture that a hash is made of, in pixels. More would change nothing that fits into a hash.
  public static let maximumSide = 100

  public let bytes: [UInt8]

  /// Takes a hash that somebody has made.
  /// - Returns: nil when it is too short for what its first bytes announce.
  public init?(bytes: [UInt8]) {
    guard bytes.count >= 5, let layout = ThumbHashLayout(bytes), bytes.count >= layout.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Takes a hash as payloads and manifests hold it.
  public init?(base64: String) {
    guard let bytes = Base64.decoded(base64) else { return nil }
    self.init(bytes: bytes)
  }

  public var base64: String { Base64.encoded(bytes) }

  /// Makes the hash of a picture.
  /// - Parameters:
  ///   - width: pixels in a row, at most ``maximumSide``.
  ///   - height: rows, at most ``maximumSide``.
  ///   - rgba: four bytes for each pixel, row by row, sRGB; the colours are not multiplied by the opacity.
  /// - Returns: nil when there are no pixels, too many, or not as many as announced.
  public init?(width: Int, height: Int, rgba: some Collection<UInt8>) {
    let sides = 1...Self.maximumSide
    guard sides.contains(width), sides.contains(height), rgba.count == width * height * 4 else { return nil }
    let pixels = ThumbHashPixels(width: width, height: height, rgba: Array(rgba))
    bytes = pixels.hash()
  }

  /// Width divided by height, roughly: one of the few proportions that a hash can tell apart.
  public var aspectRatio: Double {
    guard let layout = ThumbHashLayout(bytes) else { return 1 }
    return layout.aspectRatio
  }
}

/// What the first bytes of a hash say about the rest.
struct ThumbHashLayout {
  let hasAlpha: Bool
  /// How many coefficients of brightness there are along both sides.
  let lumaColumns: Int
  let lumaRows: Int
  let aspectRatio: Double

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 5 else { return nil }
    hasAlpha = bytes[2] & 0x80 != 0
    let isLandscape = bytes[4] & 0x80 != 0
    let long = hasAlpha ? 5 : 7
    let short = Int(bytes[3] & 7)
    // Nothing writes a side of none.
    guard short > 0 else { return nil }
    aspectRatio = isLandscape ? Double(long) / Double(short) : Double(short) / Double(long)
    lumaColumns = max(3, isLandscape ? long : short)
    lumaRows = max(3, isLandscape ? short : long)
  }

  var headerBytes: Int { hasAlpha ? 6 : 5 }

  /// The channels in their order: brightness, yellow against blue, red against green, opacity.
  var channelSizes: [(columns: Int, rows: Int)] {
    [(lumaColumns, lumaRows), (3, 3), (3, 3)] + (hasAlpha ? [(5, 5)] : [])
  }

  var byteCount: Int {
    // The first coefficient of each channel stands in the header.
    let varying = channelSizes.map { waves(columns: $0.columns, rows: $0.rows).count - 1 }.reduce(0, +)
    return headerBytes + (varying + 1) / 2
  }
}

/// A cosine along both sides of a picture, by how many half periods it has in each.
struct Wave: Equatable {
  let x: Int
  let y: Int
}

/// The waves that a channel keeps: a triangle of low frequencies, row by row, the constant first.
func waves(columns: Int, rows: Int) -> [Wave] {
  (0..<rows).flatMap { y in
    (0..<columns).prefix { x in x * rows < columns * (rows - y) }.map { x in Wave(x: x, y: y) }
  }
}

/// The values of a cosine of so many half periods at the middles of so many pixels.
func samples(ofWave halfPeriods: Int, over count: Int) -> [Double] {
  (0..<count).map { cosine(ofHalfTurns: Double(halfPeriods) * (Double($0) + 0.5) / Double(count)) }
}
