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
      Prints one JSON document for each source: its facts, and the plan or the reason of its rejection. For a URL,
      fetch says what that cost; of a video that is too long no more is fetched than shows it, and claim says what
      that was. Nothing is stored. Exit status: 0, also for what would be rejected, 64 wrong use, 70 failed, 130
      interrupted.

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
  /// What the part that was fetched says of a video; only where it was rejected for it.
  let claim: HeaderClaim?
  let plan: Recipe?
  let rejection: Rejection.Reason?
  let fetch: FetchReport?

  init(_ inspection: SourceReader.Inspection) {
    source = inspection.source
    facts = inspection.facts
    claim = inspection.facts == nil ? inspection.fetch?.claim : nil
    switch inspection.plan {
    case .prepare(let recipe): (plan, rejection) = (recipe, nil)
    case .reject(let reason): (plan, rejection) = (nil, reason)
    }
    fetch = inspection.fetch.map(FetchReport.init)
  }
}

/// What fetching a source cost.
private struct FetchReport: Encodable {
  /// Milliseconds from the start of the last request, except for `total`, which is of all of them; nil where nothing of
  /// the kind happened, such as a handshake over http.
  struct Milliseconds: Encodable {
    let nameLookup: Double?
    let connect: Double?
    let tlsHandshake: Double?
    let firstByte: Double?
    let total: Double
  }

  let finalURL: String?
  let declaredType: String?
  /// The size of the source, where the server says it.
  let bytes: Int?
  let bytesFetched: Int
  let requests: Int
  let redirects: Int
  let attempts: Int
  let milliseconds: Milliseconds

  init(_ record: FetchRecord) {
    let cost = record.cost
    finalURL = cost.finalURL
    declaredType = record.declaredType
    bytes = record.totalBytes
    bytesFetched = cost.bytesFetched
    requests = cost.requests
    redirects = cost.redirects
    attempts = cost.attempts
    func time(_ seconds: Double) -> Double? {
      let milliseconds = (seconds * 10_000).rounded() / 10
      return milliseconds > 0 ? milliseconds : nil
    }
    let timings = cost.timings
    milliseconds = Milliseconds(
      nameLookup: time(timings.nameLookup), connect: time(timings.connect), tlsHandshake: time(timings.tlsHandshake),
      firstByte: time(timings.firstByte), total: time(timings.total) ?? 0)
  }
}
