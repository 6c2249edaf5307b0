/// A text as HTML has it, in elements and in quoted attributes.
///
/// Characters that HTML cannot hold are shown as the replacement character, so that a hostile name stays a name.
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

/// A path as a URL has it: everything but unreserved characters and slashes escaped (RFC 3986 section 2.3).
func percentEncoded(_ path: String) -> String {
  var url = ""
  for byte in path.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "/"):
      url.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      url += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
    }
  }
  return url
}
