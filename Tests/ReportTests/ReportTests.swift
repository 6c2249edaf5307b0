import RichPush
import Testing

@testable import Report

@Suite("The report")
struct ReportTests {
  private let page = ReportPage(
    title: "Enclosure: photos", appName: "Chat", tally: ReportTally(ready: 1, partial: 0, rejected: 1),
    preparedAt: "2026-11-30T02:00:00Z")

  @Test("is one page that asks the network for nothing")
  func isSelfContained() {
    let html = page.beginning + page.card(readyEntry(), number: 1) + page.end
    #expect(html.hasPrefix(ReportPage.signature) && html.hasSuffix("</html>\n"))
    for marker in ["src=\"http", "href=\"http", "url(", "@import", "<link", "<iframe", "<script src"] {
      #expect(!html.contains(marker), "\(marker)")
    }
    #expect(html.contains("default-src 'none'") && html.contains("script-src 'sha256-"))
  }

  @Test("counts the verdicts")
  func tally() {
    #expect(page.beginning.contains(">All 2</label>") && page.beginning.contains(">Ready 1</label>"))
    #expect(page.beginning.contains(">Partial 0</label>") && page.beginning.contains(">Rejected 1</label>"))
    #expect(page.beginning.contains("2 jobs, 2026-11-30T02:00:00Z"))
    var tally = ReportTally()
    for status in Manifest.Status.allCases { tally.count(status) }
    #expect(tally == ReportTally(ready: 1, partial: 1, rejected: 1) && tally.all == 3)
  }

