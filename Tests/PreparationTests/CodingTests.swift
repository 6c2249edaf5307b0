import FoundationEssentials
import Preparation
import RichPush
import Testing

/// The planes agree about a message only if it comes out as it went in.
@Suite struct CodingTests {
  @Test(
    "facts survive the way between the planes",
    arguments: [
      photo { $0.hasAlpha = true }, animation(), clip(), clip { $0.sound = nil }, clip(seconds: nil), hevcClip(),
      song("mp3", format: .mp3),
      MediaFacts(
        format: .heif, bytes: 1, content: photo().content, metadata: MediaFacts.Metadata.allCases),
    ])
  func facts(facts: MediaFacts) throws {
    #expect(try recoded(facts) == facts)
    guard case .prepare(let recipe) = plan(facts) else { return }
    #expect(try recoded(recipe) == recipe)
    let request = HelperRequest.prepare(PrepareRequest(facts: facts, recipe: recipe))
    #expect(try recoded(request) == request)
  }

  @Test(
    "answers survive the way between the planes",
    arguments: [
      .facts(photo()), .verified,
      .rejected(Rejection.Reason(.corrupt, at: .inspect, "it is", limit: 1, measured: 2.5, permanent: false)),
      .glance(.undecided), .glance(.needs(5..<70_000)),
      .glance(.claims(HeaderClaim(format: .webm, kind: .video, seconds: 3600.04, evidence: .packets))),
      .prepared(PreparedFile(type: .gif, bytes: 1, width: 2, height: 3, frames: 4, duration: 0.5, steps: ["a"])),
    ] as [HelperReply.Outcome])
  func replies(outcome: HelperReply.Outcome) throws {
    #expect(try recoded(HelperReply(outcome)).outcome == outcome)
  }

  @Test("a glance is asked for as it was meant", arguments: [nil, 10_000_000])
  func glances(totalBytes: Int?) throws {
    let request = HelperRequest.glance(
      GlanceRequest(available: [0..<65_536, 900_000..<Int.max], totalBytes: totalBytes, enoughSeconds: 30.05))
    #expect(try recoded(request) == request)
  }

  @Test(
    "a recipe's JSON, which inspect prints, is named after its kind",
    arguments: [(photo(), "still"), (animation(), "animation"), (clip(), "remux")])
  func recipeNames(facts: MediaFacts, kind: String) throws {
    guard case .prepare(let recipe) = plan(facts) else {
      Issue.record("it is rejected")
      return
    }
    let text = String(decoding: try JSONEncoder().encode(recipe), as: UTF8.self)
    #expect(text.hasPrefix("{\"\(kind)\":{\"") && !text.contains("_0"), "\(text)")
  }

  private func recoded<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }
}
