import Preparation
import RichPush
import Testing

@testable import Media

@Suite("The placeholder")
struct PlaceholderTests {
  private func hash(_ file: PreparedFile) throws -> ThumbHash {
    let placeholder = try #require(file.placeholder)
    return try #require(ThumbHash(base64: placeholder.thumbHash))
  }

  private func shown(_ prepared: PreparedImage) throws -> Samples {
    guard prepared.file.type == .gif else { return try prepared.pixels() }
    return try #require(try prepared.frames().first)
  }

  @Test(
    "of an image shows what the prepared file shows, whichever way it was made",
    arguments: [
      "image/landscape.jpg", "image/progressive.jpg", "image/large-orientation-6.jpg", "image/grey.jpg",
      "image/cmyk-icc.jpg", "image/display-p3.jpg", "image/rgb-plain.jpg", "image/metadata.jpg", "image/photo.png",
      "image/rgba.png", "image/rgba-16bit.png", "image/rgba-opaque.png", "image/palette-transparent.png",
      "image/grey-alpha.png", "image/one-bit.png", "image/lossless-alpha.webp", "image/photo.heic", "image/grid.heic",
      "image/photo-10bit.avif", "image/three-pages.tif", "image/card.ico", "image/card.bmp", "image/one-frame.gif",
      "image/one-pixel.png", "image/tall-100x3000.png", "image/wide-3000x2.png",
      "animation/simple.gif", "animation/disposal.gif", "animation/large-1600x900.gif", "animation/dispose-blend.png",
      "animation/alpha.webp", "animation/sequence.avif",
    ])
  func images(path: String) throws {
    let prepared = try PreparedImage(path)
    try requireAlike(try hash(prepared.file), try shown(prepared))
  }

  @Test("of a picture that was cut shows what is left of it", arguments: ["image/landscape.jpg", "image/rgba.png"])
  func cropped(path: String) throws {
    let prepared = try PreparedImage(path, fit: .cover)
    try requireAlike(try hash(prepared.file), try prepared.pixels())
  }

  @Test("is upright, whatever says how the picture has to be turned", arguments: 1...8)
  func upright(orientation: Int) throws {
    let prepared = try PreparedImage("image/orientation-\(orientation).jpg")
    let picture = try hash(prepared.file).picture()
    #expect(picture.width > picture.height)
    // The card's corners are red, green, white and blue, clockwise.
    let corners = picture.corners
    #expect(corners[0].red > corners[0].green + 30 && corners[0].red > corners[0].blue + 30, "\(corners)")
    #expect(corners[1].green > corners[1].red + 30 && corners[1].green > corners[1].blue + 30, "\(corners)")
    #expect(min(corners[2].red, corners[2].green, corners[2].blue) > 140, "\(corners)")
    #expect(corners[3].blue > corners[3].red + 30 && corners[3].blue > corners[3].green + 30, "\(corners)")
  }

  @Test("is made of JPEG coefficients that were kept too")
  func coefficients() throws {
    let prepared = try PreparedImage("image/orientation-1.jpg")
    #expect(prepared.file.steps == ["kept jpeg coefficients"] && prepared.file.placeholder != nil)
  }

  @Test("lets shine through what the picture lets shine through")
  func opacity() throws {
    let picture = try hash(try PreparedImage("image/rgba.png").file).picture()
    func alpha(_ x: Int) -> Int { Int(picture.rgba[(picture.height / 2 * picture.width + x) * 4 + 3]) }
    #expect(alpha(3) < 100 && alpha(picture.width - 4) > 180)
    let opaque = try hash(try PreparedImage("image/rgba-opaque.png").file).picture()
    #expect(stride(from: 3, to: opaque.rgba.count, by: 4).allSatisfy { opaque.rgba[$0] == 255 })
  }

  @Test("of an animation is that of its first frame", arguments: ["animation/simple.gif", "animation/plain.apng"])
  func firstFrame(path: String) throws {
    let picture = try hash(try PreparedImage(path).file).picture()
    let middle = picture.colour(at: picture.width / 2, picture.height * 3 / 4)
    #expect(middle.red > 180 && middle.green < 90 && middle.blue < 90, "\(middle)")
  }

