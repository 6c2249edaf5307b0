import RichPush

/// A notification as iOS shows it: in short, and opened.
struct Phone {
  private let entry: ReportEntry
  private let number: Int
  private let appName: String
  private let text: NotificationText
  /// iOS shows one.
  private let shown: Attachment?

  init(_ entry: ReportEntry, number: Int, appName: String) {
    self.entry = entry
    self.number = number
    self.appName = appName
    text = NotificationText(entry, appName: appName)
    shown = entry.manifest.attachments.first
  }

  var html: String {
    """
    <div class="phones">
    <figure class="phone"><figcaption>Compact</figcaption><div class="banner">\(icon)\
    \(words(isOpen: false))\(aside(thumbnail))</div></figure>
    <figure class="phone"><figcaption>Expanded</figcaption><div class="opened">\(medium)<div class="banner">\(icon)\
    \(words(isOpen: true))\(aside(""))</div></div>\(actions)</figure>
    </div>
    """
  }

  private var icon: String {
    "<span class=\"icon\" aria-hidden=\"true\">\(escaped(appName.prefix(1).uppercased()))</span>"
  }

  private func words(isOpen: Bool) -> String {
    var lines = "<p class=\"title\" dir=\"auto\">\(escaped(text.title))</p>"
    if let subtitle = text.subtitle { lines += "<p class=\"title\" dir=\"auto\">\(escaped(subtitle))</p>" }
    if !text.body.isEmpty {
      lines += "<p class=\"body\(text.isInvented ? " invented" : "")\" dir=\"auto\">\(escaped(text.body))</p>"
    }
    return "<div class=\"words\(isOpen ? " open" : "")\">\(lines)</div>"
  }

  private func aside(_ thumbnail: String) -> String {
    "<div class=\"aside\"><span class=\"when\">now</span>\(thumbnail)</div>"
  }

  /// The small picture at the right; sounds have none.
  private var thumbnail: String {
    guard let shown, !shown.options.thumbnailHidden else { return "" }
    let poster = shown.asset.type.kind == .video ? shown.poster : nil
    if let poster, let media = entry.media[poster.location] { return small(media, of: shown) }
    guard shown.asset.type.kind == .image, let media = entry.media[shown.asset.location] else {
      return placeholder(of: shown, isSmall: true)
    }
    return Picture(shown, media, job: number).small
  }

  private var medium: String {
    guard let shown else { return "" }
    let label = escaped("\(shown.asset.type.kind.rawValue) \(shown.identifier) of \(entry.name)")
    guard let media = entry.media[shown.asset.location] else { return placeholder(of: shown, isSmall: false) }
    let source = "\(size(of: shown.asset)) src=\"\(media.address)\""
    switch shown.asset.type.kind {
    case .image: return Picture(shown, media, job: number).whole(label: label)
    case .video:
      let still = shown.poster.flatMap { entry.media[$0.location] }
      let poster = still.map { " poster=\"\($0.address)\"" } ?? ""
      return "<video class=\"medium\" controls preload=\"none\" aria-label=\"\(label)\"\(poster)\(source)></video>"
    case .audio: return "<audio class=\"sound\" controls preload=\"none\" aria-label=\"\(label)\"\(source)></audio>"
    }
  }

  /// A picture that the card has nowhere else, as the thumbnail of an attachment.
  private func small(_ media: ReportMedia, of attachment: Attachment) -> String {
    guard attachment.options.thumbnailClippingRect != nil else {
      return "<img class=\"thumbnail\" alt=\"\" loading=\"lazy\" decoding=\"async\" src=\"\(media.address)\">"
    }
    return """
      <svg class="thumbnail" aria-hidden="true" viewBox="\(attachment.thumbnailBox)" preserveAspectRatio="xMidYMid slice">\
      <image\(size(of: attachment.asset)) preserveAspectRatio="none" href="\(media.address)"/></svg>
      """
  }

  /// What an app shows as long as the file is not there, a video's poster or the placeholder. The page shows it where it
  /// does not have the file.
  private func placeholder(of attachment: Attachment, isSmall: Bool) -> String {
    let poster = attachment.poster.flatMap { entry.media[$0.location] }
    let picture = poster ?? attachment.placeholderPicture
    if isSmall { return picture.map { small($0, of: attachment) } ?? "" }
    let name = poster == nil ? "Placeholder" : "Poster"
    let absence = "the \(attachment.asset.type.kind.rawValue) is \(entry.absence(of: attachment.asset))"
    guard let picture else {
      return "<p class=\"missing\">\(escaped(attachment.asset.summary)): \(absence)</p>"
    }
    let alternative = escaped("\(name) of \(attachment.identifier)")
    return "<img class=\"medium\" alt=\"\(alternative)\"\(size(of: attachment.asset)) src=\"\(picture.address)\">"
      + "<p class=\"instead\">\(name): \(absence)</p>"
  }

  private func size(of asset: Asset) -> String {
    guard let width = asset.width, let height = asset.height else { return "" }
    return " width=\"\(width)\" height=\"\(height)\""
  }

  private var actions: String {
    guard case .known(let category) = entry.category, !category.actions.isEmpty else { return "" }
    let items = category.actions.map { action in
      let isDestructive = action.options.contains(.destructive)
      let extras = (action.textInput == nil ? [] : ["text input"]) + action.options.map(\.rawValue)
      let note = extras.isEmpty ? "" : " <small>\(escaped(extras.joined(separator: ", ")))</small>"
      return "<li\(isDestructive ? " class=\"destructive\"" : "")>\(isolated(action.title))\(note)</li>"
    }
    return "<ul class=\"actions\" aria-label=\"Buttons\">\(items.joined())</ul>"
  }
}

/// The words of a notification. One without a title has the app's name in its place, as iOS shows it.
private struct NotificationText {
  let title: String
  var subtitle: String?
  let body: String
  /// Whether the job brought no words of its own.
  var isInvented = false

  init(_ entry: ReportEntry, appName: String) {
    let alert = entry.manifest.payload?["aps"]?["alert"]
    if let alert, alert.asObject != nil {
      let (given, text) = (Self.text(alert, "title"), Self.text(alert, "body", key: "loc-key"))
      title = given.flatMap { $0.isEmpty ? nil : $0 } ?? appName
      subtitle = Self.text(alert, "subtitle")
      body = text ?? ""
    } else if let line = alert?.asString {
      (title, body) = (appName, line)
    } else {
      (title, body, isInvented) = (appName, "The notification’s text", true)
    }
  }

  /// A text, or the name under which the app has it.
  private static func text(_ alert: JSONValue, _ name: String, key: String? = nil) -> String? {
    alert[name]?.asString ?? alert[key ?? "\(name)-loc-key"]?.asString.map { "[\($0)]" }
  }
}
