import Glibc
import Pipeline
import RichPush
import Testing

@testable import EnclosureCommand

@Suite("a source on the command line") struct SourceTests {
  @Test(
    "with :// it is a URL, everything else is a file",
    arguments: [
      ("https://example.com/a.jpg", true), ("HTTP://x", true), ("ftp://x", true), ("://", true), ("a.jpg", false),
      ("/a/b.jpg", false), ("c:/a.jpg", false), ("file:/a.jpg", false), ("a:b", false), ("", false), ("-", false),
    ])
  func isURL(word: String, isURL: Bool) {
    #expect(sourceLocation(Array(word.utf8)) == (isURL ? .url(word) : .file(FilePath(word))))
  }

  @Test("a name that is no UTF-8 is a file")
  func bytes() {
    let name: [UInt8] = [0xFF] + Array("://x".utf8)
    #expect(sourceLocation(name) == .file(FilePath(bytes: name)))
  }

  @Test("errors of a batch say which folder it is and what helps")
  func describesErrors() {
    let folder = FilePath("some/folder")
    #expect(
      describe(Batch.Failure.folderUnreadable(folder, FileFailure(errno: EACCES)))
        == "the folder some/folder cannot be read: Permission denied")
    let full = describe(Batch.Failure.indexUnwritable(folder, FileFailure(errno: ENOSPC)))
    #expect(full.contains("some/folder") && full.contains("No space left") && full.contains("free some"))
    let reason = Rejection.Reason(.storeFailed, at: .store, "the store is gone")
    #expect(describe(Batch.Failure.store(reason)) == "the store is gone" && describe(reason) == "the store is gone")
  }
}
