/// A text of others in quotation marks, for messages.
func inQuotes(_ text: String) -> String {
  "“\(shown(text))”"
}

/// A text of others in which everything that does not show is written out, as `\u{200B}`, and that is cut where it is
/// long: it may be a whole document by mistake.
func shown(_ text: String) -> String {
  let scalars = text.unicodeScalars
  var result = ""
  for index in scalars.indices {
    guard result.utf8.count < maximumShownBytes else { return result + "…" }
    let scalar = scalars[index]
    let isAtEdge = index == scalars.startIndex || scalars.index(after: index) == scalars.endIndex
    let isHidden =
      scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .control
      || scalar.properties.isWhitespace && (scalar != " " || isAtEdge)
    if isHidden {
      result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Enough for the address of an asset, which has the SHA-256 of its file in it.
private let maximumShownBytes = 160
