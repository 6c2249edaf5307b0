import FoundationEssentials
import RichPush
import Testing

@testable import Preparation

@Suite("What is too long")
struct PlanOverlongTests {
  private func options(_ overlong: PreparationOptions.Overlong) -> PreparationOptions {
    PreparationOptions(overlong: overlong)
  }

  @Test(
    "a video that is not too long is copied whole, whatever is wanted", arguments: PreparationOptions.Overlong.allCases)
  func whole(_ overlong: PreparationOptions.Overlong) {
    for seconds in [0.04, 30, 30.03] {
      #expect(plan(clip(seconds: seconds), options: options(overlong)) == plan(clip(seconds: seconds)))
    }
  }

  @Test("a video that is too long is rejected by default, and otherwise trimmed or replaced by its poster")
  func overlong() {
    let facts = clip(seconds: 41.2)
    #expect(plan(facts).reason?.code == .videoTooLong)
    let trimmed = plan(facts, options: options(.trim)).remux
    #expect(trimmed?.trims == true && trimmed?.maximumSeconds == 30)
    #expect(plan(facts, options: options(.poster)) == .prepare(.poster(Profile.ios.poster)))
  }

  @Test("what does not need to be too long is not trimmed")
  func untrimmed() {
    #expect(plan(clip(seconds: 10)).remux?.trims == false)
  }

  @Test("a video of unknown duration is rejected all the same", arguments: PreparationOptions.Overlong.allCases)
  func unknown(_ overlong: PreparationOptions.Overlong) {
    #expect(plan(clip(seconds: nil), options: options(overlong)).reason?.code == .unknownDuration)
  }

  @Test("a video that nobody can decode has no poster")
  func undecodable() {
    let encrypted = clip(seconds: 60) { $0.picture.isEncrypted = true }
    #expect(plan(encrypted, options: options(.poster)).reason?.message == "the video is encrypted")
    let unknown = clip(seconds: 60) { video in
      video.picture.codec = "vvc"
      video.picture.isDecodable = false
    }
    #expect(
      plan(unknown, options: options(.poster)).reason?.message == "no decoder knows the video's codec vvc")
  }

  @Test("a poster is made of what would have to be encoded, too")
  func anyCodec() {
    let film = clip(seconds: 60) { $0.picture.codec = "vp9" }
    #expect(plan(film, options: options(.poster)) == .prepare(.poster(Profile.ios.poster)))
  }

  @Test(
    "options that a job does not name are as by default",
    arguments: [
      ("{}", PreparationOptions()), (#"{"overlong":"trim"}"#, PreparationOptions(overlong: .trim)),
      (#"{"fit":"cover"}"#, PreparationOptions(fit: .cover)),
      (#"{"fit":"inside","overlong":"poster"}"#, PreparationOptions(overlong: .poster)),
    ])
  func decoding(json: String, options: PreparationOptions) throws {
    #expect(try JSONDecoder().decode(PreparationOptions.self, from: Data(json.utf8)) == options)
  }

  @Test("an option of another name is an error")
  func wrongOption() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PreparationOptions.self, from: Data(#"{"overlong":"cut"}"#.utf8))
    }
  }
}
