import Foundation
import Preparation
import RichPush
import Testing

@testable import Media

@Suite("An animation")
struct ImageAnimationTests {
  @Test(
    "shows composed frames exactly, kept or encoded anew",
    arguments: [
      ("disposal.gif", "disposal-gif", 5, true), ("disposal.gif", "disposal-gif", 5, false),
      ("dispose-blend.png", "dispose-blend-png", 4, false),
    ])
  func composed(name: String, expected: String, count: Int, keeps: Bool) throws {
    let prepared = try PreparedImage("animation/\(name)") { recipe in
      guard case .animation(var animation) = recipe else { return }
      animation.keepsFrames = keeps && animation.keepsFrames
      recipe = .animation(animation)
    }
    #expect(prepared.file.type == .gif)
    #expect(prepared.file.steps.contains("kept gif frames") == keeps)
    let frames = try prepared.frames()
    try #require(frames.count == count)
    for (index, frame) in frames.enumerated() {
      let wanted = try Samples(try expectedFrame("\(expected)-\(index + 1).png"))
      // GIF knows no half transparency: what is more than half there is there.
      #expect(frame.looksLike(wanted.withHardEdges, within: name.hasSuffix(".gif") ? 0 : 3), "frame \(index + 1)")
    }
  }

  @Test(
    "keeps its frames, its time and its plays",
    arguments: [
      ("simple.gif", [10, 10, 10, 10], 0), ("disposal.gif", [10, 20, 30, 40, 50], 0),
      ("loop-3.gif", [10, 10, 10, 10], 4),
      ("no-loop.gif", [10, 10, 10, 10], 1), ("no-control.gif", [10, 10, 10], 0),
      ("zero-delay.gif", [10, 10, 10, 10], 0),
      ("alpha.webp", [10, 20, 30, 40], 2), ("dispose-blend.png", [10, 20, 30, 40], 0), ("plain.apng", [15, 15, 15], 0),
      ("sequence.avif", [10, 10, 10, 10], 0), ("sequence.heics", [10, 10, 10, 10], 0),
    ])
  func timing(name: String, hundredths: [Int], plays: Int) throws {
    let prepared = try PreparedImage("animation/\(name)")
    let structure = try prepared.output.use { GIFStructure($0, most: 100) }
    #expect(prepared.file.frames == hundredths.count)
    #expect(structure.frames.map(\.delay) == hundredths.map { $0 * 10 })
    #expect(structure.plays == plays)
    #expect(prepared.file.duration == Double(hundredths.reduce(0, +)) / 100)
    #expect(prepared.file.reductions.isEmpty)
  }

  // libnsgif takes these sizes for a mistake and would cut everything to the first frame.
  @Test(
    "keeps a screen that its first frame does not fill",
    arguments: [(640, 480), (800, 600), (1024, 768), (700, 500), (2500, 1500)], [true, false])
  func screen(size: (width: Int, height: Int), keeps: Bool) throws {
    var bytes = try TimelineFixture("animation/simple.gif").bytes
    for (offset, side) in [(6, size.width), (8, size.height)] {
      bytes[offset] = UInt8(side & 255)
      bytes[offset + 1] = UInt8(side >> 8)
    }
    let prepared = try PreparedImage(try TimelineFixture(bytes: bytes)) { recipe in
      guard case .animation(var animation) = recipe else { return }
      animation.keepsFrames = keeps && animation.keepsFrames
      recipe = .animation(animation)
    }
    let wanted = fitted(width: size.width, height: size.height, side: 1024)
    #expect(prepared.file.width == wanted.width && prepared.file.height == wanted.height)
    let structure = try prepared.output.use { GIFStructure($0, most: 100) }
    #expect(structure.width == wanted.width && structure.height == wanted.height)
    let frames = try prepared.frames()
    try #require(frames.count == 4)
    // The fixture's own 80x60 pixels are at the upper left, red in the first frame.
    #expect(frames[0].shows([255, 0, 0], at: 4, 4))
    // Nothing is drawn beside them, so the page shines through there.
    #expect(frames.allSatisfy { $0[wanted.width - 4, wanted.height - 4][3] == 0 })
    #expect(frames.allSatisfy { $0.width == wanted.width && $0.height == wanted.height })
  }

