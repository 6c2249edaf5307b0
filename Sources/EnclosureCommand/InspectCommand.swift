import Pipeline
import Preparation
import RichPush
import Transfer

enum InspectCommand: Command {
  static let syntax = Syntax(
    command: "inspect", operands: "SOURCE…",
    summary: "Show what files or URLs are and what would be done with them",
    options: Workplace.options + Workplace.fetchOptions,
    details: """
      Prints one JSON document for each source: its facts, and the plan or the reason of its rejection. Nothing is
      stored. Exit status: 0, also for what would be rejected, 64 wrong use, 70 failed, 130 interrupted.

      \(Workplace.fetchDetails)

      Examples:
        enclosure inspect photo.heic
        enclosure inspect https://example.com/clip.mov
        enclosure inspect http://10.1.2.3/photo.jpg --allow-address 10.1.0.0/16
      """)

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard !arguments.operands.isEmpty else {
      throw UsageError("name at least one file or URL to inspect")
    }
    let sources = arguments.operands.map(sourceLocation)
    let workplace = try await Workplace(arguments)
    try await workplace.run {
      for source in sources {
        let inspection = try await workplace.reader.inspection(of: source, options: workplace.preparation)
        try Console.output(encoded(InspectionReport(inspection)))
      }
    }
    return 0
  }
}

/// The JSON that `inspect` prints.
private struct InspectionReport: Encodable {
  let source: String
  let facts: MediaFacts?
  let plan: Recipe?
  let rejection: Rejection.Reason?
  let download: DownloadReport?

  struct DownloadReport: Encodable {
    let finalURL: String
    let declaredType: String?
    let bytesFetched: Int
    let redirects: Int
    let attempts: Int
    let seconds: Double
  }

  init(_ inspection: SourceReader.Inspection) {
    source = inspection.source
    facts = inspection.facts
    switch inspection.plan {
    case .prepare(let recipe): (plan, rejection) = (recipe, nil)
    case .reject(let reason): (plan, rejection) = (nil, reason)
    }
    download = inspection.download.map {
      DownloadReport(
        finalURL: $0.finalURL, declaredType: $0.declaredType, bytesFetched: $0.bytesFetched, redirects: $0.redirects,
        attempts: $0.attempts, seconds: $0.timings.total)
    }
  }
}
