import JobQueue
import RichPush

enum QueueCommand: Command {
  static let syntax = Syntax(
    command: "queue", operands: "status [ID…] | dead | retry ID… | purge dead|waiting|completed",
    summary: "See how full a queue is, and deal with its dead letters",
    options: [
      QueueChoice.option,
      .init("json", .none, "print JSON: one object, or one on each line"),
      .init("limit", .one("N"), "list at most so many dead letters; 100 by default"),
      .init("all", .none, "retry all dead letters"),
    ],
    details: """
      status     counts the jobs that are ready, delayed, leased by workers, and dead; with ids, what became of each
      dead       lists the jobs that were given up, oldest first, with the reason of each attempt
      retry      puts dead letters back among the jobs, with all attempts before them; ids that are none are named
      purge      forgets the dead letters, the jobs that wait, or which ones were completed (they can be added again)

      Exit status: 0 done, 1 an id is not known, or not among the dead letters, 64 wrong use, 70 failed, 78 there is no
      such queue, or what is said of it has to be put right first.

      \(QueueChoice.details)

      Examples:
        enclosure queue status
        enclosure queue dead --json --queue nats://nats.internal:4222/push
        enclosure queue retry order-1234
        enclosure queue retry --all
      """)

  private enum Action {
    case status([String])
    case dead(limit: Int)
    /// nil for all of them.
    case retry([String]?)
    case purge(Purge)
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let action = try action(arguments)
    let queue = try await arguments.openedQueue(creating: false)
    let report = QueueReport(asJSON: arguments.has("json"))
    let status = try await run(action, on: queue, report)
    await queue.close()
    return status
  }

  private static func run(_ action: Action, on queue: any JobQueue, _ report: QueueReport) async throws -> Int32 {
    switch action {
    case .status([]):
      try Console.output(report.status(try await queue.status()))
      return 0
    case .status(let ids):
      var isUnknown = false
      for id in ids {
        let state = try await queue.state(of: id)
        if state == nil { isUnknown = true }
        try Console.output(report.state(state, of: id))
      }
      return isUnknown ? 1 : 0
    case .dead(let limit):
      try Console.output(report.dead(try await queue.dead(limit: limit)))
      return 0
    case .retry(nil):
      try Console.output(report.count(try await queue.revive(nil), "revived", "put back among the jobs"))
      return 0
    case .retry(let ids?):
      let (count, missing) = try await revive(ids, on: queue)
      try Console.output(report.count(count, "revived", "put back among the jobs"))
      for id in missing {
        Console.log(.failed(command: syntax.command, "“\(printable(id))” is not among the dead letters"))
      }
      return missing.isEmpty ? 0 : 1
    case .purge(let what):
      try Console.output(report.count(try await queue.purge(what), "purged", "forgotten"))
      return 0
    }
  }

  /// Puts dead letters back, each by itself: what is missing keeps none of the others.
  /// - Returns: how many there were, and which ids are none of theirs.
  private static func revive(
    _ ids: [String], on queue: any JobQueue
  ) async throws(QueueFailure) -> (count: Int, missing: [String]) {
    var count = 0
    var missing: [String] = []
    // Ids are bytes; Swift takes texts for equal that only look the same.
    var seen: Set<[UInt8]> = []
    for id in ids where seen.insert(Array(id.utf8)).inserted {
      if try await queue.revive([id]) > 0 { count += 1 } else { missing.append(id) }
    }
    return (count, missing)
  }

  private static func action(_ arguments: Arguments) throws(UsageError) -> Action {
    let words = arguments.operands.map { String(decoding: $0, as: UTF8.self) }
    let rest = Array(words.dropFirst())
    let limit = try arguments.number("limit", in: 1...1_000_000) ?? 100
    if arguments.has("all"), words.first != "retry" { throw UsageError("--all belongs to retry") }
    switch words.first {
    case "status": return .status(rest)
    case "dead":
      guard rest.isEmpty else { throw UsageError("dead takes no ids; enclosure queue status ID shows one job") }
      return .dead(limit: limit)
    case "retry":
      if arguments.has("all") {
        guard rest.isEmpty else { throw UsageError("retry takes either ids or --all") }
        return .retry(nil)
      }
      guard !rest.isEmpty else { throw UsageError("retry takes the ids of dead letters, or --all") }
      return .retry(rest)
    case "purge":
      switch rest {
      case ["dead"]: return .purge(.dead)
      case ["waiting"]: return .purge(.waiting)
      case ["completed"]: return .purge(.completed)
      default: throw UsageError("purge takes what to forget: dead, waiting or completed")
      }
    case nil: throw UsageError("name what to do: status, dead, retry or purge")
    case let word?: throw UsageError("there is no action “\(word)”; there are status, dead, retry and purge")
    }
  }
}
