import Glibc
import Preparation
import RichPush
import Testing

@testable import Media

@Suite("The first bytes")
struct SignatureTests {
  @Test("of AMR speech are no script's, though both begin alike")
  func amr() throws {
    #expect(try signature(of: "#!AMR\n<\u{11}\u{0F}") == .unknown)
    guard case .refused(let reason) = try signature(of: "#!/bin/sh\necho\n") else {
      Issue.record("a script was not refused")
      return
    }
    #expect(reason.code == .unsupportedType)
    #expect(reason.message.contains("a script"))
  }

  private func signature(of text: String) throws -> Signature {
    var template = Array("/tmp/enclosure-test-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    defer { close(descriptor) }
    unlink(template)
    let bytes = Array(text.utf8)
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    return Signature(of: try MediaFile(borrowing: descriptor, at: .inspect))
  }
}
