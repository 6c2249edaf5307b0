import RichPush
import Testing

private let image = PayloadMedia(identifier: "media-1", url: "https://a/1.jpg", type: .jpeg)
private let gif = PayloadMedia(identifier: "media-1", url: "https://a/1.gif", type: .gif, thumbnailHidden: true)
private let clipped = PayloadMedia(
  identifier: "media-1", url: "https://a/1.png", type: .png,
  thumbnailClippingRect: ClippingRect(x: 0, y: 0.25, width: 1, height: 0.5))
private let video = PayloadMedia(
  identifier: "media-2", url: "https://a/2.mp4", type: .mpeg4, poster: "https://a/2.jpg", thumbnailTime: 1.5)
private let audio = PayloadMedia(identifier: "media-3", url: "https://a/3.m4a", type: .mpeg4Audio)

@Suite("the keys of a preset")
struct PayloadPresetTests {
  @Test(
    "are those that the SDK reads on the device",
    arguments: [
      (.plain, [image], #"{"media-url":"https://a/1.jpg"}"#),
      (
        .airship, [video, image],
        #"{"com.urbanairship.media_attachment":{"options":{"time":1.5},"url":["https://a/2.mp4","https://a/1.jpg"]}}"#
      ),
      (
        .airship, [gif], #"{"com.urbanairship.media_attachment":{"options":{"hidden":true},"url":["https://a/1.gif"]}}"#
      ),
      (
        .airship, [clipped],
        #"{"com.urbanairship.media_attachment":{"options":{"crop":{"height":0.5,"width":1.0,"x":0.0,"y":0.25}},"#
          + #""url":["https://a/1.png"]}}"#
      ),
      (
        .notifee, [clipped],
        #"{"notifee_options":{"ios":{"attachments":[{"id":"media-1","thumbnailClippingRect":{"height":0.5,"width":1.0,"#
          + #""x":0.0,"y":0.25},"typeHint":"public.png","url":"https://a/1.png"}]}}}"#
      ),
      (.braze, [gif], #"{"ab":{"att":{"type":"gif","url":"https://a/1.gif"}}}"#),
      (.clevertap, [image], #"{"ct_mediaType":"image","ct_mediaUrl":"https://a/1.jpg"}"#),
      (.clevertap, [gif], #"{"ct_mediaType":"gif","ct_mediaUrl":"https://a/1.gif"}"#),
      (.clevertap, [video], #"{"ct_mediaType":"video","ct_mediaUrl":"https://a/2.mp4"}"#),
      (.clevertap, [audio], #"{"ct_mediaType":"audio","ct_mediaUrl":"https://a/3.m4a"}"#),
      (.customerio, [image], #"{"CIO":{"push":{"image":"https://a/1.jpg"}}}"#),
      (.expo, [image], #"{"body":{"_richContent":{"image":"https://a/1.jpg"}}}"#),
      (.expo, [video], #"{"body":{"_richContent":{"image":"https://a/2.jpg"}}}"#),
      (.expo, [audio], "{}"),
      (.firebase, [video], #"{"fcm_options":{"image":"https://a/2.mp4"}}"#),
      (.iterable, [image], #"{"itbl":{"attachment-url":"https://a/1.jpg"}}"#),
      (.klaviyo, [video], #"{"rich-media":"https://a/2.mp4","rich-media-type":"mp4"}"#),
      (
        .notifee, [video, gif],
        #"{"notifee_options":{"ios":{"attachments":[{"id":"media-2","thumbnailTime":1.5,"typeHint":"public.mpeg-4","#
          + #""url":"https://a/2.mp4"},{"id":"media-1","thumbnailHidden":true,"typeHint":"com.compuserve.gif","#
          + #""url":"https://a/1.gif"}]}}}"#
      ),
      (.onesignal, [image, video], #"{"att":{"media-1":"https://a/1.jpg","media-2":"https://a/2.mp4"}}"#),
      (.pinpoint, [image], #"{"data":{"media-url":"https://a/1.jpg"}}"#),
      (.pushwoosh, [audio], #"{"attachment":"https://a/3.m4a"}"#),
      (.salesforce, [image], #"{"_mediaUrl":"https://a/1.jpg"}"#),
    ] as [(PayloadPreset, [PayloadMedia], String)])
  func writes(preset: PayloadPreset, media: [PayloadMedia], keys: String) throws {
    let notification = try JSONValue(parsing: #"{"aps":{"alert":"hi"}}"#)
    let options = PayloadOptions(presets: [preset], includesContent: false)
    let payload = try Payload(notification: notification, content: PayloadContent(media: media), options: options)
    var members = try #require(payload.json.asObject)
    #expect(members.removeValue(forKey: "aps")?.text() == #"{"alert":"hi","mutable-content":1}"#)
    #expect(JSONValue.object(members).text() == keys)
    // What is written is what the check looks at, and it is content.
    #expect(PayloadCheck().findings(in: payload.json) == [])
  }

  @Test("leave what the sender has beside them, and replace the file that was to be prepared")
  func merges() throws {
    let notification = try JSONValue(
      parsing: #"{"aps":{"alert":"hi"},"fcm_options":{"analytics_label":"x","image":"http://old/a.webp"}}"#)
    let options = PayloadOptions(presets: [.firebase], includesContent: false)
    let payload = try Payload(notification: notification, content: PayloadContent(media: [image]), options: options)
    #expect(payload.json["fcm_options"]?.text() == #"{"analytics_label":"x","image":"https://a/1.jpg"}"#)
  }

  @Test("go where OneSignal's payload has its own")
  func oneSignal() throws {
    let notification = try JSONValue(parsing: #"{"aps":{"alert":"hi"},"os_data":{"i":"1"}}"#)
    let options = PayloadOptions(presets: [.onesignal], includesContent: false)
    let payload = try Payload(notification: notification, content: PayloadContent(media: [image]), options: options)
    #expect(payload.json["os_data"]?.text() == #"{"att":{"media-1":"https://a/1.jpg"},"i":"1"}"#)
    #expect(payload.json["att"] == nil)
  }

  @Test("need an object where they go")
  func occupied() throws {
    let notification = try JSONValue(parsing: #"{"aps":{"alert":"hi"},"CIO":{"push":"x"}}"#)
    let options = PayloadOptions(presets: [.customerio])
    #expect(throws: PayloadFailure.occupied(place: "CIO.push")) {
      try Payload(notification: notification, content: PayloadContent(media: [image]), options: options)
    }
  }

  @Test("all presets together do not get in each other's way")
  func together() throws {
    let notification = try JSONValue(parsing: #"{"aps":{"alert":"hi"}}"#)
    let options = PayloadOptions(presets: PayloadPreset.allCases)
    let payload = try Payload(
      notification: notification, content: PayloadContent(media: [image, video]), options: options)
    // Braze, Customer.io and the others have one key each, CleverTap and Klaviyo two; aps and ours come on top.
    #expect(payload.json.asObject?.count == PayloadPreset.allCases.count + 2 + 2)
    #expect(PayloadCheck().findings(in: payload.json) == [])
  }

  @Test("a preset that does not show a kind says so")
  func doubts() {
    #expect(PayloadPreset.expo.doubt(about: .mpeg4)?.contains("poster") == true)
    #expect(PayloadPreset.expo.doubt(about: .mpeg4, hasPoster: false)?.contains("not in the payload") == true)
    #expect(PayloadPreset.clevertap.doubt(about: .wav)?.contains(".mp3") == true)
    #expect(PayloadPreset.clevertap.doubt(about: .mp3) == nil)
    for preset in PayloadPreset.allCases { #expect(preset.doubt(about: .jpeg) == nil) }
  }
}
