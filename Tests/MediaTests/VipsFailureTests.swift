import Testing

@testable import Media

@Suite("what libvips says about a failure")
struct VipsFailureTests {
  @Test(
    "is the last whole line of its error buffer",
    arguments: [
      ("first\nsecond\n", "second"), ("whole\ncut off in the mid\n...", "whole"),
      ("cut off\n...", "no reason is given"), ("...", "no reason is given"), ("", "no reason is given"),
    ])
  func lastLine(buffer: String, message: String) {
    #expect(VipsFailure(errorBuffer: buffer).message == message)
  }
}
