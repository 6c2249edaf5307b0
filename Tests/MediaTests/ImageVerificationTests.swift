import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Verifying an image")
struct ImageVerificationTests {
  @Test(
    "finds what differs from what was meant",
    arguments: ["image/metadata.jpg", "image/rgba.png", "animation/simple.gif"])
  func differences(path: String) throws {
    let prepared = try PreparedImage(path)
    let changes: [(inout PreparedFile) -> Void] = [
      { $0.bytes += 1 }, { $0.width = 7 }, { $0.frames = 9 }, { $0.type = $0.type == .gif ? .png : .gif },
    ]
    for change in changes {
      var expected = prepared.file
      change(&expected)
      let reason = try refusal { try prepared.output.use { try verifyImage($0, expected) } }
      #expect(reason?.stage == .verify && reason?.code == .corrupt)
    }
  }

  @Test("finds files that end early", arguments: ["image/landscape.jpg", "image/rgba.png", "animation/simple.gif"])
  func cut(path: String) throws {
    let prepared = try PreparedImage(path)
    let bytes = try prepared.bytes
    let cut = try TimelineFixture(bytes: Array(bytes.prefix(bytes.count * 2 / 3)))
    var expected = prepared.file
    expected.bytes = try cut.file.bytes
    #expect(try refusal { try cut.use { try verifyImage($0, expected) } }?.stage == .verify)
  }

  @Test("finds metadata that was left", arguments: ["metadata.jpg", "no-extension", "display-p3.jpg"])
  func metadata(name: String) throws {
    let source = try TimelineFixture("image/\(name)")
    let expected = PreparedFile(
      type: .jpeg, bytes: try source.file.bytes, width: 240, height: 160, frames: 1, steps: [])
    #expect(try refusal { try source.use { try verifyImage($0, expected) } }?.stage == .verify)
  }

  @Test("finds delays that nobody would keep to")
  func shortDelays() throws {
    let source = try TimelineFixture("animation/zero-delay.gif")
    let expected = PreparedFile(
      type: .gif, bytes: try source.file.bytes, width: 80, height: 60, frames: 4, duration: 0, steps: [])
    #expect(try refusal { try source.use { try verifyImage($0, expected) } }?.message.contains("20 ms") == true)
  }
}
