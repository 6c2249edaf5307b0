import Pipeline
import TestSupport
import Testing

@Suite("A list of URLs")
struct URLListTests {
  private func list(_ bytes: [UInt8]) throws -> URLList? {
    let folder = try TemporaryFolder()
    try folder.write(bytes, to: "list")
    return try URLList(at: FilePath("\(folder.path)/list"))
  }

  @Test("has one on each line; empty lines and comments are passed over, whatever ends a line")
  func lines() throws {
    let text =
      "\u{FEFF}# campaign\r\n\r\n https://a.example/1.jpg?x=#2 \r\n"
      + "ftp://b.example/2\n\nnonsense\n  # more\nhttp://c/3"
    let list = try #require(try list(Array(text.utf8)))
    #expect(
      list.entries.map(\.url) == ["https://a.example/1.jpg?x=#2", "ftp://b.example/2", "nonsense", "http://c/3"])
    #expect(list.entries.map(\.line) == [3, 4, 6, 8])
  }

  @Test("may be empty, and is then no job", arguments: ["", "\n", "# nothing yet\n"])
  func empty(text: String) throws {
    #expect(try #require(try list(Array(text.utf8))).entries.isEmpty)
  }

  @Test("is none when it is a medium, or other text")
  func others() throws {
    #expect(try list([0xFF, 0xD8, 0xFF, 0xE0, 0, 16]) == nil)
    #expect(try list(Array("Dear reader,\nsee https://example.com/\n".utf8)) == nil)
    #expect(try list([0x68, 0xC3, 0x28]) == nil)
  }

  @Test("that cannot be read says why")
  func unreadable() {
    #expect(throws: FileFailure(errno: 2)) { _ = try URLList(at: FilePath("/nonexistent/list")) }
  }
}
