import Glibc
import RichPush
import TestSupport
import Testing

@Suite("A batch on a terminal")
struct TerminalTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    for number in 0..<8 { try bench.put("image/orientation-\(number + 1).jpg", as: "\(number).jpg") }
    try bench.put(text: "FAULT crash", as: "\u{1B}[31mcrash.jpg")
    try bench.put("bad/text.jpg")
  }

  @Test("shows a bar that never wraps, and leaves the terminal clean", arguments: [80, 40, 20])
  func bar(columns: Int) async throws {
    let terminal = try Terminal(columns: columns)
    let child = try bench.startBatch(faulty: true, on: terminal)
    try terminal.record()
    #expect(await child.wait() == .exited(0))
    #expect(await eventually { terminal.screen.lines.contains { $0.hasPrefix("8 of 10 prepared") } })
    let screen = terminal.screen
    let bars = screen.drawn.filter { $0.contains("/10 ") || $0.contains("/10·") }
    #expect(!bars.isEmpty && bars.allSatisfy { $0.count < columns }, "\(screen.drawn)")
    #expect(screen.unknown == [])
    #expect(!(screen.lines.contains { $0.contains("█") || $0.contains("─") }), "\(screen.lines)")
    #expect(screen.lines.first == "10 files" && screen.lines.last == "")
    // A helper's loss is a line of its own, wherever the bar was.
    #expect(screen.lines.contains { $0.hasPrefix("helper lost: ") && $0.hasSuffix("out of luck") }, "\(screen.lines)")
    #expect(child.output == [])
  }

  @Test("has rate and time left in its bar")
  func figures() async throws {
    let terminal = try Terminal(columns: 100)
    let child = try bench.startBatch(on: terminal)
    try terminal.record()
    #expect(await child.wait() == .exited(0))
    #expect(await eventually { terminal.screen.lines.last == "" && terminal.screen.lines.count > 3 })
    let pattern = try Regex("[█─]+ [0-9]+/10 · [0-9]+\\.[0-9]/s · (\\?|[0-9]+) s left( · [0-9] rejected)?")
    let bars = terminal.screen.drawn.filter { $0.contains("/10 ") }
    #expect(!bars.isEmpty)
    for bar in bars { #expect(bar.wholeMatch(of: pattern) != nil, "\(bar)") }
  }

  @Test("with --quiet draws nothing, and a dumb terminal gets plain lines", arguments: [true, false])
  func plain(isQuiet: Bool) async throws {
    let terminal = try Terminal(columns: 80)
    let words = ["batch", bench.source, "--out", bench.out] + (isQuiet ? ["--quiet"] : [])
    let child = try startEnclosure(
      words.map { Array($0.utf8) }, environment: bench.environment().merging(isQuiet ? [:] : ["TERM": "dumb"]) { $1 },
      on: terminal)
    try terminal.record()
    #expect(await child.wait() == .exited(0))
    #expect(await eventually { terminal.screen.lines.contains { $0.hasPrefix("8 of 10 prepared") } })
    #expect(!terminal.transcript.contains(0x1B))
    #expect(terminal.screen.lines.contains("10 files") == !isQuiet)
  }
}
