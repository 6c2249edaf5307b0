import CFFmpeg
import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Reasons that people understand")
struct ReasonTextTests {
  @Test(
    "what FFmpeg's libraries call their errors is for those who call them, not for senders",
    arguments: [
      enclosure_av_eof, enclosure_av_io, enclosure_av_invalid_argument, enclosure_av_not_permitted,
      enclosure_av_patch_welcome, enclosure_av_invalid_data, enclosure_av_not_implemented, enclosure_av_out_of_range,
      enclosure_av_experimental,
    ])
  func complaints(_ code: Int32) {
    let complaint = libavComplaint(about: code)
    #expect(complaint != libavDescription(of: code))
    #expect(!complaint.contains("error"))
  }

  @Test("a box of no known type is none, and its bytes do not get into the sentence")
  func strangeBox() throws {
    let brand = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 2, 0]
    let fixture = try TimelineFixture(bytes: brand + [0x7F, 0, 0, 0, 0xE2, 0x01, 0x1B, 0x00] + Array("abcdefgh".utf8))
    let reason = try #require(try refusal { _ = try fixture.facts() })
    #expect(reason.code == .corrupt)
    #expect(reason.message == "the file's boxes do not follow each other: there is none at byte 16")
  }

  @Test("a header that makes no sense is named by what people call its container")
  func plainName() throws {
    let brand = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 2, 0]
    // A movie box in itself, over and over, deeper than is read.
    var movie: [UInt8] = []
    for _ in 0..<200 {
      let size = movie.count + 8
      movie = (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array("moov".utf8) + movie
    }
    let reason = try #require(try refusal { _ = try TimelineFixture(bytes: brand + movie).facts() })
    #expect(reason.code == .corrupt)
    #expect(!reason.message.contains("mov,mp4"))
  }

  @Test("damage to what a decoder starts from is damage, not an unknown codec")
  func damagedSetup() throws {
    var bytes = try TimelineFixture("timeline/theora.ogv").bytes
    let setup = try #require(bytes.firstRange(of: [0x82] + Array("theora".utf8))).lowerBound
    for index in setup + 40..<setup + 140 { bytes[index] = 0xFF }
    let fixture = try TimelineFixture(bytes: bytes)
    let reason = try refusal {
      let facts = try fixture.facts()
      guard case .prepare(let recipe) = plan(facts) else { throw NotThatKind() }
      let output = try TimelineFixture()
      _ = try prepare(try fixture.file, into: output.descriptor, PrepareRequest(facts: facts, recipe: recipe))
    }
    #expect(reason?.code == .corrupt, "\(reason?.message ?? "none")")
  }
}
