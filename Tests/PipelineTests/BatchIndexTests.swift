import Glibc
import Pipeline
import RichPush
import TestSupport
import Testing

@Suite("The index of a batch")
struct BatchIndexTests {
  let folder: TemporaryFolder
  let path: FilePath

  init() throws {
    folder = try TemporaryFolder()
    path = FilePath("\(folder.path)/index.jsonl")
  }

  private func line(_ id: String, milliseconds: Int = 1) -> BatchIndex.Line {
    BatchIndex.Line(
      id: id, status: .ready, kind: .image, code: nil, permanent: nil, manifest: "manifests/\(id).json",
      milliseconds: milliseconds,
      bytes: 1, modified: 2, recipe: "1/inside", assets: ["assets/ab/cd.jpg": 3])
  }

  private var text: String { String(decoding: folder.content("index.jsonl") ?? [], as: UTF8.self) }

  @Test("appends a line at once, and finds it again")
  func appends() throws {
    let index = BatchIndex(at: path)
    #expect(index.lines.isEmpty)
    try index.append(line("b"))
    #expect(text.hasSuffix("\n") && text.split(separator: "\n").count == 1)
    try index.append(line("a\nb"))
    try index.append(line("b", milliseconds: 2))
    #expect(text.split(separator: "\n").count == 3)
    #expect(BatchIndex(at: path).lines == ["b": line("b", milliseconds: 2), "a\nb": line("a\nb")])
  }

  @Test("ends sorted, with one line for each job that there still is, and nothing else beside it")
  func finishes() throws {
    let index = BatchIndex(at: path)
    for id in ["c", "b", "a", "b"] { try index.append(line(id)) }
    try index.finish(keeping: ["a", "b", "never"])
    #expect(text.split(separator: "\n").count == 2)
    #expect(BatchIndex(at: path).lines.keys.sorted() == ["a", "b"])
    #expect(text.hasPrefix(#"{"assets":{"assets/ab/cd.jpg":3},"bytes":1,"id":"a""#))
    #expect(folder.files() == ["index.jsonl"])
  }

  @Test("passes over lines that are torn or no lines, and does not tear the next")
  func torn() throws {
    let index = BatchIndex(at: path)
    try index.append(line("a"))
    try index.append(line("b"))
    let whole = Array(text.utf8)
    for cut in [whole.count - 1, whole.count - 10, whole.count / 2 + 1] {
      try folder.write(Array("[]\nnull\n\n{}\n\u{0}\n".utf8) + whole[..<cut], to: "index.jsonl")
      let torn = BatchIndex(at: path)
      #expect(torn.lines["a"] == line("a"))
      try torn.append(line("c"))
      #expect(BatchIndex(at: path).lines["c"] == line("c") && BatchIndex(at: path).lines["a"] == line("a"))
    }
  }

  @Test("is whole whenever somebody looks, also when several batches end at once")
  func concurrent() async throws {
    let ids = (0..<200).map { "job-\($0)" }
    let first = BatchIndex(at: path)
    for id in ids { try first.append(line(id)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let index = BatchIndex(at: path)
          for _ in 0..<10 { try index.finish(keeping: Set(ids)) }
        }
      }
      group.addTask {
        for _ in 0..<100 {
          let count = BatchIndex(at: path).lines.count
          #expect(count == ids.count)
        }
      }
      try await group.waitForAll()
    }
    #expect(BatchIndex(at: path).lines.count == ids.count)
    #expect(folder.files() == ["index.jsonl"])
  }

  @Test("says why it cannot be written")
  func unwritable() throws {
    let index = BatchIndex(at: FilePath("\(folder.path)/none/index.jsonl"))
    #expect(throws: FileFailure(errno: ENOENT)) { try index.append(line("a")) }
    #expect(throws: FileFailure(errno: ENOENT)) { try index.finish(keeping: []) }
    try folder.makeFolder("index.jsonl")
    let blocked = BatchIndex(at: path)
    #expect(throws: FileFailure(errno: EISDIR)) { try blocked.append(line("a")) }
  }
}
