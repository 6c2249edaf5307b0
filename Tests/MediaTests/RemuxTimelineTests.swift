import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Copying timelines out of the ordinary")
struct RemuxTimelineTests {
  @Test("the order of pictures is found by decoding where the container does not tell it")
  func order() throws {
    let fixture = try TimelineFixture("timeline/b-frames.avi")
    let facts = try fixture.facts()
    print("debug", try refusal { try debugOrder(try fixture.file) } as Any, facts.format)
  }
}
