import FoundationEssentials
import JobQueue
import RichPush

/// A variable that is none of Enclosure's, but looks as if one of them was meant.
struct UnknownVariable: Sendable, Equatable {
  let name: String
  /// The one that was probably meant.
  let meant: String

  var message: String { "\(name) is no variable of Enclosure's and is passed over; there is \(meant)" }

  /// Those of an environment. What is like none is somebody else's: Kubernetes sets `ENCLOSURE_SERVICE_HOST` and more
  /// for a service of that name.
  static func all(in environment: some Sequence<String>) -> [UnknownVariable] {
    let known = Set(knownNames)
    return environment.sorted().compactMap { name in
      guard name.hasPrefix(prefix), !known.contains(name) else { return nil }
      // What they have in common would make all of them alike.
      let rest = rest(of: name).uppercased()
      guard let meant = nearest(to: rest, among: known.sorted().map(Self.rest(of:))),
        // Kubernetes' PORT is no misspelt REPORT.
        isWithin(min(rest.count, meant.count) / 3, editsOf: rest, meant)
      else { return nil }
      return UnknownVariable(name: name, meant: prefix + meant)
    }
  }

  /// Those of this process.
  static var all: [UnknownVariable] { all(in: ProcessInfo.processInfo.environment.keys) }

  private static let prefix = "ENCLOSURE_"

  private static var knownNames: [String] {
    EnclosureCommand.commands.flatMap { $0.syntax.options.map(\.variable) } + NATSOptions.variables
      + ["ENCLOSURE_MEDIA", "ENCLOSURE_TOKEN"]
  }

  private static func rest(of name: String) -> String { String(name.dropFirst(prefix.count)) }
}
