import RichPush
import Testing

@Suite("the check of a payload")
struct PayloadCheckTests {
  private static let mutable = #""alert":"hi","mutable-content":1"#

  @Test(
    "finds keys that iOS does not read where they stand",
    arguments: [
      (#"[]"#, ["error wrong_value at $"]),
      (#"{}"#, ["error missing_aps at $"]),
      (#"{"APS":{"alert":"hi"}}"#, ["error missing_aps at $"]),
      (#"{"aps":[]}"#, ["error wrong_value at aps"]),
      (#"{"aps":{"alert":"hi"}}"#, []),
      // parse-server-push-adapter#38, firebase-ios-sdk#3368, node-apn#488.
      (#"{"aps":{"alert":"hi"},"mutable-content":1}"#, ["error misplaced_key at mutable-content"]),
      (#"{"aps":{"alert":"hi"},"mutable_content":true}"#, ["error misspelt_key at mutable_content"]),
      (#"{"aps":{"alert":"hi","mutable_content":1}}"#, ["error misspelt_key at aps.mutable_content"]),
      (#"{"aps":{"alert":"hi","mutableContent":1}}"#, ["error misspelt_key at aps.mutableContent"]),
      (#"{"aps":{"alert":"hi","Mutable-Content":1}}"#, ["error misspelt_key at aps.Mutable-Content"]),
      (#"{"aps":{"alert":{"body":"hi","mutable-content":1}}}"#, ["error misplaced_key at aps.alert.mutable-content"]),
      (
        #"{"aps":{"alert":{"body":"hi","mutable_content":1},"mutable-content":1}}"#,
        ["warning misspelt_key at aps.alert.mutable_content"]
      ),
      (#"{"aps":{"alert":{"body":"hi","category":"a"}}}"#, ["error misplaced_key at aps.alert.category"]),
      (#"{"aps":{"alert":"hi"},"thread_id":"a"}"#, ["error misspelt_key at thread_id"]),
      (#"{"aps":{"alert":"hi","thread-id":"a"},"thread-id":"b"}"#, ["warning misplaced_key at thread-id"]),
      (#"{"aps":{"alert":"hi"},"category":"a"}"#, ["warning misplaced_key at category"]),
      (#"{"aps":{"alert":"hi","category":"a"},"category":"b","sound":{}}"#, ["warning misplaced_key at sound"]),
      (#"{"aps":{"alert":"hi"},"apns-priority":5}"#, ["error misplaced_key at apns-priority"]),
      (#"{"aps":{"alert":"hi"},"Simulator Target Bundle":"a"}"#, ["note unknown_key at Simulator Target Bundle"]),
      (#"{"aps":{"alert":"hi","sond":"a"}}"#, ["warning unknown_key at aps.sond"]),
      (#"{"aps":{"alert":{"boddy":"hi"}}}"#, ["warning unknown_key at aps.alert.boddy"]),
      (#"{"aps":{"alert":{"title_loc_key":"A"}}}"#, ["error misspelt_key at aps.alert.title_loc_key"]),
      (#"{"aps":{"alert":"hi"},"mutable-contnet":1}"#, ["warning misspelt_key at mutable-contnet"]),
      (#"{"aps":{"alert":"hi"},"muteable-content":1}"#, ["warning misspelt_key at muteable-content"]),
      (#"{"aps":{"alert":"hi"},"theard-id":"a"}"#, ["warning misspelt_key at theard-id"]),
      (#"{"aps":{"alert":"hi"},"mutual-consent":1,"threads":"a","badges":1}"#, []),
      (#"{"aps":{"alert":"hi","mutable-contnet":1}}"#, ["warning unknown_key at aps.mutable-contnet"]),
      (
        #"{"aps":{"alert":"hi","mutable-contnet":1},"media-url":"https://a/b.png"}"#,
        ["warning unknown_key at aps.mutable-contnet", "error missing_mutable_content at aps"]
      ),
      (#"{"aps":{"content-state":{},"event":"update","timestamp":1,"relevance-score":75}}"#, []),
    ])
  func keys(payload: String, findings: [String]) throws {
    #expect(PayloadCheck().findings(in: try JSONValue(parsing: payload)).map(summary) == findings)
  }

  @Test(
    "finds values that iOS does not take",
    arguments: [
      (#""alert":1"#, ["error wrong_value at aps.alert"]),
      (#""alert":{"title":1}"#, ["error wrong_value at aps.alert.title"]),
      (#""alert":{"loc-key":"A","loc-args":["a"]}"#, []),
      (#""alert":{"loc-key":"A","loc-args":[1]}"#, ["error wrong_value at aps.alert.loc-args"]),
      (#""alert":{"loc-key":"A","loc-args":"a"}"#, ["error wrong_value at aps.alert.loc-args"]),
      (#""badge":0"#, []), (#""badge":-1"#, ["error wrong_value at aps.badge"]),
      (#""badge":"1""#, ["error wrong_value at aps.badge"]), (#""badge":1.5"#, ["error wrong_value at aps.badge"]),
      (#""sound":"a.caf""#, []), (#""sound":1"#, ["error wrong_value at aps.sound"]),
      (#""sound":{"critical":1,"name":"a","volume":0.5}"#, []),
      (#""sound":{"name":"a","volume":2}"#, ["error wrong_value at aps.sound.volume"]),
      (#""sound":{"name":"a","volume":0}"#, []), (#""sound":{"name":"a","volume":1.0}"#, []),
      (#""sound":{"name":"a","volume":-0.1}"#, ["error wrong_value at aps.sound.volume"]),
      (#""sound":{"name":"a","volume":"1"}"#, ["error wrong_value at aps.sound.volume"]),
      (#""sound":{"name":"a","critical":0}"#, []), (#""sound":{"name":"a","critical":1.0}"#, []),
      (#""sound":{"name":"a","critical":2}"#, ["error wrong_value at aps.sound.critical"]),
      (#""sound":{"name":"a","critical":"1"}"#, ["error wrong_value at aps.sound.critical"]),
      (#""sound":{"name":"a","critical":null}"#, ["error wrong_value at aps.sound.critical"]),
      (#""sound":{"name":"a","critical":true}"#, ["warning wrong_value at aps.sound.critical"]),
      (#""sound":{"nme":"a"}"#, ["warning unknown_key at aps.sound.nme", "error missing_field at aps.sound"]),
      (#""category":1"#, ["error wrong_value at aps.category"]),
      (#""thread-id":7"#, ["error wrong_value at aps.thread-id"]),
      (#""mutable-content":1.0"#, []), (#""mutable-content":true"#, ["warning wrong_value at aps.mutable-content"]),
      (#""mutable-content":"1""#, ["error wrong_value at aps.mutable-content"]),
      (#""mutable-content":0"#, ["note wrong_value at aps.mutable-content"]),
      (#""content-available":2"#, ["error wrong_value at aps.content-available"]),
      (#""interruption-level":"time-sensitive""#, []),
      (#""interruption-level":"timeSensitive""#, ["error wrong_value at aps.interruption-level"]),
      (#""relevance-score":1"#, []), (#""relevance-score":1.1"#, ["error wrong_value at aps.relevance-score"]),
      (#""target-content-id":"a""#, []),
    ])
  func values(aps: String, findings: [String]) throws {
    #expect(PayloadCheck().findings(in: try JSONValue(parsing: "{\"aps\":{\(aps)}}")).map(summary) == findings)
  }

  @Test(
    "takes the alert of a Live Activity, and only there",
    arguments: [
      // Apple, “Starting and updating Live Activities with ActivityKit push notifications”.
      (
        #""timestamp":1,"event":"update","content-state":{"h":1},"alert":{"title":{"loc-key":"%@ down","loc-args":["P"]},"#
          + #""body":{"loc-key":"%@","loc-args":["P"]},"sound":"HeroDown.mp4"}"#, []
      ),
      (#""event":"start","attributes-type":"A","attributes":{},"content-state":{},"alert":{"title":"T"}"#, []),
      (#""content-state":{},"relevance-score":75,"alert":{"title":{"loc-key":"A"}}"#, []),
      (
        #""event":"update","alert":{"title":{"loc-kye":"A"}}"#, ["warning unknown_key at aps.alert.title.loc-kye"]
      ),
      (
        #""event":"update","alert":{"body":{"loc-args":"A"},"sound":1}"#,
        ["error wrong_value at aps.alert.body.loc-args", "error wrong_value at aps.alert.sound"]
      ),
      (#""event":"end","alert":{"subtitle":{"loc-key":"A"}}"#, ["error wrong_value at aps.alert.subtitle"]),
      (
        #""alert":{"title":{"loc-key":"A"},"sound":"a"}"#,
        ["error misplaced_key at aps.alert.sound", "error wrong_value at aps.alert.title"]
      ),
    ])
  func liveActivities(aps: String, findings: [String]) throws {
    #expect(PayloadCheck().findings(in: try JSONValue(parsing: "{\"aps\":{\(aps)}}")).map(summary) == findings)
  }

  @Test(
    "knows the values of mutable-content with which the extension starts",
    arguments: [
      ("0", ["note", "error"]), ("false", ["note", "error"]), ("null", ["error", "error"]),
      (#""1""#, ["error", "error"]),
      ("2", ["error", "error"]), ("[1]", ["error", "error"]), ("true", ["warning"]), ("1", []), ("1.0", []),
    ])
  func mutableContent(value: String, severities: [String]) throws {
    let payload = try JSONValue(
      parsing: #"{"aps":{"alert":"hi","mutable-content":\#(value)},"media-url":"https://a/b.png"}"#)
    let findings = PayloadCheck().findings(in: payload)
    #expect(findings.map(\.severity.rawValue) == severities)
    #expect(findings.contains { $0.code == .missingMutableContent } == (severities.count == 2))
    #expect(findings.first.map { $0.place == "aps.mutable-content" && $0.code == .wrongValue } != false)
  }

  @Test(
    "finds media that a phone would not fetch or attach",
    arguments: [
      (mutable, #""media-url":"https://example.com/a.jpg?x=.webp#y""#, []),
      (mutable, #""media-url":"http://example.com/a.jpg""#, ["error insecure_url at media-url"]),
      (mutable, #""media-url":"HTTPS://example.com/a.JPG""#, []),
      (mutable, #""media-url":"https://example.com/photo""#, ["warning untyped_url at media-url"]),
      (mutable, #""media-url":"https://example.com""#, ["warning untyped_url at media-url"]),
      (mutable, #""media-url":"https://example.com/a.webp""#, ["warning unsupported_media at media-url"]),
      (
        mutable, #""att":{"b":"https://example.com/a.jpg","a":"http://example.com/a.mp4"}"#,
        ["error insecure_url at att.a"]
      ),
      (
        mutable, #""com.urbanairship.media_attachment":{"url":["https://example.com/a.heic"]}"#,
        ["warning unsupported_media at com.urbanairship.media_attachment.url[0]"]
      ),
      (
        mutable, #""notifee_options":{"ios":{"attachments":[{"url":"http://a/b.gif"}]}}"#,
        [
          "error insecure_url at notifee_options.ios.attachments[0].url"
        ]
      ),
      (
        mutable, #""enclosure":{"v":1,"media":[{"id":"a","url":"http://a/b.gif","type":"com.compuserve.gif"}]}"#,
        [
          "error insecure_url at enclosure.media[0].url"
        ]
      ),
      (
        mutable, #""mine":{"picture":["http://example.com/a.png"],"page":"http://example.com/"}"#,
        [
          "warning insecure_url at mine.picture[0]"
        ]
      ),
      (
        mutable, #""mine":{"image_url":"http://example.com/photo?id=3","heroPicture":["http://a/b"]}"#,
        ["warning insecure_url at mine.heroPicture[0]", "warning insecure_url at mine.image_url"]
      ),
      (mutable, #""rich-media-2":{"src":"HTTP://a/b"}"#, ["warning insecure_url at rich-media-2.src"]),
      (mutable, #""immediate":"http://a/b","gift":"http://a/b","videoText":"http","image":"https://a/b""#, []),
      (
        mutable,
        #""enclosure":{"v":1,"manifest":"http://a/m.json","media":[{"id":"a","url":"https://a/b.mp4","#
          + #""type":"public.mpeg-4","poster":"http://a/b.jpg"}]}"#,
        ["error insecure_url at enclosure.manifest", "error insecure_url at enclosure.media[0].poster"]
      ),
      (
        mutable,
        #""enclosure":{"v":1,"manifest":"https://a/m.json","media":[{"id":"a","url":"https://a/b.mp4","#
          + #""type":"public.mpeg-4","poster":"https://a/b"}]}"#, []
      ),
      (#""alert":"http://example.com/a.png""#, "", []),
      (#""alert":"hi""#, #""media-url":"https://a/b.png""#, ["error missing_mutable_content at aps"]),
      (
        #""alert":"hi","mutable-content":0"#, #""media-url":"https://a/b.png""#,
        [
          "note wrong_value at aps.mutable-content", "error missing_mutable_content at aps",
        ]
      ),
      (
        #""content-available":1,"mutable-content":1"#, #""media-url":"https://a/b.png""#, ["error missing_alert at aps"]
      ),
      (#""alert":"","mutable-content":1"#, #""media-url":"https://a/b.png""#, ["error missing_alert at aps"]),
      (#""alert":{"title":""},"mutable-content":1"#, #""media-url":"https://a/b.png""#, ["error missing_alert at aps"]),
      (#""alert":{"title-loc-key":"A"},"mutable-content":1"#, #""media-url":"https://a/b.png""#, []),
    ])
  func media(aps: String, rest: String, findings: [String]) throws {
    let payload = try JSONValue(parsing: "{\"aps\":{\(aps)}\(rest.isEmpty ? "" : ",")\(rest)}")
    #expect(PayloadCheck().findings(in: payload).map(summary) == findings)
  }

  @Test("a VoIP push needs neither alert nor extension")
  func voip() throws {
    let payload = try JSONValue(parsing: #"{"aps":{},"media-url":"https://a/b.png"}"#)
    #expect(PayloadCheck(limit: .voip).findings(in: payload) == [])
  }

  private static let categories = #"""
    {"identifier": "message", "media": ["image", "video"]}, {"identifier": "text", "media": []}, {"identifier": "any"},
    {"identifier": "Update"}, {"identifier": "caf\u00e9"},
    {"identifier": "drawn", "contentExtension": {"hidesDefaultContent": true}}
    """#

  @Test(
    "holds the category against the registry: exactly, with the name that was meant, and its media",
    arguments: [
      ("message", [.init(kind: .image)], nil),
      ("message", [.init(kind: .audio)], "the category “message” expects image or video, and gets audio"),
      ("text", [], nil), ("text", [.init(kind: .image)], "the category “text” expects no media, and gets image"),
      ("any", [.init(kind: .audio)], nil), ("drawn", [.init(kind: .image)], nil),
      (
        "drawn", [.init(kind: .image, isAnimated: true)],
        "the category “drawn” is drawn by a content extension, where an animation stands still unless the extension"
          + " plays it"
      ),
      (
        "UPDATE", [],
        "the registry has no category “UPDATE”, so there would be no buttons; “Update” differs in case"
      ),
      (
        "Update ", [],
        "the registry has no category “Update\\u{20}”, so there would be no buttons; “Update” differs in blanks"
      ),
      (
        "cafe\u{301}", [],
        "the registry has no category “cafe\u{301}”, so there would be no buttons; “caf\u{E9}” differs in Unicode form"
      ),
      ("mesage", [], "the registry has no category “mesage”, so there would be no buttons; is “message” meant?"),
      ("payment", [], "the registry has no category “payment”, so there would be no buttons"),
    ] as [(String, [PayloadCheck.Medium], String?)])
  func category(name: String, media: [PayloadCheck.Medium], message: String?) throws {
    let payload = JSONValue.object([
      "aps": .object(["alert": .string("hi"), "category": .string(name), "mutable-content": .integer(1)])
    ])
    let check = PayloadCheck(registry: try registry(Self.categories), media: media)
    let findings = check.findings(in: payload, at: "payload")
    #expect(findings.map(\.message) == (message.map { [$0] } ?? []))
    #expect(findings.allSatisfy { $0.place == "payload.aps.category" })
    #expect(PayloadCheck(media: media).findings(in: payload) == [])
  }

  @Test("the media's kinds follow from the payload where nothing else tells them")
  func infersMedia() throws {
    let payload = try JSONValue(
      parsing: #"{"aps":{"alert":"a","mutable-content":1,"category":"text"},"media-url":"https://a/b.mp4"}"#)
    let findings = PayloadCheck(registry: try registry(Self.categories)).findings(in: payload)
    #expect(findings.map(\.message) == ["the category “text” expects no media, and gets video"])
  }

  @Test("before its media are prepared, a payload need not have what is added then")
  func beforePreparation() throws {
    let payload = try JSONValue(parsing: #"{"aps":{"alert":"a"}}"#)
    let media = [PayloadCheck.Medium(kind: .image)]
    #expect(PayloadCheck(media: media, isBeforePreparation: true).findings(in: payload) == [])
    #expect(PayloadCheck(media: media).findings(in: payload).map(\.code) == [.missingMutableContent])
  }

  @Test(
    "the size is counted in bytes of UTF-8",
    arguments: [
      (4096, PayloadLimit.notification, false), (4097, .notification, true), (5120, .voip, false), (5121, .voip, true),
    ])
  func size(bytes: Int, limit: PayloadLimit, isTooLarge: Bool) {
    let empty = JSONValue.object(["aps": .object(["alert": .string("🙂")])])
    let padding = String(repeating: "x", count: bytes - empty.utf8().count)
    let payload = JSONValue.object(["aps": .object(["alert": .string("🙂" + padding)])])
    let findings = PayloadCheck(limit: limit).findings(in: payload)
    let message = "the payload takes \(bytes) bytes; at most \(limit.bytes) can be sent"
    #expect(findings.map(\.message) == (isTooLarge ? [message] : []))
  }
}
