import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Pictures through libavcodec")
struct LibavPictureTests {
  private func image(_ path: String, _ format: MediaFormat) throws -> ImageFacts {
    let fixture = try TimelineFixture(path)
    let facts = try inspectLibavPicture(
      try fixture.file, format: format, InspectRequest(enoughSeconds: 31, enoughFrames: 100))
    guard case .image(let image) = facts.content else { throw NotThatKind() }
    return image
  }

  private func pictures(_ path: String, _ format: MediaFormat) throws -> [(delay: Int, pixels: [UInt8])] {
    let fixture = try TimelineFixture(path)
    let reader = try LibavPictureReader(try fixture.file, format: format, at: .prepare)
    var pictures: [(Int, [UInt8])] = []
    while let picture = try reader.next() {
      #expect(picture.pixels.count == picture.width * picture.height * 4)
      pictures.append((picture.delay, Array(picture.pixels)))
    }
    return pictures
  }

  @Test(
    "stills that libvips does not read are read, in their colours",
    arguments: [
      ("card.bmp", .bmp, 120, 80), ("card.ico", .ico, 64, 64), ("card.psd", .psd, 240, 160),
      ("card.jp2", .jpeg2000, 240, 160), ("card.jxl", .jpegXL, 240, 160),
    ] as [(String, MediaFormat, Int, Int)])
  func stills(_ path: String, _ format: MediaFormat, _ width: Int, _ height: Int) throws {
    let facts = try image("image/" + path, format)
    #expect((facts.width, facts.height) == (width, height))
    #expect(facts.decoder == .libav)
    #expect(!facts.isAnimated)
    let decoded = try pictures("image/" + path, format)
    #expect(decoded.count == 1)
    // The card's corners: red, green, blue, white.
    let pixels = try #require(decoded.first).pixels
    func near(_ x: Int, _ y: Int, _ colour: [Int]) -> Bool {
      let offset = (y * width + x) * 4
      return zip(pixels[offset..<offset + 4], colour + [255]).allSatisfy { abs(Int($0) - $1) <= 24 }
    }
    #expect(near(1, 1, [255, 0, 0]))
    #expect(near(width - 2, 1, [0, 255, 0]))
    #expect(near(1, height - 2, [0, 0, 255]))
    #expect(near(width - 2, height - 2, [255, 255, 255]))
  }

  @Test("of an icon's pictures of one size the one with most colours is taken, and a cursor is read as an icon is")
  func icons() throws {
    func png(_ colour: [UInt8]) throws -> [UInt8] {
      let pixels = PixelBuffer(width: 8, height: 8, channels: 3)
      for index in pixels.bytes.indices { pixels.bytes[index] = colour[index % 3] }
      return try pixels.encodedAsPNG().bytes
    }
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let (red, blue) = (try png([255, 0, 0]), try png([0, 0, 255]))
    var icon: [UInt8] = [0, 0, 1, 0, 2, 0]
    icon += [8, 8, 16, 0, 1, 0, 4, 0] + number(red.count) + number(38)
    icon += [8, 8, 0, 0, 1, 0, 32, 0] + number(blue.count) + number(38 + red.count)
    icon += red + blue
    #expect(try PreparedImage(try TimelineFixture(bytes: icon)).pixels().shows([0, 0, 255], at: 4, 4))
    icon[2] = 2
    #expect(try PreparedImage(try TimelineFixture(bytes: icon)).file.width == 8)
  }

  @Test("an animated PNG's frames come composed, as the specification has them")
  func composed() throws {
    let facts = try image("animation/dispose-blend.png", .apng)
    #expect(facts.delays == [100, 200, 300, 400])
    let frames = try pictures("animation/dispose-blend.png", .apng)
    #expect(frames.map(\.delay) == [100, 200, 300, 400])
    for (index, frame) in frames.enumerated() {
      let expected = try pictures("../expected/dispose-blend-png-\(index + 1).png", .png)
      #expect(try frame.pixels == #require(expected.first).pixels)
    }
  }