  @Test("shows a job's notification with the buttons of its category")
  func readyCard() {
    let html = page.card(readyEntry(), number: 7)
    #expect(html.contains("<article class=\"card ready\" data-name=\"cat.webp\" aria-labelledby=\"job-7\">"))
    #expect(html.contains(">New message</p>") && html.contains(">Anna: hi</p>"))
    // Compact, expanded and after are one picture.
    #expect(
      html.contains("<image id=\"picture-7\" width=\"1024\" height=\"768\" href=\"data:image/jpeg;base64,/9j/\"/>"))
    #expect(html.split(separator: "<use href=\"#picture-7\"/>").count == 3)
    #expect(html.split(separator: "data:").count == 2)
    #expect(html.contains("<li><bdi>Reply</bdi> <small>text input, authenticationRequired</small></li>"))
    #expect(html.contains("<li class=\"destructive\"><bdi>Delete</bdi> <small>destructive</small></li>"))
    #expect(html.contains("category <bdi>message</bdi>") && !html.contains("not in the registry"))
    #expect(html.contains("<li>decoded webp</li><li>encoded jpeg q80</li>"))
  }

  @Test("shows sizes against their limits")
  func bars() {
    let html = page.card(readyEntry(), number: 1)
    #expect(html.contains("media-1: file") && html.contains("128.5 kB of 10 MB") && html.contains("width:1.3%"))
    #expect(html.contains("of 4,096 bytes"))
    var call = readyEntry()
    call.payloadLimit = .voip
    #expect(page.card(call, number: 1).contains("of 5,120 bytes"))
    let video = page.card(videoEntry(), number: 1)
    #expect(video.contains("media-1: length") && video.contains("12.3 s of 30 s"))
  }

  @Test("shows before and after of an image")
  func comparison() {
    var entry = readyEntry()
    entry.sources["media-1"] = ReportMedia(contentType: "image/webp", bytes: Array("RIFF".utf8))
    let html = page.card(entry, number: 1)
    #expect(
      html.contains("<img alt=\"Before\" loading=\"lazy\" decoding=\"async\" src=\"data:image/webp;base64,UklGRg==\">"))
    #expect(html.contains("Before: webp, 4032 × 3024, 2.4 MB") && html.contains("After: JPEG, 1024 × 768, 128.5 kB"))
  }

  @Test("shows a video with its poster and controls, and a sound without a thumbnail")
  func otherKinds() {
    let video = page.card(videoEntry(), number: 1)
    #expect(
      video.contains("<video class=\"medium\" controls preload=\"none\" aria-label=\"video media-1 of clip.mov\""))
    let still = "data:image/jpeg;base64,c3RpbGw="
    #expect(
      video.contains(" poster=\"\(still)\" width=\"720\" height=\"1280\" src=\"data:video/mp4;base64,ZmlsbQ==\">"))
    #expect(video.contains("class=\"thumbnail\" alt=\"\" loading=\"lazy\" decoding=\"async\" src=\"\(still)\""))
    var entry = readyEntry()
    entry.manifest.attachments[0].asset = Asset(type: .mp3, location: "assets/01/a.mp3", bytes: 9, sha256: "")
    entry.media = ["assets/01/a.mp3": ReportMedia(contentType: "audio/mpeg", bytes: Array("ID3".utf8))]
    let sound = page.card(entry, number: 1)
    #expect(sound.contains("<audio class=\"sound\" controls") && !sound.contains("thumbnail"))
  }

  @Test("shows the placeholder where it does not have the file, or what it would be")
  func withoutFile() {
    var entry = readyEntry()
    entry.media = [:]
    #expect(
      page.card(entry, number: 1).contains(
        "<p class=\"missing\">JPEG, 1024 × 768, 128.5 kB: the image is not at hand</p>"))
    entry.manifest.attachments[0].placeholder = Placeholder(thumbHash: "HwgODZqAh4eBh4d4eHh4eI9wCPh3")
    #expect(page.card(entry, number: 1).contains("alt=\"Placeholder of media-1\""))
    #expect(page.card(entry, number: 1).contains(">Placeholder: the image is not at hand</p>"))
    entry.leftOut = ["assets/01/a.jpg"]
    entry.sourcesLeftOut = ["media-1"]
    #expect(page.card(entry, number: 1).contains(">Placeholder: the image is left out to keep this page small</p>"))
    #expect(page.card(entry, number: 1).contains(">The source is left out to keep this page small</p>"))
    entry.manifest.attachments[0].options.thumbnailHidden = true
    #expect(!page.card(entry, number: 1).contains("class=\"thumbnail\""))
  }

  @Test("shows a video's poster where it does not have the video")
  func withoutVideo() {
    var entry = videoEntry()
    entry.manifest.attachments[0].placeholder = Placeholder(thumbHash: "HwgODZqAh4eBh4d4eHh4eI9wCPh3")
    entry.media["assets/01/v.mp4"] = nil
    let card = page.card(entry, number: 1)
    #expect(card.contains("<img class=\"medium\" alt=\"Poster of media-1\""))
    #expect(card.contains(">Poster: the video is not at hand</p>"))
    entry.media = [:]
    #expect(page.card(entry, number: 1).contains("<img class=\"medium\" alt=\"Placeholder of media-1\""))
  }

  @Test(
    "has the app's name where the notification has no title, as iOS",
    arguments: [
      (JSONValue.object(["body": .string("hi")]), "hi"),
      (.object(["title": .string(""), "body": .string("hi")]), "hi"),
      (.string("hi"), "hi"), (.null, "The notification’s text"),
    ])
  func withoutTitle(alert: JSONValue, body: String) {
    var entry = readyEntry()
    entry.manifest.payload = .object(["aps": .object(["alert": alert])])
    let html = page.card(entry, number: 1)
    #expect(html.split(separator: "<p class=\"title\" dir=\"auto\">Chat</p>").count == 3)
    #expect(html.split(separator: "<p class=\"title\"").count == 3 && html.contains(">\(body)</p>"))
  }

  @Test("shows the part of the picture that the thumbnail is to show")
  func clips() {
    for (entry, box) in [(readyEntry(), "0 192 1024 384"), (videoEntry(), "0 320 720 640")] {
      var entry = entry
      entry.manifest.attachments[0].options.thumbnailClippingRect = ClippingRect(x: 0, y: 0.25, width: 1, height: 0.5)
      let card = page.card(entry, number: 1)
      #expect(card.contains("<svg class=\"thumbnail\" aria-hidden=\"true\" viewBox=\"\(box)\""))
    }
  }

  @Test("says at the top what was left out")
  func omissions() {
    let page = ReportPage(title: "T", tally: ReportTally(), preparedAt: "now", omissions: "pictures above 9 kB")
    #expect(
      page.beginning.contains("<p>Left out to keep this page small: pictures above 9 kB. Their cards say so.</p>"))
    #expect(!self.page.beginning.contains("Left out"))
  }

  @Test("has a still for every animation")
  func stills() throws {
    var entry = readyEntry()
    entry.manifest.attachments[0].asset.type = .gif
    entry.media = ["assets/01/a.jpg": ReportMedia(contentType: "image/gif", bytes: gif(pictures: 2))]
    entry.sources["media-1"] = entry.media["assets/01/a.jpg"]
    let html = page.card(entry, number: 1)
    let first = "data:image/gif;base64,\(Base64.encoded(gif(pictures: 1)))"
    #expect(
      html.contains("<image id=\"picture-1-still\" class=\"still\" width=\"1024\" height=\"768\" href=\"\(first)\"/>"))
    #expect(html.contains("<img class=\"still\" alt=\"Before\" loading=\"lazy\" decoding=\"async\" src=\"\(first)\">"))
    // Expanded, compact, before and after.
    #expect(html.split(separator: "class=\"moving\"").count == 5 && html.split(separator: "class=\"still\"").count == 5)
    // One that breaks off has its placeholder, or else nothing.
    entry.media["assets/01/a.jpg"]?.bytes.removeLast(40)
    #expect(page.card(entry, number: 1).split(separator: "class=\"still\"").count == 2)
    entry.manifest.attachments[0].placeholder = Placeholder(thumbHash: "HwgODZqAh4eBh4d4eHh4eI9wCPh3")
    #expect(page.card(entry, number: 1).contains("class=\"still\" width=\"1024\" height=\"768\" href=\"data:image/png"))
  }

  @Test(
    "knows what browsers would move",
    arguments: [
      ("image/gif", gif(pictures: 1), false), ("image/gif", gif(pictures: 2), true), ("image/gif", [], true),
      ("image/webp", webp(flags: 0x10), false), ("image/webp", webp(flags: 0x12), true), ("image/webp", [], false),
      ("image/avif", brands("avifmif1"), false), ("image/avif", brands("avisavif"), true),
      ("image/png", png(chunks: "IHDR", "IDAT", "IEND"), false),
      ("image/png", png(chunks: "IHDR", "acTL", "IDAT"), true),
      ("image/jpeg", [0xFF, 0xD8], false),
    ] as [(String, [UInt8], Bool)])
  func moves(type: String, bytes: [UInt8], expected: Bool) {
    #expect(ReportMedia(contentType: type, bytes: bytes).moves == expected)
  }

  @Test("says why a source was rejected, and how far it is over the limit")
  func rejection() {
    let html = page.card(rejectedEntry, number: 2)
    #expect(html.contains("class=\"card rejected\"") && !html.contains("class=\"phones\""))
    #expect(html.contains("the video lasts 41.2 s; at most 30 s can be attached"))
    #expect(html.contains("video_too_long · stage plan · permanent") && html.contains("137.3%"))
    #expect(html.contains("class=\"track over\""))
  }

  @Test("shows warnings, and a category that the registry does not have")
  func warnings() {
    var entry = readyEntry()
    entry.category = .unknown
    let html = page.card(entry, number: 1)
    #expect(html.contains("category <bdi>message</bdi> (not in the registry)"))
    entry.category = .unchecked
    #expect(page.card(entry, number: 1).contains("<bdi>message</bdi> (its buttons are not known without a registry)"))
    #expect(html.contains("served as image/png, contains WebP") && html.contains("type_mismatch"))
  }

  @Test(
    "keeps other people's texts texts",
    arguments: [
      "</h2><script>alert(1)</script>", "\" onload=\"x", "' autofocus onfocus='x", "<!--", "\u{0}\u{1B}[31m",
      "\u{202E}gpj",
    ])
  func escapes(name: String) {
    var entry = rejectedEntry
    entry.name = name
    entry.manifest.rejections[0].source = name
    entry.manifest.rejections[0].reason.message = name
    let plain = page.card(rejectedEntry, number: 1)
    let html = page.card(entry, number: 1)
    // However the text is, it brings no markup of its own.
    for character in ["<", ">", "\"", "'"] as [Character] {
      #expect(html.count { $0 == character } == plain.count { $0 == character })
    }
    #expect(!html.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
  }

  @Test(
    "measures", arguments: [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (128_495, "128.5 kB"), (10_000_000, "10 MB")])
  func sizes(bytes: Int, expected: String) {
    #expect(readableBytes(bytes) == expected)
  }

  @Test("groups digits", arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")])
  func groups(number: Int, expected: String) {
    #expect(grouped(number) == expected)
  }

  @Test("holds thousands of jobs in pieces")
  func many() {
    let cards = (1...2000).map { page.card($0 % 2 == 0 ? readyEntry() : rejectedEntry, number: $0).utf8.count }
    #expect(cards.reduce(0, +) < 2000 * 8000)
  }
}
