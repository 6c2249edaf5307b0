import Pipeline
import RichPush
import Testing

@testable import EnclosureCommand

@Suite struct SummaryTests {
  private func line(_ id: String, _ kind: MediaKind?, _ code: Rejection.Code? = nil) -> BatchIndex.Line {
    BatchIndex.Line(
      id: id, status: kind == nil ? .rejected : .ready, kind: kind, code: code, permanent: code.map { _ in true },
      manifest: "manifests/\(id).json", milliseconds: 1, bytes: 1, modified: 1, recipe: "", assets: [:])
  }

  @Test("a summary counts by kind and by reason, with the names of a few that were rejected")
  func counts() {
    let lines = [
      line("a.jpg", .image), line("b.png", .image), line("c.mp4", .video), line("d", nil, .empty),
      line("e", nil, .empty),
      line("f", nil, .empty), line("g", nil, .empty), line("h\n\u{1B}[31m.jpg", nil, .corrupt),
    ]
    #expect(
      Summary(lines: lines, seconds: 12.34).text(store: "out", index: "out") == """
          image                   2
          video                   1
          rejected: empty         4  d, e, f, …
          rejected: corrupt       1  h\\n\\u{1B}[31m.jpg
        3 of 8 prepared, 5 rejected, in 12.3 s
        Attachments, manifests and index.jsonl are in out

        """)
  }

  @Test("a summary names the store and the folder of the index where they are two")
  func namesBoth() {
    let text = Summary(lines: [], seconds: 0).text(store: "s3://b/p", index: "out")
    #expect(text.hasSuffix("Attachments and manifests are in s3://b/p, index.jsonl is in out\n"))
  }

  @Test("a summary of nothing says so")
  func isEmpty() {
    let text = Summary(lines: [], seconds: 0).text(store: "out", index: "out")
    #expect(text.hasPrefix("0 of 0 prepared, 0 rejected, in 0.0 s\n"))
  }

  @Test(
    "a name cannot play tricks on a terminal",
    arguments: [
      ("a b.jpg", "a b.jpg"), ("é🙂", "é🙂"), ("a\u{7}", "a\\u{07}"), ("\u{9B}2J", "\\u{009B}2J"), ("\r\n", "\\r\\n"),
    ])
  func escapes(name: String, shown: String) {
    #expect(printable(name) == shown)
  }
}
