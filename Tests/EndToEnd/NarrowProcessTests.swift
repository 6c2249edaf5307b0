import Glibc
import RichPush
import TestSupport
import Testing

@Suite("A process that lacks what others have")
struct NarrowProcessTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  /// Runs `enclosure` behind something that a shell does first.
  private func narrowed(_ preparation: String, _ words: String...) async throws -> Run {
    let command = "\(preparation); exec \"$0\" \"$@\""
    return try await tool("/bin/sh", ["-c", command, builtProduct("enclosure")] + words)
  }

  @Test("closed standard descriptors are taken by no file", arguments: [[0, 1, 2], [2], [1, 2], [0, 2]])
  func closedDescriptors(closed: [Int]) async throws {
    try bench.put(text: "FAULT hang", as: "hang.jpg")
    let redirections = closed.map { "\($0)>&-" }.joined(separator: " ")
    let words = [
      "-c", "exec \"$0\" \"$@\" \(redirections)", builtProduct("enclosure"), "batch", bench.source, "--out", bench.out,
      "--decode-timeout", "3600",
    ]
    let child = try ChildProcess("/bin/sh", words.map { Array($0.utf8) }, environment: bench.environment(faulty: true))
    #expect(
      await eventually { child.hasEnded || bench.helpers.contains { hasOpen($0, "\(bench.source)/hang.jpg") } })
    for descriptor in closed {
      var target = [CChar](repeating: 0, count: 100)
      let count = readlink("/proc/\(child.pid)/fd/\(descriptor)", &target, target.count)
      #expect(String(decoding: target.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self) == "/dev/null")
    }
    child.signal(SIGTERM)
    #expect(await child.wait() == .exited(130))
  }

  @Test("a limit on the size of files costs what is larger, and no process")
  func fileSize() async throws {
    try bench.put("image/landscape.jpg")
    try bench.put("image/one-pixel.png")
    // 64 blocks of 512 bytes: less than the picture has, more than all else.
    let run = try await narrowed("ulimit -f 64", "batch", bench.source, "--out", bench.out)
    #expect(run.status == 0, "\(run.errors)")
    #expect(!run.errors.contains("helper lost"), "\(run.errors)")
    #expect(try bench.store.codes == ["landscape.jpg": .storeFailed])
    #expect(try await bench.batch("--strict").status == 0)
  }

  @Test("files are prepared without a folder for temporary ones")
  func temporaryFolder() async throws {
    try bench.put("image/one-pixel.png")
    let run = try await narrowed(
      "TMPDIR=/nowhere; export TMPDIR", "batch", bench.source, "--out", bench.out, "--strict")
    #expect(run.status == 0, "\(run.errors)")
  }
}
