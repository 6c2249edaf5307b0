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
    parts += manifest.rejections.map(html)
    if !manifest.attachments.isEmpty { parts.append(Phone(entry, appName: appName).html) }
    let bars = manifest.bars
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
    if let category = manifest.payload?["aps"]?["category"]?.asString {
      let isKnown = entry.category != nil
      facts.append("category \(isolated(category))\(isKnown ? "" : " (not in the registry)")")
    }
    if let milliseconds = entry.milliseconds { facts.append("\(grouped(milliseconds)) ms") }
    return facts.joined(separator: " · ")
  }

  private func html(_ rejection: Rejection) -> String {
    let reason = rejection.reason
    var bar = ""
    if let limit = reason.limit, let measured = reason.measured, limit > 0, measured > 0 {
      let times = measured / limit
      bar =
        Bar(
          label: "against the limit", measured: measured, limit: limit, text: "\(tenths(of: times * 100))%"
        ).html
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
    guard attachment.asset.type.kind == .image, let after = entry.media[attachment.asset.location] else { return "" }
    let source = attachment.source.summary
    let missing = """
      <figure><p class="missing">not shown by browsers, or not at hand</p><figcaption>Before: \(escaped(source))\
      </figcaption></figure>
      """
    let before = entry.sources[attachment.identifier].map { picture($0, "Before", source) } ?? missing
    return "<div class=\"comparison\">\(before)\(picture(after, "After", attachment.asset.summary))</div>"
  }

  private func picture(_ media: ReportMedia, _ label: String, _ summary: String) -> String {
    """
    <figure><img alt="\(label)" loading="lazy" decoding="async" src="\(escaped(media.address))">\
    <figcaption>\(label): \(escaped(summary))</figcaption></figure>
    """
  }
}
