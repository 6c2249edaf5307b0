import RichPush

/// One job: its verdict, how it looks, and what was done.
struct Card {
  private let entry: ReportEntry
  private let number: Int
  private let appName: String

  init(_ entry: ReportEntry, number: Int, appName: String) {
    self.entry = entry
    self.number = number
    self.appName = appName
  }

  var html: String {
    let manifest = entry.manifest
    let status = manifest.status.rawValue
    var parts = [
      "<article class=\"card \(status)\" data-name=\"\(escaped(entry.name))\" aria-labelledby=\"job-\(number)\">",
      "<header><h2 id=\"job-\(number)\" dir=\"auto\">\(escaped(entry.name))</h2>",
      "<span class=\"verdict\">\(status)</span></header>",
    ]
    if !facts.isEmpty { parts.append("<p class=\"facts\">\(facts)</p>") }
    if let note = entry.note { parts.append("<p class=\"warning\"><strong>Note</strong> \(escaped(note))</p>") }
    parts += manifest.rejections.map(html)
    if !manifest.attachments.isEmpty { parts.append(Phone(entry, number: number, appName: appName).html) }
    let bars = entry.bars
    if !bars.isEmpty { parts.append("<div class=\"bars\">\(bars.map(\.html).joined(separator: "\n"))</div>") }
    parts += manifest.warnings.map(html)
    parts += manifest.attachments.map(html)
    parts.append("</article>\n")
    return parts.joined(separator: "\n")
  }

  /// One line: kinds, category, time taken.
  private var facts: String {
    let manifest = entry.manifest
    var facts = manifest.attachments.map { escaped($0.asset.summary) }
    if facts.count > 1 { facts.append("iOS shows one of them") }
    if let category = manifest.payload?["aps"]?["category"]?.asString {
      let remark =
        switch entry.category {
        case .known: ""
        case .unknown: " (not in the registry)"
        case .unchecked: " (its buttons are not known without a registry)"
        }
      facts.append("category \(isolated(category))\(remark)")
    }
    if let milliseconds = entry.milliseconds { facts.append("took \(grouped(milliseconds)) ms") }
    return facts.joined(separator: " · ")
  }

  private func html(_ rejection: Rejection) -> String {
    let reason = rejection.reason
    var bar = ""
    if let limit = reason.limit, let measured = reason.measured, limit > 0, measured > 0 {
      bar = Bar(label: "of the limit", measured: measured, limit: limit, text: percentage(measured / limit)).html
    }
    return """
      <div class="rejection"><p><strong>Rejected</strong> \(isolated(rejection.source)): \(escaped(reason.message))</p>
      <p class="code">\(reason.code.rawValue) · stage \(reason.stage.rawValue) · \
      \(reason.permanent ? "permanent" : "may work later")</p>\(bar)</div>
      """
  }

  private func html(_ warning: Warning) -> String {
    """
    <p class="warning"><strong>Warning</strong> \(isolated(warning.source)): \(escaped(warning.message)) \
    <span class="code">\(warning.code.rawValue)</span></p>
    """
  }

  private func html(_ attachment: Attachment) -> String {
    let steps = attachment.steps.map { "<li>\(escaped($0))</li>" }.joined()
    let list = steps.isEmpty ? "<p>Kept as it was.</p>" : "<ol>\(steps)</ol>"
    return """
      <details><summary>\(isolated(attachment.identifier)): how it was made</summary>
      \(list)
      \(comparison(attachment))
      <dl><dt>Source</dt><dd>\(isolated(attachment.source.url)): \(escaped(attachment.source.summary))</dd>\
      <dt>Prepared</dt><dd>\(escaped(attachment.asset.summary))</dd>\
      <dt>Type hint</dt><dd>\(escaped(attachment.asset.type.rawValue))</dd>\
      <dt>File</dt><dd>\(escaped(attachment.asset.location))</dd></dl>
      </details>
      """
  }

  /// Before and after, for images.
  private func comparison(_ attachment: Attachment) -> String {
    guard attachment.asset.type.kind == .image else { return "" }
    let before =
      if let media = entry.sources[attachment.identifier] {
        image("Before", media, still: media.firstPicture)
      } else if attachment.source.browserContentType == nil {
        "<p class=\"missing\">Browsers do not show \(escaped(attachment.source.format))</p>"
      } else {
        "<p class=\"missing\">The source is \(entry.absence(ofSourceOf: attachment))</p>"
      }
    return """
      <div class="comparison"><figure>\(before)<figcaption>Before: \(escaped(attachment.source.summary))</figcaption>\
      </figure><figure>\(after(attachment))<figcaption>After: \(escaped(attachment.asset.summary))</figcaption></figure>\
      </div>
      """
  }

  private func after(_ attachment: Attachment) -> String {
    guard let media = entry.media[attachment.asset.location] else {
      return "<p class=\"missing\">The file is \(entry.absence(of: attachment.asset))</p>"
    }
    // The phone shows the first one, so it is in the page already.
    if attachment.asset == entry.manifest.attachments.first?.asset {
      return Picture(attachment, media, job: number).again(label: "After")
    }
    return image("After", media, still: attachment.still(media))
  }

  private func image(_ label: String, _ media: ReportMedia, still: ReportMedia?) -> String {
    func tag(_ media: ReportMedia, _ attribute: String = "") -> String {
      "<img\(attribute) alt=\"\(label)\" loading=\"lazy\" decoding=\"async\" src=\"\(media.address)\">"
    }
    guard media.moves else { return tag(media) }
    let held = still.map { tag($0, " class=\"still\"") } ?? "<p class=\"missing still\">It moves, so it is hidden</p>"
    return tag(media, " class=\"moving\"") + held
  }
}