  @Test("a default image that is not part of the animation is not shown")
  func hiddenDefault() throws {
    let facts = try image("animation/hidden-default.png", .apng)
    #expect(facts.frames == 2)
    #expect(facts.plays == 2)
    #expect(try pictures("animation/hidden-default.png", .apng).count == 2)
  }

  @Test("a PNG without animation is a still for libvips")
  func still() throws {
    let facts = try image("image/rgb.png", .png)
    #expect(!facts.isAnimated)
    #expect(facts.decoder == .vips)
    #expect(facts.plays == nil)
  }

  @Test("a picture sequence tells its frames and delays")
  func sequence() throws {
    let facts = try image("animation/sequence.avif", .avif)
    #expect((facts.width, facts.height) == (80, 60))
    #expect(facts.delays == [100, 100, 100, 100])
    #expect(try pictures("animation/sequence.avif", .avif).map(\.delay) == facts.delays)
  }

  @Test("a picture sequence takes its transparency from its auxiliary track")
  func sequenceAlpha() throws {
    // The same pictures a second time, as if they were the first ones' transparency: green and blue are dark in red.
    var bytes = try TimelineFixture("animation/sequence.avif").bytes
    let movie = try #require(bytes.firstRange(of: Array("moov".utf8))).lowerBound - 4
    let track = try #require(bytes.firstRange(of: Array("trak".utf8))).lowerBound - 4
    let length = Int(bytes.bigEndian(at: track, count: 4))
    func add(_ number: Int, at place: Int, in bytes: inout [UInt8]) {
      let sum = bytes.bigEndian(at: place, count: 4) + UInt64(number)
      bytes.replaceSubrange(place..<place + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) })
    }
    add(length, at: movie, in: &bytes)
    let offsets = try #require(bytes.firstRange(of: Array("stco".utf8))).upperBound + 8
    add(length, at: offsets, in: &bytes)
    var copy = Array(bytes[track..<track + length])
    let handler = try #require(copy.firstRange(of: Array("hdlr".utf8))).upperBound + 8
    copy.replaceSubrange(handler..<handler + 4, with: Array("auxv".utf8))
    let header = try #require(copy.firstRange(of: Array("tkhd".utf8))).upperBound
    add(1, at: header + 12, in: &copy)
    bytes.insert(contentsOf: copy, at: track + length)

    let fixture = try TimelineFixture(bytes: bytes)
    guard case .image(let facts) = try inspect(try fixture.file, .usual).content else { throw NotThatKind() }
    #expect(facts.hasAlpha && facts.frames == 4)
    let prepared = try PreparedImage(fixture)
    #expect(prepared.file.type == .gif && prepared.file.frames == 4)
    let frames = try prepared.frames()
    // Red is seen, green and blue are not, yellow is seen again.
    #expect(frames.map { $0[4, 4][3] } == [255, 0, 0, 255])
  }

  @Test("absurd sizes are refused before anything is decoded")
  func absurd() throws {
    var bytes = try TimelineFixture("image/card.bmp").bytes
    bytes.replaceSubrange(18..<26, with: [0xFF, 0xFF, 0xFF, 0x7F, 6, 0, 0, 0])
    let fixture = try TimelineFixture(bytes: bytes)
    let reason = try refusal { _ = try LibavPictureReader(try fixture.file, format: .bmp, at: .inspect) }
    #expect(reason?.code == .tooManyPixels)
    #expect(reason?.limit == 100_000_000)
    #expect(reason?.measured == 12_884_901_882)
  }

  @Test(
    "the claimed size is read from the header alone",
    arguments: [
      ("card.bmp", 120, 80), ("card.psd", 240, 160), ("card.jp2", 240, 160), ("card.jxl", 240, 160),
    ])
  func claimed(_ path: String, _ width: Int, _ height: Int) throws {
    let fixture = try TimelineFixture("image/" + path)
    let size = try #require(claimedSize(of: try fixture.file))
    #expect((size.width, size.height) == (width, height))
  }
}
