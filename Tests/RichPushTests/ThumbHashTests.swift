import Testing

@testable import RichPush

@Suite("A ThumbHash")
struct ThumbHashTests {
  /// Computed with another implementation of the published algorithm, thumbhash-python 1.0.1.
  static let published: [(DrawnPicture, Int, Int, String)] = [
    (.gradient, 1, 1, "AAgCBwAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    (.checks, 33, 91, "2nYCEwSIuIiI+HeHiPiIiI8="),
    (.noise, 100, 100, "HwgCBwCVtqUlFwaDg1JpaHZ3h6PP91UL"),
    (.noise, 40, 17, "H/gBC4JGBolnV4hn+4iXZgg="),
    (.holes, 48, 31, "WtiFO44KgIeAiIh0fwd4iCYGl5Zicgk="),
    (.clear, 12, 12, "AAiCBQAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="),
  ]

  @Test("is what the published algorithm makes", arguments: published)
  func matches(picture: DrawnPicture, width: Int, height: Int, expected: String) {
    #expect(picture.hash(width, height)?.base64 == expected)
  }

  /// From the same program. These pictures are so even that some waves have a strength of exactly 0, in the middle
  /// between the steps 7 and 8: errors of rounding decide which one it becomes, in every program in another way.
  static let even: [(DrawnPicture, Int, Int, String)] = [
    (.gradient, 100, 75, "HwgODZqAh4eBh4d4eHh4eI9wCPh3"),
    (.gradient, 75, 100, "H/gNDRqBh4CHh4d3eHh4iIB/CPh4"),
    (.gradient, 100, 3, "H/gRSaSAh4eCh4eIfXAo+Hc="),
    (.gradient, 2, 100, "HwgSWSxxgIiHh4iHcHwIx3g="),
    (.checks, 64, 64, "2nYCFwR4eHeYt1h4eHh7j4hXh4iPiPcI"),
    (.fading, 60, 60, "YQyDDQQ3L2h4h4eIdy+IB414gIeIiIeIeA=="),
    (.fading, 100, 30, "YQyDCoQ3L2h4iIcvdweNd4CHiIiHeIc="),
    (.holes, 31, 48, "WtiFOw4KgICHd4iEfwh4iHQBl6dHd3k="),
  ]

  @Test("of an even picture is what the published algorithm makes, but for waves that are none", arguments: even)
  func matchesNearly(picture: DrawnPicture, width: Int, height: Int, expected: String) throws {
    let hash = try #require(picture.hash(width, height)).bytes
    let other = try #require(ThumbHash(base64: expected)).bytes
    let header = picture == .fading || picture == .holes ? 6 : 5
    #expect(hash.count == other.count && hash.prefix(header) == other.prefix(header))
    for (one, another) in zip(nibbles(hash), nibbles(other)).dropFirst(2 * header) where one != another {
      #expect(Set([one, another]) == [7, 8])
    }
  }

  private func nibbles(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { [$0 & 15, $0 >> 4] }
  }

  /// From the same program: size, the first pixel, and the first one of the middle of the file.
  @Test(
    "shows what the published algorithm shows",
    arguments: [
      ("HwgODZqAh4eBh4d4eHh4eI9wCPh3", 32, 23, [39, 44, 37, 255, 132, 121, 124, 255]),
      ("H/gNDRqBh4CHh4d3eHh4iIB/CPh4", 23, 32, [44, 39, 37, 255, 23, 148, 92, 255]),
      ("HwgCBwCVtqUlFwaDg1JpaHZ3h6PP91UL", 32, 32, [129, 125, 123, 255, 129, 125, 123, 255]),
      ("YQyDDQQ3L2h4h4eIdy+IB414gIeIiIeIeA==", 32, 32, [247, 117, 37, 64, 247, 117, 37, 11]),
      ("WtiFOw4KgICHd4iEfwh4iHQBl6dHd3k=", 19, 32, [52, 134, 38, 170, 38, 129, 108, 170]),
    ])
  func shows(base64: String, width: Int, height: Int, pixels: [Int]) throws {
    let picture = try #require(ThumbHash(base64: base64)).picture()
    #expect(picture.width == width && picture.height == height)
    #expect(picture.rgba.count == width * height * 4)
    let middle = picture.rgba.count / 8 * 4
    let shown = (picture.rgba[0..<4] + picture.rgba[middle..<middle + 4]).map(Int.init)
    // The other program rounds where the published one cuts the fraction off.
    #expect(zip(shown, pixels).allSatisfy { abs($0 - $1) <= 1 }, "\(shown)")
  }

  @Test("of a plain picture holds no waves, whatever the processor adds up to")
  func plain() throws {
    let hash = try #require(DrawnPicture.plain.hash(20, 10))
    #expect(hash.bytes.prefix(5) == [0x1D, 0xCB, 0x02, 0x04, 0x80])
    #expect(hash.bytes.dropFirst(5).allSatisfy { $0 == 0 })
    let picture = hash.picture()
    #expect(picture.rgba.prefix(4) == [201, 100, 49, 255])
  }

  @Test("is made of 1 to 100 pixels along each side", arguments: [(0, 5), (5, 0), (101, 1), (1, 101), (-1, -1)])
  func refuses(width: Int, height: Int) {
    #expect(ThumbHash(width: width, height: height, rgba: [UInt8](repeating: 0, count: 404)) == nil)
  }

  @Test("is not made of too few or too many pixels", arguments: [0, 15, 17])
  func refusesOtherCounts(count: Int) {
    #expect(ThumbHash(width: 2, height: 2, rgba: [UInt8](repeating: 0, count: count)) == nil)
  }

  @Test("is small enough for a payload", arguments: DrawnPicture.allCases, [(100, 100), (100, 7), (3, 90)])
  func isSmall(picture: DrawnPicture, size: (Int, Int)) throws {
    let hash = try #require(picture.hash(size.0, size.1))
    #expect(hash.base64.utf8.count <= 36)
    #expect(ThumbHash(base64: hash.base64) == hash)
    #expect(hash.picture().rgba.count > 0)
  }

  @Test(
    "is not read from something else",
    arguments: [
      "", "A", "AAAA", "=", "====", "HwgODZqAh4eBh4d4", "HwgODZqAh4eBh4d4eHh4eI9wCPh", "HwgO DZqA", "AAAAAAAA",
    ])
  func refusesText(base64: String) {
    #expect(ThumbHash(base64: base64) == nil)
  }

  @Test("shows something for any bytes that it takes")
  func showsAnything() {
    var generator = SeededGenerator(1)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      guard let hash = ThumbHash(bytes: bytes) else { continue }
      let picture = hash.picture()
      #expect(picture.rgba.count == picture.width * picture.height * 4 && picture.width > 0, "\(bytes)")
    }
  }

