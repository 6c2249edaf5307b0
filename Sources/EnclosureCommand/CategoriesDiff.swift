import Pipeline
import RichPush

/// `enclosure categories diff`.
struct CategoriesDiff {
  private let old: FilePath
  private let new: FilePath
  private let isJSON: Bool

  init(_ old: FilePath, _ new: FilePath, _ arguments: Arguments) {
    self.old = old
    self.new = new
    isJSON = arguments.has("json")
  }

  func run() throws -> Int32 {
    let changes = try registry(old).changes(to: registry(new))
    if isJSON {
      for change in changes { try Console.output(jsonLine(change)) }
    } else {
      try Console.output(text(of: changes))
    }
    return changes.isEmpty ? 0 : 1
  }

  /// A registry may have faults that are being mended; what can be read can be compared.
  private func registry(_ path: FilePath) throws(UsageError) -> CategoryRegistry {
    let report = try RegistryReport(path)
    guard let registry = report.registry else {
      let first = report.findings.first.map { "\($0.place): \($0.message)" } ?? ""
      throw UsageError("\(path.description) is no category registry: \(first)")
    }
    return registry
  }

  private func text(of changes: [RegistryChange]) -> String {
    guard !changes.isEmpty else { return "Nothing differs.\n" }
    return RegistryChange.Timing.allCases.map { timing in
      let lines = changes.filter { $0.timing == timing }.map { change in
        let action = change.action.map { ", action “\($0)”" } ?? ""
        let line = "category “\(change.category)”\(action): \(change.message) [\(change.code.rawValue)]"
        return "  \(printable(line))\n"
      }
      return lines.isEmpty ? "" : "\(timing.heading)\n\(lines.joined())"
    }.filter { !$0.isEmpty }.joined(separator: "\n")
  }
}

extension RegistryChange.Timing {
  fileprivate var heading: String {
    switch self {
    case .appBeforeServer: "First the app, then the server:"
    case .serverBeforeApp: "First the server, then the app:"
    case .app: "With the next app:"
    case .server: "On the server, from now on:"
    }
  }
}
