import RichPush
import Synchronization
import Testing

@testable import EnclosureCommand

@Suite struct JobInputTests {
  static let inputs: [(String, [String])] = [
    ("", []),
    ("\n \r\n\t\n", []),
    (#"{"id":"a"}"#, [#"jobs: {"id":"a"}"#]),
    ("{\"id\":\"a\"}\n", [#"jobs, line 1: {"id":"a"}"#]),
    ("\n\n{\"id\":\"a\"}\n\n{\"id\":\"b\"}", [#"jobs, line 3: {"id":"a"}"#, #"jobs, line 5: {"id":"b"}"#]),
    ("{\"id\":\"a\"}\r\n{\"id\":\"b\"}\r\n", ["jobs, line 1: {\"id\":\"a\"}\r", "jobs, line 2: {\"id\":\"b\"}\r"]),
    ("{\n  \"id\": \"a\"\n}\n", ["jobs: {\n  \"id\": \"a\"\n}\n"]),
    ("\n{\n\"id\": \"a\"\n}", ["jobs: {\n\"id\": \"a\"\n}"]),
    (
      "{\"id\":\"a\"}\nnonsense\n{\"id\":\"b\"}\n",
      [
        #"jobs, line 1: {"id":"a"}"#, "jobs, line 2: nonsense", #"jobs, line 3: {"id":"b"}"#,
      ]
    ),
    ("nonsense\n{\"id\":\"b\"}\n", ["jobs, line 1: nonsense", #"jobs, line 2: {"id":"b"}"#]),
    ("\n{\"id\" \"a\"}\n{\n", ["jobs, line 2: {\"id\" \"a\"}", "jobs, line 3: {"]),
    // Whose end is missing, so that it might go on.
    ("{\"id\":\"a\"\n\(job)\n{}\n", ["jobs, line 1: {\"id\":\"a\"", "jobs, line 2: \(job)", "jobs, line 3: {}"]),
    ("{\n\n{\n\(job)", ["jobs, line 1: {", "jobs, line 3: {", "jobs, line 4: \(job)"]),
    ("{\"id\":\n\(job)\n", ["jobs, line 1: {\"id\":", "jobs, line 2: \(job)"]),
    // Documents with what looks like a job in them.
    ("{\"a\":\n  \(job)\n}\n", ["jobs: {\"a\":\n  \(job)\n}\n"]),
    ("[\(job),\n\(job)\n]", ["jobs: [\(job),\n\(job)\n]"]),
    // One document, and its error is where it is wrong.
    ("{\n  \"id\": \"a\"\n  \"sources\": []\n}\n", ["jobs: {\n  \"id\": \"a\"\n  \"sources\": []\n}\n"]),
  ]
  private static let job = #"{"id":"b","sources":["https://example.com/"]}"#

  @Test("a file holds one document or one on each line, however its bytes come", arguments: inputs, [1, 7, 1_000])
  func reads(_ test: (text: String, pieces: [String]), chunk: Int) async throws {
    let pieces = try await pieces(of: Array(test.text.utf8), chunk: chunk)
    #expect(pieces.map { "\($0.place): \(String(decoding: $0.bytes, as: UTF8.self))" } == test.pieces)
  }

  @Test("where each line is a document, even lines that are all broken are told apart")
  func knowsLines() async throws {
    let chunks = Chunks([Array("{\"id\":\"a\"\n\n{\"id\":\n}".utf8)])
    var input = JobInput(name: "jobs", areLines: true) { chunks.next() }
    #expect(try await input.next()?.map(\.place) == ["jobs, line 1", "jobs, line 3"])
    #expect(try await input.next()?.map(\.place) == ["jobs, line 4"])
    #expect(try await input.next() == nil)
  }

  @Test("a document comes as soon as its line is whole")
  func doesNotWait() async throws {
    let chunks = Chunks([Array("{\"id\":\"a\"}\n{\"id\"".utf8), Array(":\"b\"}\n".utf8)])
    var input = JobInput(name: "jobs") { chunks.next() }
    #expect(try await input.next()?.map(\.place) == ["jobs, line 1"])
    #expect(try await input.next()?.map(\.place) == ["jobs, line 2"])
    #expect(try await input.next() == nil)
  }

  @Test("of what is too long no more is kept than shows that it is")
  func boundsMemory() async throws {
    let long = "\"\(String(repeating: "x", count: 3 * JobDocument.maximumBytes))"
    let text = "{\"id\":\"a\"}\n\(long)\n{\"id\":\"b\"}\n"
    let pieces = try await pieces(of: Array(text.utf8), chunk: 65_536)
    #expect(pieces.map(\.bytes.count) == [10, JobDocument.maximumBytes + 1, 10])
    #expect(
      try await self.pieces(of: Array(long.utf8), chunk: 65_536).map(\.bytes.count) == [JobDocument.maximumBytes + 1])
  }

  @Test("nor of one that is long before it shows what it is")
  func boundsBeginning() async throws {
    let line = "  \"\(String(repeating: "x", count: 1_000))\",\n"
    let text = "[\n" + String(repeating: line, count: JobDocument.maximumBytes / 500)
    #expect(
      try await pieces(of: Array(text.utf8), chunk: 65_536).map(\.bytes.count) == [JobDocument.maximumBytes + 1])
    let long = "\"\(String(repeating: "x", count: 3 * JobDocument.maximumBytes))\n\(Self.job)\n"
    #expect(
      try await pieces(of: Array(long.utf8), chunk: 65_536).map(\.bytes.count)
        == [JobDocument.maximumBytes + 1, Self.job.utf8.count])
  }

  private func pieces(of bytes: [UInt8], chunk: Int) async throws -> [JobInput.Piece] {
    let chunks = Chunks(
      stride(from: 0, to: bytes.count, by: chunk).map { Array(bytes[$0..<min($0 + chunk, bytes.count)]) })
    var input = JobInput(name: "jobs") { chunks.next() }
    var pieces: [JobInput.Piece] = []
    while let some = try await input.next() { pieces += some }
    return pieces
  }
}

/// Chunks that are read one after the other.
private final class Chunks: Sendable {
  private let chunks: Mutex<[[UInt8]]>

  init(_ chunks: [[UInt8]]) {
    self.chunks = Mutex(chunks)
  }

  func next() -> [UInt8] {
    chunks.withLock { $0.isEmpty ? [] : $0.removeFirst() }
  }
}
