import FoundationEssentials
import RichPush
import SchemaSupport
import Testing

private let hashed = String(repeating: "0123456789abcdef", count: 4)

private func medium(_ number: Int) -> PayloadMedia {
  PayloadMedia(
    identifier: "media-\(number)", url: "https://cdn.example.com/assets/01/\(hashed).mp4", type: .mpeg4,
    bytes: 1_234_567,
    poster: "https://cdn.example.com/assets/01/\(hashed).jpg", thumbHash: "3OcRJYB4d3h/iIeHeEh3eIhw+j2w",
    thumbnailTime: 1.25, thumbnailHidden: number == 2,
    thumbnailClippingRect: number == 2 ? ClippingRect(x: 0.25, y: 0.125, width: 0.5, height: 0.75) : nil)
}

private func content(_ count: Int) -> PayloadContent {
  PayloadContent(media: (1...count).map(medium), manifest: "https://cdn.example.com/manifests/order-1234.json")
}

private func notification(_ body: String) -> JSONValue {
  .object(["aps": .object(["alert": .object(["title": .string("T"), "body": .string(body)])]), "mine": .integer(1)])
}

@Suite("a payload")
struct PayloadTests {
  @Test("has the media and what they need, and is what the schema says")
  func builds() throws {
    let payload = try Payload(notification: notification("hi"), content: content(4))
    #expect(payload.omissions == [])
    #expect(payload.utf8 == payload.json.utf8())
    #expect(payload.json["aps"]?["mutable-content"] == .integer(1))
    #expect(payload.json["aps"]?["alert"]?.text() == #"{"body":"hi","title":"T"}"#)
    #expect(payload.json["mine"] == .integer(1))
    #expect(PayloadContent(payload: payload.json) == content(4))
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let schema = try JSONSchema(contentsOf: package.path + "/Sources/RichPush/payload.schema.json")
    #expect(schema.faults(of: try #require(payload.json["enclosure"])) == [])
    #expect(
      Set(schema.resolved(["$ref": .string("#/$defs/medium")])["properties"]?.members.keys.map { $0 } ?? [])
        == Set(payload.json["enclosure"]?["media"]?.asArray?[1].asObject?.keys.map { $0 } ?? []))
  }

  @Test("without media is the sender's own")
  func leavesAlone() throws {
    let payload = try Payload(
      notification: notification("hi"), content: PayloadContent(media: []), options: PayloadOptions(presets: [.plain]))
    #expect(payload.json == notification("hi") && payload.omissions == [])
  }

  @Test(
    "loses in a fixed order what can be left out, and never its text unless that is allowed",
    arguments: [[], [.plain], [.expo], [.firebase, .expo]] as [[PayloadPreset]])
  func shrinks(presets: [PayloadPreset]) throws {
    var order: [[PayloadOmission]] = []
    var failures: [PayloadFailure] = []
    for length in stride(from: 2000, through: 4000, by: 7) {
      let body = String(repeating: "x", count: length)
      do throws(PayloadFailure) {
        let payload = try Payload(
          notification: notification(body), content: content(2), options: PayloadOptions(presets: presets))
        #expect(payload.utf8.count <= 4096)
        #expect(payload.json["aps"]?["alert"]?["body"] == .string(body))
        if order.last != payload.omissions { order.append(payload.omissions) }
      } catch {
        failures.append(error)
      }
    }
    let posters: [PayloadOmission] = [.poster(identifier: "media-2"), .poster(identifier: "media-1")]
    let details: [PayloadOmission] = [.details(identifier: "media-2"), .details(identifier: "media-1")]
    // Expo shows a video's poster.
    let all: [PayloadOmission] =
      [.thumbHash(identifier: "media-2"), .thumbHash(identifier: "media-1"), .manifest]
      + (presets.contains(.expo) ? details + posters : posters + details) + [.medium(identifier: "media-2")]
    #expect(order == (0...all.count).map { Array(all.prefix($0)) })
    guard case .tooLarge(let bytes, 4096) = try #require(failures.first) else {
      Issue.record("another failure: \(failures[0])")
      return
    }
    #expect((4097..<4097 + 7).contains(bytes))
  }

  @Test("what no key has is not said to be left out")
  func countsNoEffect() throws {
    let body = String(repeating: "x", count: 3880)
    let payload = try Payload(
      notification: notification(body), content: content(2),
      options: PayloadOptions(presets: [.onesignal], includesContent: false))
    #expect(payload.omissions == [.medium(identifier: "media-2")])
  }

  @Test(
    "may have its body cut between characters, where that is allowed",
    arguments: [true, false], ["x", "é", "👨‍👩‍👧‍👦", "\"", "e\u{301}\u{302}", "ש"])
  func cuts(isAlertString: Bool, character: String) throws {
    let body = String(repeating: character, count: 5000)
    let alert = isAlertString ? JSONValue.string(body) : .object(["body": .string(body)])
    let payload = try Payload(
      notification: .object(["aps": .object(["alert": alert])]), content: content(1),
      options: PayloadOptions(mayShortenBody: true))
    // No more is cut than has to be.
    let width = JSONValue.string(character).utf8().count - 2
    #expect((4096 - width + 1...4096).contains(payload.utf8.count))
    let cut = try #require((payload.json["aps"]?["alert"]?["body"] ?? payload.json["aps"]?["alert"])?.asString)
    #expect(cut.last == "…" && body.hasPrefix(cut.dropLast()))
    guard case .text = payload.omissions.last else {
      Issue.record("the cut is not told")
      return
    }
    #expect(PayloadContent(payload: payload.json)?.media.map(\.url) == [medium(1).url])
  }

  @Test(
    "is refused with a reason where none can be made",
    arguments: [
      (.object([:]), PayloadContent(media: []), .noNotification),
      (.array([]), PayloadContent(media: []), .noNotification),
      (.object(["aps": .string("a")]), PayloadContent(media: []), .noNotification),
      (
        notification("a"), PayloadContent(media: [PayloadMedia(identifier: "a", url: "http://a/b.jpg", type: .jpeg)]),
        .notSecure(url: "http://a/b.jpg")
      ),
      (notification("a"), PayloadContent(media: [], manifest: "file:/a"), .notSecure(url: "file:/a")),
    ] as [(JSONValue, PayloadContent, PayloadFailure)])
  func refuses(notification: JSONValue, content: PayloadContent, failure: PayloadFailure) {
    #expect(throws: failure) { try Payload(notification: notification, content: content) }
    #expect(failure.message.first?.isUppercase != true && failure.message.last != ".")
  }

  @Test("says how much too large it is")
  func tooLarge() throws {
    let body = String(repeating: "🙂", count: 1200)
    let error = #expect(throws: PayloadFailure.self) {
      try Payload(notification: notification(body), content: PayloadContent(media: []))
    }
    let excess = notification(body).utf8().count - 4096
    #expect(error?.message.hasSuffix("at most 4096 can be sent: shorten its texts by \(excess) bytes") == true)
    // With an allowance of VoIP it fits.
    #expect(throws: Never.self) {
      try Payload(
        notification: notification(body), content: PayloadContent(media: []), options: PayloadOptions(limit: .voip))
    }
  }

  @Test("a VoIP push is not for the extension")
  func voip() throws {
    let payload = try Payload(
      notification: notification("a"), content: content(1), options: PayloadOptions(limit: .voip))
    #expect(payload.json["aps"]?["mutable-content"] == nil && payload.json["enclosure"] != nil)
  }

  @Test("texts of any kind leave it within its limit, valid, and themselves whole", arguments: 0..<600)
  func holdsAnyText(seed: Int) throws {
    var random = SeededGenerator(seed)
    let length = [3, 30, 300, 1200].randomElement(using: &random) ?? 3
    let texts = ["title", "subtitle", "body", "loc-key"].reduce(into: [String: JSONValue]()) { texts, name in
      texts[name] = .string(randomText(upTo: length, using: &random))
    }
    var aps: [String: JSONValue] = ["alert": .object(texts), "badge": .integer(3)]
    for name in ["category", "thread-id", "target-content-id", "sound"] where Bool.random(using: &random) {
      aps[name] = .string(randomText(upTo: 10, using: &random))
    }
    var members: [String: JSONValue] = ["aps": .object(aps)]
    members[randomText(upTo: 3, using: &random) + "mine"] = .string(randomText(upTo: 30, using: &random))
    let notification = JSONValue.object(members)
    let options = PayloadOptions(
      limit: Bool.random(using: &random) ? .notification : .voip,
      presets: PayloadPreset.allCases.filter { _ in Int.random(in: 0..<4, using: &random) == 0 },
      includesContent: Bool.random(using: &random), mayShortenBody: Bool.random(using: &random))
    var content = content(Int.random(in: 1...4, using: &random))
    for index in content.media.indices {
      content.media[index].identifier = "\(index)" + randomText(upTo: 12, using: &random)
    }
    do {
      let payload = try Payload(notification: notification, content: content, options: options)
      #expect(payload.utf8.count <= options.limit.bytes)
      #expect(try JSONDecoder().decode(JSONValue.self, from: Data(payload.utf8)) == payload.json)
      #expect(try JSONValue(parsing: payload.utf8) == payload.json)
      #expect(try JSONValue(parsing: payload.utf8).utf8() == payload.utf8)
      let isCut = payload.omissions.contains { if case .text = $0 { true } else { false } }
      #expect(!isCut || options.mayShortenBody)
      #expect(payload.json["aps"]?.removing("alert", "mutable-content") == .object(aps).removing("alert"))
      // By their bytes: == takes one Unicode form for another.
      for (name, text) in texts where name != "body" || !isCut {
        let kept = payload.json["aps"]?["alert"]?[name]?.asString
        #expect(kept.map { Array($0.utf8) } == text.asString.map { Array($0.utf8) })
      }
      if isCut, let cut = payload.json["aps"]?["alert"]?["body"]?.asString, let whole = texts["body"]?.asString {
        #expect(whole.unicodeScalars.starts(with: cut.dropLast().unicodeScalars) && cut.last == "…")
      }
      if options.includesContent {
        let first = PayloadContent(payload: payload.json)?.media.first
        #expect(first?.url == content.media[0].url && first?.identifier == content.media[0].identifier)
      }
    } catch PayloadFailure.tooLarge(let bytes, let limit) {
      #expect(bytes > limit && limit == options.limit.bytes)
    }
  }
}

