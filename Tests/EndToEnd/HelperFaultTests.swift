import Glibc
import RichPush
import TestSupport
import Testing

@Suite("A helper that fails")
struct HelperFaultTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  @Test("costs exactly the source it worked on, is reported, and leaves no process behind")
  func faults() async throws {
    let expected: [String: Rejection.Code] = [
      "crash": .decoderCrashed, "exit": .decoderCrashed, "babble": .decoderCrashed, "hang": .decoderTimeout,
      "spin": .decoderTimeout, "half": .decoderTimeout, "balloon": .decoderMemory,
    ]
    for fault in expected.keys { try bench.put(text: "FAULT \(fault)", as: "\(fault).jpg") }
    for number in 0..<4 { try bench.put("image/one-pixel.png", as: "good-\(number).png") }
    let run = try await bench.batch("--decode-timeout", "20", "--decode-memory", "400", "--helpers", "4", faulty: true)
    #expect(run.status == 0)
    let codes = try bench.store.codes
    #expect(codes == expected.reduce(into: [:]) { $0["\($1.key).jpg"] = $1.value })
    #expect(try bench.store.lines.count(where: { $0.status == .ready }) == 4)
    let lost = try run.log.filter { $0["event"] == "helper_lost" }
    #expect(lost.map { $0["code"] ?? "" }.sorted() == expected.values.map(\.rawValue).sorted(), "\(run.errors)")
    #expect(lost.contains { $0["lastWords"] == "out of luck\n" && $0["level"] == "warning" })
    #expect(try await bench.store.faults() == [])
    #expect(bench.helpers == [])

    // What may pass is tried again, a crash is not; what babbles has crashed too.
    let again = try await bench.batch()
    #expect(again.errors.hasPrefix("11 files, 6 of them up to date\n"), "\(again.errors)")
    #expect(try Set(bench.store.codes.values) == [.decoderCrashed, .unsupportedType])
  }

  @Test("costs prepare that source only", arguments: ["crash", "exit", "babble"])
  func prepare(fault: String) async throws {
    try bench.put(text: "FAULT \(fault)", as: "bad.jpg")
    try bench.put("image/one-pixel.png")
    let run = try await enclosure(
      "prepare", "\(bench.source)/bad.jpg", "\(bench.source)/one-pixel.png", "--out", bench.out, "--id", "x",
      environment: bench.environment(faulty: true))
    #expect(run.status == 0)
    let manifest = try #require(try bench.store.manifests["manifests/x.json"])
    #expect(manifest.status == .partial)
    #expect(manifest.rejections.map(\.reason.code) == [.decoderCrashed])
    #expect(try run.log.contains { $0["event"] == "source_rejected" && $0["code"] == "decoder_crashed" })
  }

  @Test("from the start ends the command, and blames no source")
  func never() async throws {
    try bench.put("image/one-pixel.png")
    let run = try await enclosure(
      "batch", bench.source, "--out", bench.out,
      environment: bench.environment().merging(["ENCLOSURE_MEDIA": "/bin/false"]) { $1 })
    #expect(run.status == EX_SOFTWARE)
    #expect(run.errors.contains("the media helper /bin/false does not work: the decoder ended with status 1"))
    #expect(try bench.store.manifests.isEmpty)
  }

  @Test("to be there is said at once, with where it belongs")
  func missing() async throws {
    let run = try await enclosure(
      "batch", bench.source, "--out", bench.out, environment: ["ENCLOSURE_MEDIA": "/nowhere/enclosure-media"])
    #expect(run.status == EX_SOFTWARE && !run.errors.contains("--help"))
    #expect(run.errors.contains("/nowhere/enclosure-media") && run.errors.contains("ENCLOSURE_MEDIA"))
    #expect(bench.store.files == [])
  }

  @Test("to be stopped with its parent is not: no helper outlives a killed enclosure, busy or idle")
  func orphans() async throws {
    for number in 0..<2 { try bench.put(text: "FAULT \(number == 0 ? "hang" : "spin")", as: "\(number).jpg") }
    let child = try bench.startBatch("--helpers", "3", "--decode-timeout", "3600", faulty: true)
    #expect(
      await eventually {
        child.hasEnded
          || (0..<2).allSatisfy { number in
            bench.helpers.contains { hasOpen($0, "\(bench.source)/\(number).jpg") }
          }
      })
    #expect(await eventually { child.hasEnded || bench.helpers.count == 3 })
    child.signal(SIGKILL)
    _ = await child.wait()
    #expect(await eventually { bench.helpers.isEmpty })
  }

  @Test("while it has nothing to do costs the next job nothing, though all of them were killed")
  func idle() async throws {
    let queue = "sqlite:\(bench.folder.path)/queue.db"
    let words = [
      "worker", "--queue", queue, "--store", bench.out, "--allow-files", bench.source, "--listen", "none", "--helpers",
      "3",
    ]
    let worker = try startEnclosure(words.map { Array($0.utf8) }, environment: bench.environment(faulty: true))
    // One more, for what is quick.
    #expect(await eventually { bench.helpers.count == 4 && worker.errors.contains("worker_started") })
    for helper in bench.helpers { kill(helper, SIGKILL) }
    #expect(await eventually { bench.helpers.isEmpty })

    for number in 0..<4 { try bench.put("image/one-pixel.png", as: "\(number).png") }
    let sources = (0..<4).map { #""file://\#(bench.source)/\#($0).png""# }.joined(separator: ", ")
    try bench.put(text: #"{"id": "a", "sources": [\#(sources)]}"#, as: "job.json")
    #expect(try await enclosure("enqueue", "--queue", queue, "\(bench.source)/job.json").status == 0)
    #expect(await eventually { worker.errors.contains("job_finished") || worker.errors.contains("job_retried") })
    worker.signal(SIGTERM)
    #expect(await worker.wait() == .exited(0))

    let report = try await enclosure("queue", "status", "a", "--json", "--queue", queue)
    #expect(
      report.text.contains(#""attempts":1,"#) && report.text.contains(#""status":"ready""#), "\(worker.errors)")
    let log = Run(ending: .exited(0), output: [], errors: worker.errors)
    let lost = try log.log.filter { $0["event"] == "helper_lost" }
    #expect((1...4).contains(lost.count), "\(worker.errors)")
    #expect(lost.allSatisfy { $0["code"] == nil && $0["message"]?.hasSuffix("while it had nothing to do") == true })
  }

  @Test("run by hand says what it is for")
  func byHand() async throws {
    let child = try ChildProcess(builtProduct("enclosure-media"))
    #expect(await child.wait() == .exited(EX_USAGE))
    #expect(child.errors.contains("enclosure prepare"))
  }
}
