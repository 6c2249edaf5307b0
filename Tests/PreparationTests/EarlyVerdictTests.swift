import Preparation
import RichPush
import Testing

@Suite("Early verdicts") struct EarlyVerdictTests {
  @Test(
    "only a video whose claim no grace can save is rejected",
    arguments: [
      (HeaderClaim(kind: .video, 3600), 3600.0), (HeaderClaim(kind: .video, 30.1), 30.1),
      (HeaderClaim(kind: .video, 30.051), 30.051), (HeaderClaim(kind: .video, 30.0504), nil),
      (HeaderClaim(kind: .video, 30), nil), (HeaderClaim(kind: .video, 0), nil), (HeaderClaim(kind: .video, -1), nil),
      (HeaderClaim(kind: .video, .infinity), nil), (HeaderClaim(kind: .video, .nan), nil),
      (HeaderClaim(kind: .audio, 3600), nil), (HeaderClaim(kind: .image, 3600), nil),
    ] as [(HeaderClaim, Double?)])
  func verdicts(claim: HeaderClaim, measured: Double?) {
    let reason = earlyRejection(of: claim)
    #expect(reason?.measured == measured)
    #expect(reason == nil || (reason?.code == .videoTooLong && reason?.stage == .fetch && reason?.permanent == true))
  }

  @Test("the sentence is the plan's, and says when only a part was seen")
  func wording() throws {
    let header = try #require(earlyRejection(of: HeaderClaim(kind: .video, 41.2)))
    let planned = try #require(plan(clip(seconds: 41.2)).reason)
    #expect(header.message == planned.message)
    #expect(header.limit == planned.limit && header.measured == planned.measured && header.code == planned.code)
    let packets = try #require(earlyRejection(of: HeaderClaim(kind: .video, 30.5, .packets)))
    #expect(packets.message == "the video lasts at least 30.5 s; at most 30 s can be attached")
  }

  @Test("what is rejected early would have been rejected by the plan, whatever the frame rate is")
  func agreement() {
    for milliseconds in 29_900..<30_200 {
      let seconds = Double(milliseconds) / 1000
      guard earlyRejection(of: HeaderClaim(kind: .video, seconds)) != nil else { continue }
      for period in [nil, 0.01, 0.05, 1.0] as [Double?] {
        let facts = clip(seconds: seconds) { $0.framePeriod = period }
        #expect(plan(facts).reason?.code == .videoTooLong, "\(seconds)")
      }
    }
  }
}

extension HeaderClaim {
  init(kind: MediaKind, _ seconds: Double, _ evidence: Evidence = .header) {
    self.init(format: .mp4, kind: kind, seconds: seconds, evidence: evidence)
  }
}
