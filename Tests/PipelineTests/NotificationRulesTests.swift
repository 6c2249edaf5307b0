import AssetStore
import RichPush
import Testing

@testable import Pipeline

private let hash = String(repeating: "0123456789abcdef", count: 4)

private func attachment(_ type: AttachmentType, at address: String?, frames: Int? = nil) -> RichPush.Attachment {
  let location = "assets/01/\(hash).\(type.fileExtension)"
  return RichPush.Attachment(
    identifier: "media-1",
    asset: Asset(
      type: type, location: location, url: address.map { "\($0)/\(location)" }, bytes: 10, sha256: hash, frames: frames),
    options: AttachmentOptions(), steps: [],
    source: SourceDescription(url: "a", format: "x", bytes: 1, sha256: hash))
}

private func job(_ payload: String?) throws -> Job {
  let source = JobSource(.url("https://example.com/a.jpg"))
  return Job(id: "a/b", sources: [source], payload: try payload.map { try JSONValue(parsing: $0) })
}

@Suite("the rules for notifications")
struct NotificationRulesTests {
  private let registry = CategoryRegistry(categories: [
    NotificationCategory(identifier: "photo", media: [.image], contentExtension: .init())
  ])

  @Test("leave a job without a payload alone")
  func leaveAlone() throws {
    let rules = NotificationRules(registry: registry)
    #expect(try rules.refusal(of: job(nil), at: nil) == nil)
    let completed = try rules.completed(job(nil), [attachment(.jpeg, at: nil)], at: nil)
    #expect(completed.payload == nil && completed.warnings == [])
  }

  @Test(
    "refuse a job that cannot become its notification, before any work",
    arguments: [
      (#"{"aps":{"alert":"hi","category":"photo"}}"#, nil), (#"{"aps":{"alert":"hi"}}"#, nil),
      (
        #"{"aps":{"alert":"hi","category":"Photo"}}"#,
        "no category “Photo”, so there would be no buttons; “photo” differs"
      ),
      (#"{"alert":"hi"}"#, "no JSON object with an object “aps”"),
      (#"{"aps":{"alert":"hi"},"fcm_options":1}"#, "“fcm_options” is no object"),
    ])
  func refuse(payload: String, message: String?) throws {
    var rules = NotificationRules(registry: registry, options: PayloadOptions(presets: [.firebase]))
    let address = try PublicAddress("https://cdn.example.com")
    let reason = try rules.refusal(of: job(payload), at: address)
    #expect(reason?.code == (message == nil ? nil : .invalidJob) && reason?.permanent != false)
    #expect(reason.map { $0.message.contains(message ?? "?") } != false, "\(String(describing: reason))")
    guard payload.contains("Photo") else { return }
    rules.unknownCategory = .warn
    #expect(try rules.refusal(of: job(payload), at: address) == nil)
    let completed = try rules.completed(job(payload), [], at: address)
    #expect(completed.warnings.map(\.source) == ["payload.aps.category"])
    #expect(completed.warnings.map(\.code) == [.payload])
  }

  @Test("refuse a payload that has no room for the address of its media, by the very byte")
  func refuseTooLarge() throws {
    let rules = NotificationRules()
    let address = try PublicAddress("https://cdn.example.com")
    var longest = 0
    for length in 3800...4000 {
      let payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: length))"}}"#
      if let reason = try rules.refusal(of: job(payload), at: address) {
        #expect(reason.limit == 4096 && reason.measured == 4097)
        break
      }
      longest = length
    }
    // What was not refused can be completed, with the longest address and name of a type that there are.
    let payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: longest))"}}"#
    for type in AttachmentType.allCases {
      let completed = try rules.completed(job(payload), [attachment(type, at: "https://cdn.example.com")], at: address)
      let content = try PayloadContent(payload: #require(completed.payload))
      #expect(content?.media.map(\.type) == [type])
      #expect(try #require(completed.payload).utf8().count <= 4096)
      #expect(!completed.warnings.contains { $0.message.contains("takes") })
    }
  }

  @Test("complete a payload with what the media need, and say what they had to leave out")
  func complete() throws {
    let rules = NotificationRules(registry: registry, options: PayloadOptions(presets: [.expo]))
    let address = try PublicAddress("https://cdn.example.com")
    let payload = #"{"aps":{"alert":"hi","category":"photo"}}"#
    let gif = try rules.completed(
      job(payload), [attachment(.gif, at: "https://cdn.example.com", frames: 3)], at: address)
    #expect(
      gif.payload?.text()
        == #"{"aps":{"alert":"hi","category":"photo","mutable-content":1},"body":{"_richContent":"#
        + #"{"image":"https://cdn.example.com/assets/01/\#(hash).gif"}},"enclosure":{"manifest":"#
        + #""https://cdn.example.com/manifests/a%252Fb.json","media":[{"bytes":10,"id":"media-1","#
        + #""type":"com.compuserve.gif","url":"https://cdn.example.com/assets/01/\#(hash).gif"}],"v":1}}"#)
    #expect(gif.warnings.count == 1 && gif.warnings[0].message.contains("an animation stands still"))
    let audio = try rules.completed(job(payload), [attachment(.mp3, at: "https://cdn.example.com")], at: address)
    #expect(audio.warnings.map { $0.message.contains("Expo") } == [true, false])
    #expect(audio.warnings[1].message == "the category “photo” expects image, and gets audio")
    let large = #"{"aps":{"alert":"\#(String(repeating: "x", count: 3700))"}}"#
    let shrunk = try rules.completed(job(large), [attachment(.jpeg, at: "https://cdn.example.com")], at: address)
    #expect(shrunk.warnings.first?.message == "left out the manifest's address to fit")
  }

  @Test("do not name media that the public cannot get", arguments: [nil, "http://localhost:8080"])
  func withoutAddress(address: String?) throws {
    let rules = NotificationRules()
    let publicAddress = try address.map { try PublicAddress($0) }
    let payload = #"{"aps":{"alert":"hi"}}"#
    #expect(try rules.refusal(of: job(payload), at: publicAddress) == nil)
    let completed = try rules.completed(job(payload), [attachment(.jpeg, at: address)], at: publicAddress)
    #expect(completed.payload?.text() == #"{"aps":{"alert":"hi","mutable-content":1}}"#)
    #expect(completed.warnings.map(\.source) == ["payload"])
  }
}
