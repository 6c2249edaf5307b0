import Glibc
import RichPush
import TestSupport
import Testing

/// In these tests faulty helpers hang on two of the files, so that the batch is in the middle for as long as it takes;
/// the third helper does all the rest.
@Suite("A batch that is interrupted")
struct BatchInterruptionTests {
  let bench: Workbench
  let good = ["a.jpg", "b.png", "c.gif", "z.png"]

  init() throws {
    bench = try Workbench()
    try bench.put("image/landscape.jpg", as: "a.jpg")
    try bench.put("image/rgba.png", as: "b.png")
    try bench.put("animation/simple.gif", as: "c.gif")
    try bench.put(text: "FAULT hang", as: "x.jpg")
    try bench.put(text: "FAULT hang", as: "y.jpg")
    try bench.put("image/photo.png", as: "z.png")
  }

  /// Starts a batch and waits until all is done that can be done.
  private func startAndWait(on terminal: Terminal? = nil) async throws -> ChildProcess {
    let child = try bench.startBatch(
      "--helpers", "3", "--decode-timeout", "3600", faulty: true, on: terminal)
    if let terminal { try terminal.record() }
    #expect(await eventually { child.hasEnded || (try? bench.store.index.count) == 4 })
    return child
  }

  private func finish(upToDate: Int) async throws {
    let run = try await bench.batch()
    #expect(run.status == 0)
    #expect(run.errors.hasPrefix("6 files, \(upToDate) of them up to date\n"))
    #expect(try bench.store.lines.map(\.id) == ["a.jpg", "b.png", "c.gif", "x.jpg", "y.jpg", "z.png"])
    #expect(try await bench.store.faults() == [])
  }

  @Test("keeps what was done, leaves only whole files, and does the rest next time", arguments: [SIGINT, SIGTERM])
  func signal(number: Int32) async throws {
    let child = try await startAndWait()
    let running = bench.helpers
    #expect(running.count == 3)
    child.signal(number)
    #expect(await child.wait() == .exited(130))
    #expect(await eventually { bench.helpers.isEmpty })
    #expect(try bench.store.index.keys.sorted() == good)
    #expect(try await bench.store.faults(strays: false) == [])
    #expect(child.output == [])
    #expect(child.errors.contains("again"), "says how to go on: \(child.errors)")
    try await finish(upToDate: 4)
  }

  @Test("by ^C on a terminal ends the same way, and leaves the terminal clean")
  func keyboard() async throws {
    let terminal = try Terminal(columns: 80)
    let child = try await startAndWait(on: terminal)
    terminal.type([3])
    #expect(await child.wait() == .exited(130))
    #expect(await eventually { bench.helpers.isEmpty })
    #expect(!terminal.screen.hasWrapped)
    let lines = terminal.screen.lines
    #expect(!(lines.contains { $0.contains(" left") }) && lines.last == "", "\(lines)")
    try await finish(upToDate: 4)
  }

  @Test("twice ends at once")
  func twice() async throws {
    let child = try await startAndWait()
    child.signal(SIGINT)
    child.signal(SIGINT)
    #expect(await child.wait() == .exited(130))
    #expect(await eventually { bench.helpers.isEmpty })
    try await finish(upToDate: 4)
  }

  @Test("by SIGKILL leaves no helper and no half-written file, and is completed by the next run")
  func killed() async throws {
    let child = try await startAndWait()
    #expect(bench.helpers.count == 3)
    child.signal(SIGKILL)
    #expect(await child.wait() == .killed(signal: SIGKILL))
    #expect(await eventually { bench.helpers.isEmpty })
    #expect(try await bench.store.faults(strays: false) == [])
    try await finish(upToDate: 4)
  }

  @Test("by SIGKILL at any moment is completed by the next run")
  func killedAnywhere() async throws {
    for name in ["x.jpg", "y.jpg"] { try bench.put("image/progressive.jpg", as: name) }
    for milliseconds in stride(from: 20, through: 420, by: 80) {
      let child = try bench.startBatch()
      try await Task.sleep(for: .milliseconds(milliseconds))
      child.signal(SIGKILL)
      _ = await child.wait()
      #expect(try await bench.store.faults(strays: false) == [])
    }
    #expect(try await bench.batch("--strict").status == 0)
    #expect(try bench.store.lines.count == 6)
    #expect(try await bench.store.faults() == [])
  }

  @Test("does not keep prepare from ending: no manifest, no result, status 130")
  func prepare() async throws {
    let sources = ["a.jpg", "x.jpg"].map { "\(bench.source)/\($0)" }
    let arguments = ["prepare"] + sources + ["--out", bench.out, "--decode-timeout", "3600"]
    let child = try startEnclosure(arguments.map { Array($0.utf8) }, environment: bench.environment(faulty: true))
    #expect(await eventually { child.hasEnded || !bench.helpers.isEmpty })
    // The helper has the file open when it works on it.
    #expect(await eventually { child.hasEnded || bench.helpers.contains { hasOpen($0, "\(bench.source)/x.jpg") } })
    child.signal(SIGINT)
    #expect(await child.wait() == .exited(130))
    #expect(child.output == [])
    #expect(bench.store.files.filter { $0.hasPrefix("manifests/") } == [])
  }
}

/// Whether a process has a file open.
func hasOpen(_ process: pid_t, _ path: String) -> Bool {
  (0..<32).contains { descriptor in
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/\(process)/fd/\(descriptor)", &buffer, buffer.count)
    return count > 0 && String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) == path
  }
}