  // The second frame is cleared away, and covers all of its place.
  @Test("lets the page shine through where a frame was cleared, though that frame is not transparent")
  func clearedOpaque() throws {
    var bytes = try TimelineFixture("animation/disposal.gif").bytes
    let control = try #require(bytes.firstRange(of: [0x21, 0xF9, 4, 2 << 2 | 1]))
    bytes[control.upperBound - 1] = 2 << 2
    let prepared = try PreparedImage(try TimelineFixture(bytes: bytes)) { recipe in
      guard case .animation(var animation) = recipe else { return }
      animation.keepsFrames = false
      recipe = .animation(animation)
    }
    let frames = try prepared.frames()
    try #require(frames.count == 5)
    let wanted = try Samples(try expectedFrame("disposal-gif-3.png"))
    #expect(frames[2].looksLike(wanted))
  }

  @Test("never shows a default image that is no part of it")
  func hiddenDefault() throws {
    let frames = try PreparedImage("animation/hidden-default.png").frames()
    try #require(frames.count == 2)
    #expect(frames[0].shows([0, 255, 0], at: 5, 5) && frames[1].shows([0, 0, 255], at: 5, 5))
  }

  @Test("is scaled frame by frame")
  func scaled() throws {
    let prepared = try PreparedImage("animation/large-1600x900.gif")
    #expect(prepared.file.width == 1024 && prepared.file.height == 576 && prepared.file.frames == 6)
    #expect(prepared.file.steps.contains("resized 1600x900 to 1024x576"))
  }

  @Test("goes down the ladder until it fits, and says what it lost")
  func ladder() throws {
    let prepared = try PreparedImage("animation/simple.gif") { recipe in
      recipe.replaceRungs(
        [
          .init(width: 80, height: 60, colours: 256, frameStep: 1),
          .init(width: 20, height: 15, colours: 8, frameStep: 2),
        ],
        maximumBytes: 330)
    }
    #expect(prepared.file.type == .gif)
    #expect(prepared.file.width == 20 && prepared.file.frames == 2)
    #expect(prepared.file.duration == 0.4)
    #expect(prepared.file.steps.contains { $0.hasPrefix("tried 80x60 in 256 colours") })
    #expect(prepared.file.reductions.count == 3)
  }

  @Test("becomes a still of its first frame when nothing else fits")
  func still() throws {
    let prepared = try PreparedImage("animation/simple.gif") { recipe in
      recipe.replaceRungs([.init(width: 80, height: 60, colours: 256, frameStep: 1)], maximumBytes: 100)
    }
    #expect(prepared.file.type == .jpeg)
    #expect(prepared.file.frames == 1 && prepared.file.duration == nil)
    #expect(prepared.file.reductions.count == 1)
    #expect(try prepared.pixels().shows([255, 0, 0], at: 70, 50))
  }

  @Test("spends rounding errors on the next frame, and no frame is too short to be shown")
  func rounding() {
    #expect(GIFTiming(milliseconds: [33, 33, 33, 33, 33, 33], plays: 0).delays == [3, 4, 3, 3, 4, 3])
    #expect(GIFTiming(milliseconds: [20, 20], plays: 1).delays == [2, 2])
    #expect(GIFTiming(milliseconds: [100, 1_000_000], plays: 1).delays == [10, 65_535])
  }

  private func expectedFrame(_ name: String) throws -> VipsPicture {
    let path = TimelineFixture.folder.deletingLastPathComponent().appending(path: "expected/\(name)")
    return try VipsPicture(decodingPNG: [UInt8](try Data(contentsOf: path)))
  }
}

extension Samples {
  fileprivate var withHardEdges: Samples {
    var hard = bytes
    for alpha in stride(from: 3, to: hard.count, by: 4) { hard[alpha] = hard[alpha] >= 128 ? 255 : 0 }
    return Samples(width: width, height: height, bytes: hard)
  }

  private init(width: Int, height: Int, bytes: [UInt8]) {
    (self.width, self.height, self.bytes) = (width, height, bytes)
  }
}

extension Recipe {
  fileprivate mutating func replaceRungs(_ rungs: [AnimationRecipe.Rung], maximumBytes: Int) {
    guard case .animation(var animation) = self else { return }
    animation.keepsFrames = false
    animation.rungs = rungs
    animation.maximumBytes = maximumBytes
    self = .animation(animation)
  }
}
