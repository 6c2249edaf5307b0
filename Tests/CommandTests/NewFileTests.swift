import Glibc
import Pipeline
import TestSupport
import Testing

@testable import EnclosureCommand

@Suite("A new file")
struct NewFileTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private var place: FilePath { FilePath("\(folder.path)/page.html") }

  private func names() -> [String] {
    folder.files().sorted()
  }

  @Test("has no name until it is whole, so that nothing is left of it", arguments: [false, true])
  func isUnnamed(isReplacing: Bool) throws {
    if isReplacing { try folder.write(Array("old".utf8), to: "page.html") }
    let before = names()
    let file = try NewFile(at: place)
    try file.write(String(repeating: "x", count: 3 << 20))
    #expect(names() == before)
    try file.keep()
    #expect(names() == ["page.html"])
    #expect(contentOfFile(place.description)?.count == 3 << 20)
  }

  @Test("has a name of its own on other file systems, which goes with it", arguments: [false, true])
  func isNamed(isReplacing: Bool) throws {
    if isReplacing { try folder.write(Array("old".utf8), to: "page.html") }
    do {
      let file = try NewFile(at: place, mayBeUnnamed: false)
      #expect(names().contains { $0.hasPrefix(".enclosure-") })
      try file.write("new")
      if !isReplacing { try file.keep() }
    }
    #expect(names() == ["page.html"])
    #expect(contentOfFile(place.description) == Array((isReplacing ? "old" : "new").utf8))
  }

  @Test("replaces what a link leads to, with the rights of new files")
  func followsLinks() throws {
    try folder.write(Array("old".utf8), to: "real.html")
    #expect(symlink("real.html", "\(folder.path)/page.html") == 0)
    let file = try NewFile(at: place)
    try file.write("new")
    try file.keep()
    #expect(names() == ["page.html", "real.html"])
    #expect(contentOfFile("\(folder.path)/real.html") == Array("new".utf8))
    let mask = umask(0)
    umask(mask)
    var status = stat()
    #expect(stat("\(folder.path)/real.html", &status) == 0 && status.st_mode & 0o777 == 0o666 & ~mask)
  }
}
