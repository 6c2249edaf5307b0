import Preparation
import RichPush
import Testing

@testable import Media

@Suite("The facts of an image")
struct ImageFactsTests {
  @Test(
    "hold format, stored size and orientation",
    arguments: [
      ("orientation-6.jpg", MediaFormat.jpeg, 160, 240, 6), ("orientation-6.png", .png, 160, 240, 6),
      ("irot-270-exif-6.heic", .heif, 240, 160, 1), ("png-named.jpg", .png, 240, 160, 1),
      ("webp-named.png", .webp, 480, 360, 1), ("heic-named.jpg", .heif, 240, 160, 1),
      ("photo.avif", .avif, 480, 360, 1), ("three-pages.tif", .tiff, 240, 160, 1), ("card.bmp", .bmp, 120, 80, 1),
    ])
  func basics(name: String, format: MediaFormat, width: Int, height: Int, orientation: Int) throws {
    let facts = try imageFacts("image/\(name)")
    #expect(facts.all.format == format)
    #expect(facts.image.codedWidth == width && facts.image.codedHeight == height)
    #expect(facts.image.orientation == orientation)
    #expect(facts.image.frames == 1 && facts.image.plays == nil)
  }

  @Test("name the colours and what is unusual about them")
  func colours() throws {
    #expect(try imageFacts("image/cmyk-icc.jpg").image.colour == .cmyk)
    #expect(try imageFacts("image/cmyk-icc.jpg").image.hasColourProfile)
    #expect(try imageFacts("image/display-p3.jpg").image.hasColourProfile)
    #expect(try !imageFacts("image/landscape.jpg").image.hasColourProfile)
    #expect(try imageFacts("image/grey.jpg").image.colour == .grey)
    #expect(try imageFacts("image/rgba-16bit.png").image.bitsPerChannel == 16)
    #expect(try imageFacts("image/photo-10bit.avif").image.bitsPerChannel == 10)
    #expect(try imageFacts("image/palette-transparent.png").image.hasAlpha)
  }

  @Test("list what will be dropped")
  func metadata() throws {
    #expect(try imageFacts("image/metadata.jpg").all.metadata == [.exif, .gps, .xmp, .comment])
    #expect(try imageFacts("image/trailing-zip.jpg").all.metadata == [.trailingData])
    #expect(try imageFacts("image/three-pages.tif").all.metadata.contains(.auxiliaryImages))
    #expect(try imageFacts("image/rgb.png").all.metadata.isEmpty)
  }

  @Test(
    "of an animation hold frames, delays in milliseconds and plays",
    arguments: [
      ("simple.gif", MediaFormat.gif, [100, 100, 100, 100], 0), ("disposal.gif", .gif, [100, 200, 300, 400, 500], 0),
      ("no-control.gif", .gif, [0, 0, 0], 0), ("zero-delay.gif", .gif, [0, 0, 0, 0], 0),
      ("loop-3.gif", .gif, [100, 100, 100, 100], 4), ("no-loop.gif", .gif, [100, 100, 100, 100], 1),
      ("alpha.webp", .webp, [100, 200, 300, 400], 2), ("dispose-blend.png", .apng, [100, 200, 300, 400], 0),
      ("hidden-default.png", .apng, [100, 100], 2), ("sequence.avif", .avif, [100, 100, 100, 100], 0),
    ])
  func animation(name: String, format: MediaFormat, delays: [Int], plays: Int) throws {
    let facts = try imageFacts("animation/\(name)")
    #expect(facts.all.format == format)
    #expect(facts.image.frames == delays.count)
    #expect(facts.image.delays == delays)
    #expect(facts.image.plays == plays)
  }

  @Test(
    "end where nothing can be made of the file",
    arguments: [
      ("bad/empty.jpg", Rejection.Code.empty), ("bad/broken-header.jpg", .corrupt), ("bad/bad-checksum.png", .corrupt),
      ("bad/bomb-60000.png", .tooManyPixels), ("bad/huge-screen.gif", .tooManyPixels),
      ("bad/frames-10000.gif", .tooManyFrames), ("image/truncated.png", .truncated),
      ("image/truncated-60-percent.jpg", .truncated), ("animation/truncated-last-frame.gif", .truncated),
    ])
  func rejected(path: String, code: Rejection.Code) throws {
    #expect(try refusalOf(path)?.code == code)
  }

  @Test("of a picture that claims the largest sides there are can be told")
  func largestClaim() throws {
    // Too much for a decoder, and the product for an Int.
    var bytes = try TimelineFixture("image/photo.avif").bytes
    let size = try #require(bytes.firstRange(of: Array("ispe".utf8))).upperBound + 4
    bytes.replaceSubrange(size..<size + 8, with: repeatElement(0xFF, count: 8))
    let reason = try refusal { _ = try PreparedImage(try TimelineFixture(bytes: bytes)) }
    #expect(reason?.code == .tooManyPixels)
  }

  @Test("of a bomb hold all its frames and no more delays than anybody wants", arguments: ["plain.apng", "alpha.webp"])
  func delays(name: String) throws {
    let request = InspectRequest(enoughSeconds: 31, enoughFrames: 2)
    guard
      case .image(let image) = try TimelineFixture("animation/\(name)").use({ try inspect($0, request) }).content
    else { throw NotThatKind() }
    #expect(image.frames > 2 && image.delays.count == 2)
  }

  @Test(
    "are not looked for in what is no media, which is named instead",
    arguments: [
      ("archive.jpg", "a zip archive"), ("page.jpg", "an HTML page"), ("playlist.mp4", "a playlist"),
      ("concat.mp4", "a list of other files"), ("session.sdp", "a session description"), ("mvg.jpg", "an MVG drawing"),
      ("drawing.svg", "an SVG drawing"), ("external-reference.svg", "an SVG drawing"),
      ("document.pdf", "a PDF document"), ("json.webp", "JSON"), ("text.jpg", "plain text"),
    ])
  func refused(name: String, said: String) throws {
    guard case .refused(let reason) = try TimelineFixture("bad/\(name)").use(Signature.init(of:)) else {
      Issue.record("\(name) is not refused")
      return
    }
    #expect(reason.code == .unsupportedType)
    #expect(reason.message.contains(said))
  }

  @Test(
    "of timelines are left to libavformat",
    arguments: ["video/h264-aac.ts", "video/moov-last.mp4", "audio/no-id3.mp3", "audio/adts.aac", "audio/amr.amr"])
  func timelines(path: String) throws {
    #expect(try TimelineFixture(path).use(Signature.init(of:)) == .unknown)
  }
}
