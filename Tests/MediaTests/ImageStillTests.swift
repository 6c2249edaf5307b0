import Preparation
import RichPush
import Testing

@testable import Media

@Suite("A still")
struct ImageStillTests {
  @Test(
    "stands upright, whatever says how it has to be turned",
    arguments: (1...8).map { "image/orientation-\($0).jpg" } + [
      "image/orientation-6.png", "image/irot-90.heic", "image/irot-270-exif-6.heic", "image/exif-6-only.heic",
      "image/heic-named.jpg", "image/no-extension", "image/card.tif", "image/three-pages.tif", "image/interlaced.png",
      "image/rgba-opaque.png", "image/rgb-adobe.jpg", "image/rgb-plain.jpg", "image/wide-tables.jpg",
      "image/one-frame.gif", "image/card.psd", "image/card.jp2",
    ])
  func upright(path: String) throws {
    let prepared = try PreparedImage(path)
    #expect(prepared.file.type == .jpeg)
    #expect(prepared.file.width == 240 && prepared.file.height == 160)
    #expect(try prepared.pixels().hasCardCorners)
  }

  @Test("that lies on its side is fitted as it is displayed")
  func largeAndTurned() throws {
    let prepared = try PreparedImage("image/large-orientation-6.jpg")
    #expect(prepared.file.width == 768 && prepared.file.height == 1024)
    #expect(
      prepared.file.steps == ["decoded jpeg", "rotated 90", "resized 3000x4000 to 768x1024", "encoded jpeg q80"])
    #expect(try prepared.pixels().hasCardCorners)
  }

  @Test("made of tiles is put together and turned")
  func grid() throws {
    let prepared = try PreparedImage("image/grid.heic")
    #expect(prepared.file.width == 160 && prepared.file.height == 256)
    #expect(try prepared.pixels().hasCardCorners)
  }

  @Test(
    "has the colours that its profile or its inks mean",
    arguments: [
      ("cmyk-adobe", pressColours),
      ("cmyk-plain", pressColours),
      ("ycck", pressColours),
      (
        "cmyk-icc",
        [[176, 70, 84], [0, 139, 29], [37, 61, 145], [255, 255, 255], [99, 113, 125], [249, 198, 120]]
      ),
      ("display-p3", [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [82, 110, 143], [255, 211, 35]]),
    ])
  func managedColours(name: String, wanted: [[Int]]) throws {
    let prepared = try PreparedImage("image/\(name).jpg")
    let places = [(20, 20), (220, 20), (20, 140), (220, 140), (60, 80), (96, 60)]
    let pixels = try prepared.pixels()
    for (place, colour) in zip(places, wanted) {
      // The encoder's own loss comes on top of the conversion's.
      #expect(pixels.shows(colour, at: place.0, place.1, within: 10), "\(place): \(pixels[place.0, place.1])")
    }
    #expect(prepared.file.steps.contains { $0.hasPrefix("converted ") && $0.hasSuffix(" to sRGB") })
  }

  @Test(
    "becomes PNG only where something shines through",
    arguments: [
      ("rgba.png", AttachmentType.png), ("rgba-16bit.png", .png), ("palette-transparent.png", .png),
      ("grey-alpha.png", .png), ("lossless-alpha.webp", .png), ("rgba-opaque.png", .jpeg), ("rgb.png", .jpeg),
      ("photo.png", .jpeg), ("one-bit.png", .jpeg), ("lossy.webp", .jpeg), ("photo-10bit.avif", .jpeg),
      ("one-pixel.png", .jpeg), ("grey.jpg", .jpeg),
    ])
  func type(name: String, type: AttachmentType) throws {
    #expect(try PreparedImage("image/\(name)").file.type == type)
  }

  @Test("keeps its transparency, in 8 bits and not interlaced", arguments: ["rgba.png", "rgba-16bit.png"])
  func transparency(name: String) throws {
    let prepared = try PreparedImage("image/\(name)")
    let structure = try prepared.output.use(PNGStructure.init)
    #expect(structure.bitDepth == 8)
    #expect(structure.metadata.isEmpty)
    let pixels = try prepared.pixels()
    #expect(pixels[60, 80][3] < pixels[180, 80][3])
    #expect(pixels.shows([255, 0, 0, 255], at: 20, 20, within: 0))
  }

  @Test(
    "is scaled down to fit and never up",
    arguments: [
      ("landscape.jpg", 1024, 768), ("tall-100x3000.png", 34, 1024), ("wide-3000x2.png", 1024, 1),
      ("one-pixel.png", 1, 1), ("progressive.jpg", 800, 600),
    ])
  func size(name: String, width: Int, height: Int) throws {
    let prepared = try PreparedImage("image/\(name)")
    #expect(prepared.file.width == width && prepared.file.height == height)
  }

  @Test(
    "fills the square when it is to",
    arguments: [("landscape.jpg", 1024), ("rgba.png", 160), ("cmyk-icc.jpg", 160), ("photo.heic", 360)])
  func cover(name: String, side: Int) throws {
    let prepared = try PreparedImage("image/\(name)", fit: .cover)
    #expect(prepared.file.width == side && prepared.file.height == side)
    #expect(prepared.file.steps.contains { $0.hasPrefix("cropped ") })
  }

  @Test("of one grey channel stays grey")
  func grey() throws {
    #expect(try PreparedImage("image/grey.jpg").output.use(JPEGStructure.init)?.components == 1)
    #expect(try PreparedImage("image/one-bit.png").output.use(JPEGStructure.init)?.components == 1)
  }

  @Test(
    "starts with a JFIF segment and holds nothing but its picture",
    arguments: ["metadata.jpg", "trailing-zip.jpg", "no-extension", "landscape.jpg", "display-p3.jpg", "photo.heic"])
  func nothingElse(name: String) throws {
    let bytes = try PreparedImage("image/\(name)").bytes
    #expect(bytes.starts(with: [0xFF, 0xD8, 0xFF, 0xE0]))
    #expect(bytes[6...].starts(with: "JFIF\0"))
    #expect(bytes.withUnsafeBytes(isPlainJPEG))
    #expect(bytes.suffix(2) == [0xFF, 0xD9])
    let text = String(decoding: bytes, as: UTF8.self)
    for stowaway in ["Exif", "enclosure-fixture", "Fixture Works", "readme.txt", "ICC_PROFILE"] {
      #expect(!text.contains(stowaway))
    }
  }

  @Test(
    "that only has to be turned loses nothing",
    arguments: [(2, "mirrored"), (3, "rotated 180"), (6, "rotated 90"), (8, "rotated 270")])
  func turnedCoefficients(orientation: Int, step: String) throws {
    let prepared = try PreparedImage("image/orientation-\(orientation).jpg")
    #expect(prepared.file.steps == [step, "kept jpeg coefficients"])
  }

  @Test("that is small enough loses nothing", arguments: ["metadata.jpg", "progressive.jpg", "grey.jpg"])
  func coefficients(name: String) throws {
    let prepared = try PreparedImage("image/\(name)")
    #expect(prepared.file.steps == ["kept jpeg coefficients"])
    #expect(try prepared.output.use(JPEGStructure.init)?.process == 0)
    let before = try TimelineFixture("image/\(name)").use {
      try Samples(try VipsPicture(loading: $0, with: .jpeg(shrink: 1)))
    }
    #expect(try before == prepared.pixels())
  }
}

/// What libvips' built-in CMYK profile makes of the test card: its corners, its ground and its letter.
private let pressColours = [
  [232, 31, 42], [0, 143, 63], [48, 36, 123], [255, 255, 255], [105, 114, 135], [251, 205, 96],
]
