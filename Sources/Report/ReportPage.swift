/// A page to look at: a card for each job, in one HTML file that asks the network for nothing.
///
/// It comes in pieces, so that thousands of jobs need not be in memory together: ``beginning``, a ``card(_:number:)``
/// for each job, ``end``. It can be read without its script, which only searches by name.
package struct ReportPage: Sendable {
  private let title: String
  private let appName: String
  private let tally: ReportTally
  private let preparedAt: String
  private let omissions: String?

  /// - Parameters:
  ///   - appName: whose notifications the page imitates.
  ///   - tally: of all cards that will follow.
  ///   - preparedAt: when the page is made, for people.
  ///   - omissions: what is left out to keep the page small, for people.
  package init(
    title: String, appName: String = "App", tally: ReportTally, preparedAt: String, omissions: String? = nil
  ) {
    self.title = title
    self.appName = appName
    self.tally = tally
    self.preparedAt = preparedAt
    self.omissions = omissions
  }

  /// How every page begins, and no other file: so a page may be written in its place.
  package static let signature = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="generator" content="Enclosure report">

    """

  package var beginning: String {
    Self.signature + """
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(escaped(title))</title>
      <style>
      \(ReportStyle.css)
      </style>
      </head>
      <body>
      <a class="skip" href="#jobs">Skip to the jobs</a>
      <header class="top">
      <h1 dir="auto">\(escaped(title))</h1>
      <p>\(grouped(tally.all)) \(tally.all == 1 ? "job" : "jobs"), \(escaped(preparedAt)).
      Phones are drawn after iOS; yours may differ. Not every browser plays HEVC, ALAC and AIFF; iPhones do.</p>
      \(omissions.map { "<p>Left out to keep this page small: \(escaped($0)). Their cards say so.</p>" } ?? "")
      <form class="filters">
      \(choices("Verdict", "verdict", verdicts))
      \(choices("Appearance", "look", [("auto", "Automatic"), ("light", "Light"), ("dark", "Dark")]))
      \(choices("Motion", "motion", [("auto", "Automatic"), ("play", "Play"), ("still", "Still")]))
      <p class="search" hidden><label for="search">Name</label> <input type="search" id="search" autocomplete="off"></p>
      <p id="count" role="status"></p>
      </form>
      </header>
      <main id="jobs" tabindex="-1">

      """
  }

  package func card(_ entry: ReportEntry, number: Int) -> String {
    Card(entry, number: number, appName: appName).html
  }

  package var end: String {
    """
    </main>
    <script>\(ReportScript.source)</script>
    </body>
    </html>

    """
  }

  /// Nothing from the network, and no script but the page's own: names and texts are other people's.
  private var policy: String {
    "default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline';"
      + " script-src '\(ReportScript.hash)'"
  }

  private var verdicts: [(String, String)] {
    [
      ("all", "All \(grouped(tally.all))"), ("ready", "Ready \(grouped(tally.ready))"),
      ("partial", "Partial \(grouped(tally.partial))"), ("rejected", "Rejected \(grouped(tally.rejected))"),
    ]
  }

  private func choices(_ legend: String, _ name: String, _ choices: [(value: String, label: String)]) -> String {
    let inputs = choices.enumerated().map { index, choice in
      let id = "\(name)-\(choice.value)"
      return
        "<input type=\"radio\" name=\"\(name)\" id=\"\(id)\" value=\"\(choice.value)\"\(index == 0 ? " checked" : "")>"
        + "<label for=\"\(id)\">\(escaped(choice.label))</label>"
    }
    return "<fieldset><legend>\(legend)</legend>\(inputs.joined())</fieldset>"
  }
}
