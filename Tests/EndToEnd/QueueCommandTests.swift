import FoundationEssentials
import JobQueue
import RichPush
import TestSupport
import Testing

@Suite struct QueueCommandTests {
  @Test("what is enqueued is printed, counted, and known the next time")
  func enqueues() async throws {
    let bench = try Workbench()
    try bench.put(text: job("a") + "\n" + job("b") + "\n", as: "jobs.jsonl")
    try bench.put(text: "{\n  \"id\": \"c\",\n  \"sources\": [\"https://example.com/c\"]\n}\n", as: "c.json")
    let first = try await run(bench, "enqueue", "\(bench.source)/jobs.jsonl", "\(bench.source)/c.json")
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.text == "a\nb\nc\n")
    #expect(first.errors.isEmpty)

    let again = try await run(bench, "enqueue", "\(bench.source)/jobs.jsonl")
    #expect(again.status == 0)
    #expect(again.text == "a\nb\n")
    #expect(try again.log.map { $0["event"] } == ["job_known", "job_known"])
    #expect(try again.log.first?["message"]?.contains("enclosure queue status ID") == true)

    let status = try await run(bench, "queue", "status", "--json")
    #expect(status.text.contains(#""ready":3"#), "\(status.text)")
    let states = try await run(bench, "queue", "status", "a", "z")
    #expect(states.status == 1)
    #expect(states.text == "a: waiting\nz: unknown\n")
  }

  @Test("jobs come through a pipe as well")
  func readsStandardInput() async throws {
    let bench = try Workbench()
    let lines = (0..<2_000).map { job("n\($0)") }
    try bench.put(text: lines.joined(separator: "\n"), as: "jobs.jsonl")
    let command = "exec \"$0\" enqueue --queue \"$1\" < \"$2\""
    let child = try ChildProcess(
      "/bin/sh",
      ["-c", command, builtProduct("enclosure"), queue(bench), "\(bench.source)/jobs.jsonl"].map { Array($0.utf8) })
    #expect(await child.wait() == .exited(0), "\(child.errors)")
    let ids = String(decoding: child.output, as: UTF8.self).split(separator: "\n")
    #expect(ids == (0..<2_000).map { "n\($0)" })
  }

  @Test("wrong documents are told with their line, and the others are added")
  func reportsWrongDocuments() async throws {
    let bench = try Workbench()
    let text = [job("a"), #"{"id":"b","sources":["x"],"sauces":[]}"#, "{", job("c")].joined(separator: "\n")
    try bench.put(text: text, as: "jobs.jsonl")
    let added = try await run(bench, "enqueue", "\(bench.source)/jobs.jsonl")
    #expect(added.status == 1)
    #expect(added.text == "a\nc\n")
    let log = try added.log
    #expect(log.map { $0["source"] } == [2, 3].map { "\(bench.source)/jobs.jsonl, line \($0)" })
    #expect(log.first?["message"]?.contains("sauces") == true, "\(log)")
  }

  @Test(
    "a first line that is broken spoils none of the others",
    arguments: [
      "nonsense", #"{"id":"a" "sources":["https://example.com/a"]}"#, #"{"id":"a","sources":["https://example.com/a""#,
      #"{"id":"a","sources":["nonsense"]}"#, "{", "[1,",
    ])
  func goesOnAfterFirstLine(first: String) async throws {
    let bench = try Workbench()
    try bench.put(text: "\(first)\n\(job("b"))\n{}\n\(job("c"))\n", as: "jobs")
    let added = try await run(bench, "enqueue", "\(bench.source)/jobs")
    #expect(added.status == 1)
    #expect(added.text == "b\nc\n")
    #expect(try added.log.map { $0["source"] } == [1, 3].map { "\(bench.source)/jobs, line \($0)" })
    try bench.put(text: "\(first)\n{\n", as: "jobs.jsonl")
    let lines = try await run(bench, "enqueue", "\(bench.source)/jobs.jsonl")
    #expect(lines.status == 1 && lines.text.isEmpty)
    #expect(try lines.log.map { $0["source"] } == [1, 2].map { "\(bench.source)/jobs.jsonl, line \($0)" })
  }

  @Test("dead letters are listed, put back and forgotten")
  func handlesDeadLetters() async throws {
    let bench = try Workbench()
    let queue = try await openQueue(queue(bench))
    for id in ["a", "b", "c"] {
      _ = try await queue.enqueue(NewJob(id: id, body: Array(job(id).utf8)))
      let lease = try #require(try await queue.lease(1, seconds: 60, wait: 0).first)
      try await queue.bury(lease, reason: "the origin answered 503")
    }
    let list = try await run(bench, "queue", "dead", "--limit", "2")
    #expect(
      list.text.split(separator: "\n").map { String($0.prefix(8)) } == ["a  given", "  attemp", "b  given", "  attemp"])
    let documents = try await run(bench, "queue", "dead", "--json")
    #expect(documents.text.split(separator: "\n").count == 3)
    #expect(documents.text.contains(#""job":{"id":"a","#))

    let one = try await run(bench, "queue", "retry", "b")
    #expect(one.status == 0)
    #expect(one.text == "1 job put back among the jobs\n")
    let unknown = try await run(bench, "queue", "retry", "b", "nosuch", "a", "nosuch", "a")
    #expect(unknown.status == 1)
    #expect(unknown.text == "1 job put back among the jobs\n")
    #expect(
      try unknown.log.map { $0["message"] } == ["b", "nosuch"].map { "“\($0)” is not among the dead letters" })
    let all = try await run(bench, "queue", "retry", "--all", "--json")
    #expect(all.text == "{\"revived\":1}\n")
    #expect(try await queue.status().ready == 3)
    let purged = try await run(bench, "queue", "purge", "waiting")
    #expect(purged.text == "3 jobs forgotten\n")
    #expect(try await queue.status().ready == 0)
    await queue.close()
  }

  @Test(
    "wrong use is told, with what would be right",
    arguments: [
      (["queue"], "status, dead, retry or purge"), (["queue", "stat"], "status, dead, retry and purge"),
      (["queue", "purge"], "dead, waiting or completed"), (["queue", "purge", "all"], "dead, waiting or completed"),
      (["queue", "retry"], "--all"), (["queue", "retry", "a", "--all"], "either"),
      (["queue", "status", "--all"], "--all belongs to retry"), (["queue", "dead", "a"], "status ID"),
      (["queue", "dead", "--limit", "0"], "1 to 1000000"), (["enqueue", "missing.json"], "missing.json"),
      (["enqueue", "/tmp"], "/tmp is a folder"),
    ])
  func explainsUse(words: [String], part: String) async throws {
    let bench = try Workbench()
    let run = try await enclosure(words.map { Array($0.utf8) })
    #expect(run.status == 64)
    #expect(run.errors.contains(part), "\(run.errors)")
    #expect(bench.folder.files() == [])
  }

  @Test(
    "a queue that cannot be, by its address, its settings or what lies there, ends every command with 78",
    arguments: [
      (["--queue", "jobs"], [:], "“jobs” names no queue; name one as sqlite:FILE"),
      (["--queue", "redis://host/jobs"], [:], "“redis://host/jobs” names no queue"),
      (["--queue", "sqlite:"], [:], "sqlite: names no file"),
      (["--queue", "nats://host"], [:], "names no stream"),
      (["--queue", "sqlite:/etc/passwd"], [:], "no SQLite database"),
      (["--queue", "nats://127.0.0.1:1/jobs"], ["ENCLOSURE_NATS_REPLICAS": "2"], "ENCLOSURE_NATS_REPLICAS is “2”"),
      (["--queue", "nats://127.0.0.1:1/jobs"], ["ENCLOSURE_NATS_CREDS": "/nowhere"], "/nowhere cannot be read"),
    ] as [([String], [String: String], String)])
  func tellsWrongSettings(options: [String], variables: [String: String], part: String) async throws {
    let bench = try Workbench()
    try bench.put(text: job("a"), as: "a.json")
    let environment = bench.environment().merging(variables) { $1 }
    for words in [
      ["worker", "--store", bench.out, "--listen", "none"], ["enqueue", "\(bench.source)/a.json"], ["queue", "status"],
    ] {
      let run = try await enclosure((words + options).map { Array($0.utf8) }, environment: environment)
      #expect(run.status == 78, "\(words) \(run.errors)")
      #expect(run.text.isEmpty)
      let failures = try run.log.filter { $0["event"] == "failed" }
      #expect(failures.first?["message"]?.contains(part) == true, "\(run.errors)")
    }
  }

  @Test("a queue that does not exist is not made by looking at it")
  func makesNoQueue() async throws {
    let bench = try Workbench()
    let status = try await run(bench, "queue", "status")
    #expect(status.status == 78)
    #expect(status.errors.contains("there is no queue"))
    #expect(bench.folder.files() == [])
  }

  private func job(_ id: String) -> String {
    #"{"id":"\#(id)","sources":["https://example.com/\#(id)"]}"#
  }

  private func queue(_ bench: Workbench) -> String {
    "sqlite:\(bench.folder.path)/jobs.sqlite"
  }

  private func run(_ bench: Workbench, _ words: String...) async throws -> Run {
    let words = words + ["--queue", queue(bench)]
    return try await enclosure(words.map { Array($0.utf8) }, environment: ["LANG": "C.UTF-8"])
  }
}
