import Pipeline
import RichPush

/// What came of a batch, by kind and reason.
struct Summary {
  let lines: [BatchIndex.Line]
  /// How long the run took.
  let seconds: Double

  var rejected: Int {
    lines.count { $0.status == .rejected }
  }

  /// - Parameters:
  ///   - store: where attachments and manifests are.
  ///   - index: the folder of `index.jsonl`.
  func text(store: String, index: String) -> String {
    var rows: [(label: String, count: Int, examples: [String])] = MediaKind.allCases.map { kind in
      (kind.rawValue, lines.count { $0.kind == kind }, [])
    }
    for code in Rejection.Code.allCases {
      let ids = lines.filter { $0.code == code }.map(\.id)
      rows.append(("rejected: \(code.rawValue)", ids.count, Array(ids.prefix(3))))
    }
    rows = rows.filter { $0.count > 0 }
    let width = rows.map(\.label.count).max() ?? 0
    var text = ""
    for row in rows {
      let count = String(row.count)
      text += "  \(row.label)\(String(repeating: " ", count: width - row.label.count))"
      text += "  \(String(repeating: " ", count: max(0, 6 - count.count)))\(count)"
      if !row.examples.isEmpty {
        text += "  \(row.examples.map(printable).joined(separator: ", "))\(row.count > 3 ? ", …" : "")"
      }
      text += "\n"
    }
    let tenths = Int((seconds * 10).rounded())
    text += "\(lines.count - rejected) of \(lines.count) prepared, \(rejected) rejected, in "
    text += seconds < 60 ? "\(tenths / 10).\(tenths % 10) s\n" : "\(Progress.duration(seconds: Int(seconds)))\n"
    text +=
      store == index
      ? "Attachments, manifests and index.jsonl are in \(printable(store))\n"
      : "Attachments and manifests are in \(printable(store)), index.jsonl is in \(printable(index))\n"
    return text
  }
}

/// A name that cannot play tricks on a terminal: control characters as escapes.
/// Zero-width joiner and non-joiner, which emoji and some scripts need.
private let joiners: [Unicode.Scalar] = ["\u{200C}", "\u{200D}"]

func printable(_ name: String) -> String {
  name.unicodeScalars.reduce(into: "") { text, scalar in
    // Controls, what turns the direction of writing, and what begins a line.
    if [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory),
      !joiners.contains(scalar)
    {
      text += scalar.escaped(asASCII: true)
    } else {
      text.unicodeScalars.append(scalar)
    }
  }
}
