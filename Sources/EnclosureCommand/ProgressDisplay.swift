import Pipeline
import RichPush

/// Shows how a batch gets on: a bar on a terminal, now and then a line elsewhere.
struct ProgressDisplay {
  private let isQuiet: Bool
  /// What one job's source is called.
  private let noun: String
  private let isTerminal = Console.errorIsTerminal
  private let clock = ContinuousClock()
  private let start = ContinuousClock().now
  private var progress = Progress(total: 0)
  /// When something was shown, in seconds since the start; on a terminal that is at once.
  private var lastShown: Double

  init(isQuiet: Bool, noun: String) {
    self.isQuiet = isQuiet
    self.noun = noun
    lastShown = Console.errorIsTerminal ? -.infinity : 0
  }

  mutating func show(_ event: Batch.Event) {
    switch event {
    case .found(let jobs, let upToDate):
      progress = Progress(total: jobs - upToDate)
      let done = upToDate > 0 ? ", \(upToDate) of them up to date" : ""
      if !isQuiet { Console.error("\(counted(jobs, noun))\(done)\n") }
    case .finished(let line, _):
      progress.done += 1
      if line.status == .rejected { progress.rejected += 1 }
    }
    draw()
  }

  /// Leaves the terminal as it was.
  func end() {
    if isTerminal { Console.showStatus("") }
  }

  private mutating func draw() {
    progress.elapsed = (clock.now - start) / .seconds(1)
    guard !isQuiet, progress.total > 0, progress.elapsed - lastShown >= (isTerminal ? 0.1 : 10) else { return }
    if isTerminal {
      Console.showStatus(progress.bar(columns: Console.columns, isUnicode: Console.showsUnicode()))
    } else {
      Console.error("\(progress.line)\n")
    }
    lastShown = progress.elapsed
  }
}
