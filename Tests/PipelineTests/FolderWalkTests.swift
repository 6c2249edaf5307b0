import Glibc
import TestSupport
import Testing

@testable import Pipeline

@Suite("A walk through a folder")
struct FolderWalkTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func names(excluding excluded: String...) throws -> [String] {
    let identities = excluded.compactMap { FolderIdentity(of: FilePath("\(folder.path)/\($0)")) }
    return try FolderWalk(of: FilePath(folder.path), excluding: identities).entries.map(\.path.description)
  }

  @Test("finds every file below it, hidden ones too, sorted by bytes")
  func finds() throws {
    for name in ["b/c/d.jpg", "a.jpg", "b.jpg", ".hidden/.file", "b/a.jpg", "Z"] { try folder.write([1], to: name) }
    try folder.makeFolder("empty")
    #expect(try names() == [".hidden/.file", "Z", "a.jpg", "b.jpg", "b/a.jpg", "b/c/d.jpg"])
  }

  @Test("leaves out the folder it is told to, under whatever name, and no other")
  func excludes() throws {
    for name in ["out/a", "sub/out/b", "c"] { try folder.write([1], to: name) }
    #expect(try names(excluding: "out") == ["c", "sub/out/b"])
    symlink("out", "\(folder.path)/link")
    #expect(try names(excluding: "link") == ["c", "link", "sub/out/b"])
    #expect(try names(excluding: "none").count == 4)
  }

  @Test("knows size and time of files and of what links lead to, and of nothing else")
  func states() throws {
    try folder.write([1, 2, 3], to: "file")
    mkfifo("\(folder.path)/pipe", 0o666)
    for (name, target) in [("link", "file"), ("dangling", "none"), ("circle", "circle"), ("up", "..")] {
      symlink(target, "\(folder.path)/\(name)")
    }
    let entries = try FolderWalk(of: FilePath(folder.path), excluding: []).entries
    let sizes = entries.reduce(into: [:]) { $0[$1.path.description] = $1.state?.bytes ?? -1 }
    #expect(sizes == ["file": 3, "pipe": -1, "link": 3, "dangling": -1, "circle": -1, "up": -1])
  }

  @Test("says why the folder itself cannot be read")
  func unreadable() throws {
    try folder.write([1], to: "file")
    #expect(throws: FileFailure(errno: ENOTDIR)) {
      try FolderWalk(of: FilePath("\(folder.path)/file"), excluding: [])
    }
    #expect(throws: FileFailure(errno: ENOENT)) {
      try FolderWalk(of: FilePath("\(folder.path)/none"), excluding: [])
    }
    #expect(FolderIdentity(of: FilePath("\(folder.path)/none")) == nil)
    #expect(FolderIdentity(of: FilePath("\(folder.path)/file"))?.isFolder == false)
    #expect(FolderIdentity(of: FilePath(folder.path))?.isFolder == true)
  }
}
