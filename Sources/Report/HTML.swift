/// A text as HTML has it, in elements and in quoted attributes.
///
/// Characters that HTML cannot hold are shown as the replacement character, so that a hostile name stays a name; and so
/// are those that turn the order of letters around (U+202D, U+202E), which make `gpj.exe` look like something else.
func escaped(_ text: some StringProtocol) -> String {
  var html = ""
  html.reserveCapacity(text.utf8.count)
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": html += "&amp;"
    case "<": html += "&lt;"
    case ">": html += "&gt;"
    case "\"": html += "&quot;"
    case "'": html += "&#39;"
    case "\n", "\t", "\r": html.unicodeScalars.append(scalar)
    case "\u{202D}", "\u{202E}": html += "\u{FFFD}"
    case _ where scalar.properties.generalCategory == .control: html += "\u{FFFD}"
    default: html.unicodeScalars.append(scalar)
    }
  }
  return html
}

/// A text in an element of its own, so that its direction of writing stays its own.
func isolated(_ text: String) -> String {
  "<bdi>\(escaped(text))</bdi>"
}
