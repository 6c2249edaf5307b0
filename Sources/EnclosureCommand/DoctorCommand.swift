import MediaChannel
import Operations
import Pipeline
import Preparation
import RichPush
import SQLite
import Transfer

enum DoctorCommand: Command {
  static let syntax = Syntax(
    command: "doctor", operands: "", summary: "Check what this machine can prepare", options: [],
    details: """
      Lists the libraries in use, the decoders and encoders that read and write each kind of media, what is missing of
      them with the Debian package that brings it, and what of the sandbox the kernel offers. Exit status: 0 everything
      is there, 1 something is missing, 70 failed.

      Example:
        enclosure doctor
      """)

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard arguments.operands.isEmpty else { throw UsageError("doctor takes no operands") }
    let workplace = try await Workplace(arguments)
    let media = try await workplace.run { try await workplace.reader.capabilities() }
    var report = "Libraries\n"
    for library in media.libraries + ownLibraries {
      report += row(library.name, library.version)
    }
    for (title, use) in [("Can read", MediaCapabilities.Part.Use.read), ("Can write", .write)] {
      report += "\n\(title)\n"
      for part in media.parts where part.use == use {
        let missing = "NO: \(part.name) is missing; Debian's \(part.package) brings it"
        report += row(part.purpose, part.isThere ? "yes, with \(part.name)" : missing)
      }
    }
    report += "\nSandbox\n"
    report += row("seccomp filters", Kernel.hasSeccomp ? "yes" : "no")
    report += row("Landlock", Kernel.landlockVersion > 0 ? "yes, version \(Kernel.landlockVersion)" : "no")
    try Console.output(report)
    return !media.parts.isEmpty && media.parts.allSatisfy(\.isThere) ? 0 : 1
  }

  private static var ownLibraries: [MediaCapabilities.Library] {
    [
      .init(name: "libcurl", version: transferLibraryVersion), .init(name: "SQLite", version: databaseLibraryVersion),
      .init(name: "libmicrohttpd", version: endpointLibraryVersion),
    ]
  }

  private static func row(_ label: String, _ value: String) -> String {
    "  \(label)\(String(repeating: " ", count: max(1, 30 - label.count)))\(value)\n"
  }
}