extension JSONValue {
  fileprivate func removing(_ names: String...) -> JSONValue {
    .object((asObject ?? [:]).filter { !names.contains($0.key) })
  }
}

@Suite("what a payload says to an app")
struct PayloadContentTests {
  @Test("is read as far as it is understood")
  func reads() throws {
    func content(_ text: String) throws -> PayloadContent? {
      PayloadContent(payload: try JSONValue(parsing: #"{"aps":{},"enclosure":\#(text)}"#))
    }
    #expect(PayloadContent(payload: .object(["aps": .object([:])])) == nil)
    #expect(try content("1") == nil && content(#"{"v":2,"media":[]}"#) == nil && content(#"{"v":1}"#) == nil)
    #expect(try content(#"{"v":1,"media":[],"new":1}"#) == PayloadContent(media: []))
    let minimal = #"{"id":"a","url":"https://a/b.jpg","type":"public.jpeg","new":1}"#
    #expect(
      try content(#"{"v":1,"media":[{"id":"x"},\#(minimal),{"id":"y","url":"https://a/b.jpg","type":"public.new"}]}"#)
        == PayloadContent(media: [PayloadMedia(identifier: "a", url: "https://a/b.jpg", type: .jpeg)]))
  }

  @Test(
    "has the hash of a file in its URL",
    arguments: [
      ("https://a/assets/01/\(hashed).jpg", true), ("https://a/\(hashed).jpg?x=/y", true),
      ("https://a/\(hashed)", true),
      ("https://a/photo.jpg", false), ("https://a/\(hashed)0.jpg", false), ("", false),
      ("https://a/\(hashed.uppercased()).jpg", false),
    ])
  func namesHash(url: String, isThere: Bool) {
    #expect(PayloadMedia(identifier: "a", url: url, type: .jpeg).sha256 == (isThere ? hashed : nil))
  }

  @Test("is made of a manifest's attachment, when that has a public address")
  func converts() throws {
    let attachment = maximalManifest.attachments[0]
    let medium = try #require(PayloadMedia(attachment))
    #expect(medium.identifier == "media-1" && medium.url == attachment.asset.url && medium.type == .gif)
    #expect(medium.bytes == 128_495 && medium.poster == attachment.poster?.url)
    #expect(medium.thumbHash == attachment.placeholder?.thumbHash)
    #expect(medium.thumbnailTime == 1.2 && medium.thumbnailHidden && medium.sha256 == hash)
    #expect(medium.thumbnailClippingRect == ClippingRect(x: 0.25, y: 0.125, width: 0.5, height: 0.75))
    #expect(PayloadMedia(minimalManifest.attachments[0]) == nil)
  }
}

@Suite("the part of a picture that a thumbnail shows")
struct ClippingRectTests {
  @Test(
    "is neither empty nor beyond the picture",
    arguments: [
      ([0, 0, 1, 1], true), ([0.25, 0.5, 0.75, 0.5], true), ([0.1, 0, 0.9, 1], true), ([0, 0, 0, 1], false),
      ([0.5, 0, 0.6, 1], false), ([-0.1, 0, 1, 1], false), ([0, 0, .nan, 1], false), ([.nan, 0, 1, 1], false),
      ([0, 0.5, 1, .infinity], false),
    ] as [([Double], Bool)])
  func bounds(numbers: [Double], isValid: Bool) throws {
    #expect((ClippingRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]) != nil) == isValid)
  }

  @Test("is as CGRect has it in a manifest, and left out of a payload where it is none")
  func shape() throws {
    let rect = try JSONDecoder().decode(ClippingRect.self, from: Data(#"{"X":0,"Y":0.5,"Width":1,"Height":0.5}"#.utf8))
    #expect(rect.dictionary == ["X": 0, "Y": 0.5, "Width": 1, "Height": 0.5])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ClippingRect.self, from: Data(#"{"X":0,"Y":0.5,"Width":1,"Height":0.6}"#.utf8))
    }
    for (clip, expected) in [("[0,0.5,1,0.5]", rect), ("[0,0.5,1,0.6]", nil), ("[0,0.5,1]", nil), ("true", nil)] {
      let text = #"{"enclosure":{"v":1,"media":[{"id":"a","url":"https://a/b","type":"public.png","clip":\#(clip)}]}}"#
      let media = try #require(PayloadContent(payload: try JSONValue(parsing: text.utf8))?.media.first)
      #expect(media.thumbnailClippingRect == expected)
    }
  }
}

@Suite("a file for the simulator")
struct SimulatorFileTests {
  @Test("is the payload with the app's bundle, indented where it may be")
  func writes() throws {
    let payload = try Payload(notification: notification("hi"), content: PayloadContent(media: []))
    let file = try payload.simulatorFile(bundle: "com.example.app")
    #expect(
      String(decoding: file, as: UTF8.self) == """
        {
          "Simulator Target Bundle": "com.example.app",
          "aps": {
            "alert": {
              "body": "hi",
              "title": "T"
            }
          },
          "mine": 1
        }

        """)
  }

  @Test("stays below the simulator's limit, or says why it cannot")
  func limits() throws {
    func payload(_ bytes: Int, _ limit: PayloadLimit = .notification) throws -> Payload {
      let body = String(repeating: "x", count: bytes - notification("").utf8().count)
      return try Payload(
        notification: notification(body), content: PayloadContent(media: []), options: PayloadOptions(limit: limit))
    }
    let extra = #""Simulator Target Bundle":"a","#.utf8.count
    #expect(try payload(4096 - extra).simulatorFile(bundle: "a").count == 4096)
    #expect(throws: SimulatorFileFailure.tooLarge(bytes: 4097, limit: 4096)) {
      try payload(4097 - extra).simulatorFile(bundle: "a")
    }
    #expect(try payload(4096).simulatorFile(bundle: nil).count == 4096)
    #expect(throws: SimulatorFileFailure.tooLarge(bytes: 4097, limit: 4096)) {
      try payload(4097, .voip).simulatorFile(bundle: nil)
    }
  }
}
