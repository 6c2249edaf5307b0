import Glibc
import Testing

@testable import Pipeline

@Suite("The name of a file")
struct FilePathTests {
  @Test(
    "is shown as text where it is UTF-8, and with escapes where it is not",
    arguments: [
      (Array("a b.jpg".utf8), "a b.jpg"), (Array("🙂é".utf8), "🙂é"), ([0x61, 0xFF, 0x62], "a\\xFFb"),
      ([0xC3], "\\xC3"), ([0xC3, 0x28], "\\xC3("), ([0xF0, 0x9F, 0x99], "\\xF0\\x9F\\x99"), ([0x0A], "\n"), ([], ""),
      ([0x01, 0xFE], "\u{1}\\xFE"), ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"),
    ] as [([UInt8], String)])
  func description(bytes: [UInt8], text: String) {
    #expect(FilePath(bytes: bytes).description == text)
  }

  @Test(
    "has the extension behind its last dot, in lower case",
    arguments: [
      ("a.jpg", "jpg"), ("A.JPG", "jpg"), ("x.tar.gz", "gz"), ("dir.d/a", nil), ("a", nil), (".hidden", nil),
      ("a.", nil),
      ("", nil), ("/", nil), ("dir/.png", nil), ("dir.png/", "png"),
    ])
  func fileExtension(name: String, expected: String?) {
    #expect(FilePath(name).fileExtension == expected)
  }

  @Test("ends in its last component, and is put together with one slash")
  func components() {
    #expect(FilePath("/a/b//c").lastComponent == FilePath("c"))
    #expect(FilePath("/a/b/").lastComponent == FilePath("b"))
    #expect(FilePath("/").lastComponent == FilePath(""))
    #expect(FilePath("a").appending(Array("b".utf8)) == FilePath("a/b"))
    #expect(FilePath("a/").appending(Array("b".utf8)) == FilePath("a/b"))
    #expect(FilePath("").appending(Array("b".utf8)) == FilePath("b"))
  }

  @Test("reaches C as it is")
  func cString() {
    let bytes: [UInt8] = [0xFF, 0x2F, 0x0A]
    #expect(FilePath(bytes: bytes).withCString { strlen($0) } == 3)
    #expect(FilePath("").withCString { strlen($0) } == 0)
  }
}