  @Test("knows roughly how wide its picture was", arguments: [(100, 100, 1.0), (100, 50, 7 / 4.0), (50, 100, 4 / 7.0)])
  func aspectRatio(width: Int, height: Int, expected: Double) throws {
    #expect(try #require(DrawnPicture.noise.hash(width, height)).aspectRatio == expected)
  }

  @Test("becomes a PNG file")
  func png() throws {
    let picture = PlaceholderPicture(width: 1, height: 2, rgba: [1, 2, 3, 255, 4, 5, 6, 255])
    // Made with Python's zlib.
    let expected: [UInt8] = [
      137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1,
      0, 0, 0, 2, 8, 6, 0, 0, 0, 153, 129, 182, 39, 0, 0, 0, 1, 115, 82, 71,
      66, 0, 174, 206, 28, 233, 0, 0, 0, 21, 73, 68, 65, 84, 120, 1, 1, 10, 0, 245,
      255, 0, 1, 2, 3, 255, 0, 4, 5, 6, 255, 7, 92, 2, 20, 46, 109, 54, 69, 0,
      0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
    ]
    #expect(picture.png == expected)
  }
}

/// Pictures that are drawn by whole numbers, as the other program drew them.
enum DrawnPicture: CaseIterable {
  case gradient, checks, noise, fading, holes, plain, clear

  func hash(_ width: Int, _ height: Int) -> ThumbHash? {
    var rgba: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width { rgba += pixel(x, y, width, height).map { UInt8(truncatingIfNeeded: $0) } }
    }
    return ThumbHash(width: width, height: height, rgba: rgba)
  }

  private func pixel(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> [Int] {
    switch self {
    case .gradient:
      return [
        x * 255 / max(1, width - 1), y * 255 / max(1, height - 1), (x + y) * 255 / max(1, width + height - 2), 255,
      ]
    case .checks:
      return (x * 4 / width + y * 4 / height) % 2 == 0 ? [230, 40, 60, 255] : [20, 90, 200, 255]
    case .noise:
      let value = UInt32(truncatingIfNeeded: x * 7919 + y * 104_729) &* 2_654_435_761
      return [Int(value >> 24), Int(value >> 16 & 255), Int(value >> 8 & 255), 255]
    case .fading: return [250, 180 - x * 100 / width, 40, x * 255 / max(1, width - 1)]
    case .holes: return [x * 200 / width, 120, y * 200 / height, (x / 5 + y / 3) % 3 == 0 ? 0 : 255]
    case .plain: return [200, 100, 50, 255]
    case .clear: return [10, 20, 30, 0]
    }
  }
}
