import AssetStore
import RichPush
import Testing

@testable import Pipeline

private let hash = String(repeating: "0123456789abcdef", count: 4)

private func attachment(
  _ type: AttachmentType, at address: String?, frames: Int? = nil, identifier: String = "media-1"
) -> RichPush.Attachment {
  let location = "assets/01/\(hash).\(type.fileExtension)"
  return RichPush.Attachment(
    identifier: identifier,
    asset: Asset(
      type: type, location: location, url: address.map { "\($0)/\(location)" }, bytes: 10, sha256: hash, frames: frames),
    options: AttachmentOptions(), steps: [],
    source: SourceDescription(url: "a", format: "x", bytes: 1, sha256: hash))
}

private func job(_ payload: String?, identifiers: [String?] = [nil]) throws -> Job {
  let sources = identifiers.map { JobSource(.url("https://example.com/a.jpg"), identifier: $0) }
  return Job(id: "a/b", sources: sources, payload: try payload.map { try JSONValue(parsing: $0) })
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

  private static let longName = String(repeating: "é", count: 64)

  @Test(
    "refuse a payload that has no room for the address of its media, by the very byte",
    arguments: [
      ([], [nil]), ([.expo], [nil]), ([.notifee, .onesignal], [nil, longName]), ([.braze, .klaviyo], ["\"\n\""]),
      ([.airship, .clevertap, .firebase, .plain], [longName]), (PayloadPreset.allCases, ["a", longName]),
    ] as [([PayloadPreset], [String?])])
  func refuseTooLarge(presets: [PayloadPreset], identifiers: [String?]) throws {
    let rules = NotificationRules(options: PayloadOptions(presets: presets))
    let address = try PublicAddress("https://cdn.example.com")
    func sized(_ length: Int) throws -> Job {
      try job(
        #"{"aps":{"alert":"\#(String(repeating: "x", count: length))"}}"#, identifiers: identifiers)
    }
    // The first one that is refused, by halves.
    var (longest, refused) = (0, 4096)
    while refused - longest > 1 {
      let middle = (longest + refused) / 2
      if try rules.refusal(of: sized(middle), at: address) == nil { longest = middle } else { refused = middle }
    }
    let reason = try #require(try rules.refusal(of: sized(refused), at: address))
    #expect(longest > 0 && reason.limit == 4096 && reason.measured == 4097)
    // What was not refused can be completed, whichever source is shown and whatever it is.
    for type in AttachmentType.allCases {
      for (index, identifier) in identifiers.enumerated() {
        let attachment = attachment(
          type, at: "https://cdn.example.com", identifier: identifier ?? "media-\(index + 1)")
        let completed = try rules.completed(sized(longest), [attachment], at: address)
        let payload = try #require(completed.payload)
        #expect(PayloadContent(payload: payload)?.media.map(\.type) == [type])
        #expect(payload.utf8().count <= 4096)
        #expect(!completed.warnings.contains { $0.message.contains("takes") || $0.message.contains("keys of") })
      }
    }
  }

  @Test(
    "refuse a payload that has no room for mutable-content, whether or not the media have an address",
    arguments: [nil, "http://localhost:8080"])
  func refuseWithoutAddress(address: String?) throws {
    let publicAddress = try address.map { try PublicAddress($0) }
    let own = #","mutable-content":1"#.utf8.count
    func sized(_ bytes: Int) throws -> Job {
      try job(
        #"{"aps":{"alert":"\#(String(repeating: "x", count: bytes - #"{"aps":{"alert":""}}"#.utf8.count))"}}"#)
    }
    let rules = NotificationRules()
    #expect(try rules.refusal(of: sized(4096 - own), at: publicAddress) == nil)
    let completed = try rules.completed(sized(4096 - own), [attachment(.jpeg, at: address)], at: publicAddress)
    #expect(completed.payload?.utf8().count == 4096 && completed.warnings.count == 1)
    #expect(try rules.refusal(of: sized(4097 - own), at: publicAddress)?.measured == 4097)
    // Where it may be cut, it is.
    let cutting = NotificationRules(options: PayloadOptions(mayShortenBody: true))
    #expect(try cutting.refusal(of: sized(5000), at: publicAddress) == nil)
    let cut = try cutting.completed(sized(5000), [attachment(.jpeg, at: address)], at: publicAddress)
    #expect(
      cut.payload?.utf8().count == 4096 && cut.warnings.last?.message.contains("from the end of the body") == true)
    // A VoIP push has no extension, and more room.
    let voip = NotificationRules(options: PayloadOptions(limit: .voip))
    #expect(try voip.refusal(of: sized(5120), at: publicAddress) == nil)
    #expect(try voip.refusal(of: sized(5121), at: publicAddress)?.measured == 5121)
    #expect(
      try voip.completed(sized(5120), [attachment(.jpeg, at: address)], at: publicAddress).payload
        == sized(5120).payload)
  }

  @Test("give up the keys of presets before the media, and name what was given up")
  func giveUp() throws {
    let rules = NotificationRules(options: PayloadOptions(presets: [.expo, .plain]))
    let address = try PublicAddress("https://cdn.example.com")
    func completed(_ length: Int) throws -> (payload: JSONValue?, warnings: [Warning]) {
      let payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: length))"}}"#
      return try rules.completed(job(payload), [attachment(.jpeg, at: "https://cdn.example.com")], at: address)
    }
    let withoutKeys = try completed(3850)
    let payload = try #require(withoutKeys.payload)
    #expect(PayloadContent(payload: payload)?.media.count == 1 && payload["media-url"] == nil)
    #expect(withoutKeys.warnings[0].message.hasPrefix("left out the keys of expo, plain: the payload takes "))
    let withoutMedia = try completed(4000)
    #expect(withoutMedia.payload?["enclosure"] == nil && withoutMedia.payload?["aps"]?["mutable-content"] != nil)
    #expect(withoutMedia.warnings.count == 1)
    #expect(withoutMedia.warnings[0].message.hasPrefix("the payload does not name the media: the payload takes "))
    let tooLarge = try completed(4097)
    #expect(tooLarge.warnings.map { $0.message.contains("at most 4096 can be sent") } == [true])
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
