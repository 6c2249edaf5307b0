import RichPush
import TestSupport
import Testing

/// What Fixtures/README.md says must become of each fixture.
struct FixtureVerdict: Sendable, CustomTestStringConvertible {
  /// Below Fixtures/media, which is also the id of its job.
  let name: String
  /// Kinds and codes, any of which is right: `image`, `animation`, `video`, `audio`, `corrupt` …
  let verdicts: [String]

  var testDescription: String { name }

  /// Every row of its tables that is about one of the files.
  static let all: [FixtureVerdict] = {
    let text = String(decoding: contentOfFile("\(packageFolder)/Fixtures/README.md") ?? [], as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmed }
      guard line.hasPrefix("| `"), cells.count >= 3, cells[0].contains("/") else { return nil }
      let verdicts = cells[2].split(separator: " ").filter { $0 != "or" }.map { String($0.filter { $0 != "`" }) }
      return FixtureVerdict(name: String(cells[0].filter { $0 != "`" }), verdicts: verdicts)
    }
  }()
}

extension Substring {
  fileprivate var trimmed: Substring {
    guard let last = lastIndex(where: { $0 != " " }) else { return "" }
    return self[...last].drop { $0 == " " }
  }
}