  @Test("of a smaller animation, and of its first frame alone, is there too", arguments: [5000, 1500])
  func reduced(limit: Int) throws {
    let prepared = try PreparedImage("animation/large-1600x900.gif") { recipe in
      guard case .animation(var animation) = recipe else { return }
      animation.maximumBytes = limit
      animation.still.maximumBytes = 100_000
      recipe = .animation(animation)
    }
    try requireAlike(try hash(prepared.file), try shown(prepared))
  }

  @Test(
    "of a video is that of its poster; the video itself has none",
    arguments: ["faststart.mp4", "rotation-90.mp4", "anamorphic-4-3.mp4", "hdr-pq.mp4", "black-start.mp4"])
  func poster(path: String) throws {
    let fixture = try TimelineFixture("video/" + path)
    let output = try TimelineFixture()
    let duration = try #require(try fixture.video().duration.presented)
    let poster = try makePoster(
      of: try fixture.file, into: output.descriptor, PosterRequest(recipe: Profile.ios.poster, duration: duration))
    let shown = try output.use { try Samples(try VipsPicture(loading: $0, with: .jpeg(shrink: 1))) }
    try requireAlike(try hash(poster.file), shown)
    let facts = try fixture.facts()
    guard case .prepare(let recipe) = plan(facts) else { throw NotThatKind() }
    let file = try TimelineFixture()
    let video = try prepare(
      try fixture.file, into: file.descriptor, PrepareRequest(facts: facts, recipe: recipe))
    #expect(video.type == .mpeg4 && video.placeholder == nil)
  }

  /// Holds a hash against that of the prepared file, decoded and resized by other code, and against the picture itself.
  private func requireAlike(_ hash: ThumbHash, _ shown: Samples) throws {
    let size = thumbnailSize(width: shown.width, height: shown.height)
    let pixels = PixelBuffer(width: shown.width, height: shown.height, channels: 4)
    pixels.bytes.copyBytes(from: shown.bytes)
    let samples = try Samples(try VipsPicture(copying: pixels).resized(to: size.width, size.height))
    let other = try #require(ThumbHash(width: samples.width, height: samples.height, rgba: samples.bytes))
    #expect(hash.aspectRatio == other.aspectRatio)
    let (picture, wanted) = (hash.picture(), other.picture())
    #expect(picture.rgba.count == wanted.rgba.count)
    var worst = 0
    for (own, whole) in zip(picture.rgba, wanted.rgba) { worst = max(worst, abs(Int(own) - Int(whole))) }
    // Two steps of a strong wave.
    #expect(worst <= 24, "\(worst)")
    let (mean, shownMean) = (average(picture.rgba), average(samples.bytes))
    // Strong waves are cut off at white and black.
    for (own, whole) in zip(mean, shownMean).prefix(3) { #expect(abs(own - whole) <= 15, "\(mean), not \(shownMean)") }
    // A hash has few steps of opacity.
    #expect(abs(mean[3] - shownMean[3]) <= 20, "\(mean), not \(shownMean)")
  }

  /// Red, green and blue by opacity, and opacity.
  private func average(_ rgba: [UInt8]) -> [Double] {
    var sums = [0.0, 0.0, 0.0, 0.0]
    for pixel in stride(from: 0, to: rgba.count, by: 4) {
      let alpha = Double(rgba[pixel + 3]) / 255
      for channel in 0..<3 { sums[channel] += alpha * Double(rgba[pixel + channel]) }
      sums[3] += alpha
    }
    let opacity = max(sums[3], 1e-9)
    return [sums[0] / opacity, sums[1] / opacity, sums[2] / opacity, sums[3] * 255 / Double(rgba.count / 4)]
  }
}

@Suite("Averaging")
struct PictureAveragingTests {
  @Test(
    "each sample of the result has weights that add up to 1, and every one of the source is in some",
    arguments: [
      (100, 1024.0, 1024), (1, 1.0, 1), (1, 7.0, 7), (100, 101.0, 101), (75, 127.625, 128), (34, 17.0, 17), (3, 0.5, 1),
    ])
  func weights(count: Int, extent: Double, available: Int) {
    let axis = AveragingAxis(count: count, extent: extent, available: available)
    #expect(axis.spans.count == count && axis.starts.count == count)
    for (span, start) in zip(axis.spans, axis.starts) {
      #expect(!span.isEmpty && span.lowerBound >= 0 && span.upperBound <= available)
      #expect(abs(axis.weights[start..<start + span.count].reduce(0, +) - 1) < 1e-5)
    }
    #expect(Set(axis.spans.flatMap { $0 }).count == available)
  }

  @Test(
    "a picture is hashed in at most 100x100 pixels, and in no fewer than a hash has waves",
    arguments: [
      (1024, 768, 100, 75), (768, 1024, 75, 100), (240, 160, 100, 67), (80, 60, 80, 60), (7, 9, 7, 9), (1, 1, 100, 100),
      (3, 2, 99, 66), (1024, 1, 100, 7), (34, 1024, 9, 100), (6, 99, 12, 99),
    ])
  func sizes(width: Int, height: Int, hashedWidth: Int, hashedHeight: Int) {
    let size = thumbnailSize(width: width, height: height)
    #expect(size == (hashedWidth, hashedHeight))
  }

  @Test("a plain picture stays plain, whatever its size and channels", arguments: [(1, 1), (3, 1000), (1023, 517)])
  func plain(width: Int, height: Int) {
    for channels in 1...4 {
      let pixels = PixelBuffer(width: width, height: height, channels: channels)
      for index in pixels.bytes.indices { pixels.bytes[index] = [200, 100, 50, 255][index % channels] }
      if channels == 2 {
        for index in stride(from: 1, to: pixels.bytes.count, by: 2) { pixels.bytes[index] = 255 }
      }
      let picture = pixels.placeholder().flatMap { ThumbHash(base64: $0.thumbHash) }?.picture()
      let colour = picture?.colour(at: 0, 0)
      let wanted = channels < 3 ? [200, 200, 200] : [200, 100, 50]
      #expect(abs((colour?.red ?? 0) - wanted[0]) <= 6)
      #expect(abs((colour?.green ?? 0) - wanted[1]) <= 6)
      #expect(abs((colour?.blue ?? 0) - wanted[2]) <= 6)
      #expect(picture?.rgba.last == 255)
    }
  }

  @Test("what is transparent does not colour what is not", arguments: [false, true])
  func bleeding(isGIF: Bool) {
    let pixels = PixelBuffer(width: 400, height: 300, channels: 4)
    for pixel in 0..<400 * 300 {
      let isClear = pixel % 400 < 200
      // Invisible green beside red.
      let colour: [UInt8] = isClear ? [0, 255, 0, isGIF ? 127 : 0] : [255, 0, 0, isGIF ? 128 : 255]
      for channel in 0..<4 { pixels.bytes[pixel * 4 + channel] = colour[channel] }
    }
    let picture = pixels.placeholder(isGIF: isGIF).flatMap { ThumbHash(base64: $0.thumbHash) }?.picture()
    let colour = picture?.colour(at: 25, 12)
    #expect(colour.map { $0.red > 230 && $0.green < 25 && $0.blue < 25 } == true, "\(String(describing: colour))")
    let alpha = picture.map { picture in [3, 28].map { picture.rgba[(12 * picture.width + $0) * 4 + 3] } }
    #expect(alpha.map { $0[0] < 40 && $0[1] > 215 } == true, "\(String(describing: alpha))")
  }
}

extension PlaceholderPicture {
  fileprivate typealias Colour = (red: Int, green: Int, blue: Int)

  fileprivate func colour(at x: Int, _ y: Int) -> Colour {
    let start = (y * width + x) * 4
    return (Int(rgba[start]), Int(rgba[start + 1]), Int(rgba[start + 2]))
  }

  /// Clockwise from the top left.
  fileprivate var corners: [Colour] {
    [(1, 1), (width - 2, 1), (width - 2, height - 2), (1, height - 2)].map { colour(at: $0.0, $0.1) }
  }
}
