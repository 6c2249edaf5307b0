import Glibc
import MediaChannel
import RichPush
import TestSupport
import Testing

@testable import Pipeline

@Suite struct FileAccessTests {
  let folder: TemporaryFolder
  let access: FileAccess

  init() throws {
    folder = try TemporaryFolder()
    for name in ["in/a.jpg", "in/deep/b.jpg", "out/secret.jpg"] { try folder.write([1], to: name) }
    symlink("../out/secret.jpg", folder.path + "/in/escape.jpg")
    symlink("../out", folder.path + "/in/folder")
    symlink("deep/b.jpg", folder.path + "/in/inner.jpg")
    symlink("in", folder.path + "/link")
    access = .below([try AllowedFolder(FilePath(folder.path + "/in"))])
  }

  @Test(
    "files below the folder are read, also through links that stay there",
    arguments: [
      "/in/a.jpg", "/in/deep/b.jpg", "/in/inner.jpg", "/in/./a.jpg", "/in//a.jpg",
    ])
  func reads(name: String) throws {
    #expect(try access.open(FilePath(folder.path + name)).descriptor >= 0)
  }

  @Test(
    "nothing else is, whether it is there or not",
    arguments: [
      "/out/secret.jpg", "/out/missing.jpg", "/in/escape.jpg", "/in/folder/secret.jpg", "/in/../out/secret.jpg",
      "/in/deep/../../out/secret.jpg", "/link/a.jpg", "/inside/a.jpg",
    ])
  func blocks(name: String) {
    #expect(throws: (Rejection.Reason).self) { try access.open(FilePath(folder.path + name)) }
    #expect(reason(name)?.code == .blockedAddress)
  }

  @Test("a folder that is named by a link may be meant by it")
  func followsItsOwnName() throws {
    let access = FileAccess.below([try AllowedFolder(FilePath(folder.path + "/link"))])
    #expect(try access.open(FilePath(folder.path + "/link/a.jpg")).descriptor >= 0)
    #expect(try access.open(FilePath(folder.path + "/in/a.jpg")).descriptor >= 0)
  }

  @Test("without a folder no file is read")
  func needsFolder() {
    do {
      _ = try FileAccess.below([]).open(FilePath(folder.path + "/in/a.jpg"))
      Issue.record("it was opened")
    } catch {
      #expect(error.code == .unsupportedScheme && error.permanent)
    }
  }

  @Test("a file that is missing in an allowed folder is said to be")
  func missing() {
    #expect(reason("/in/missing.jpg")?.code == .fetchFailed)
  }

  private func reason(_ name: String) -> Rejection.Reason? {
    do {
      _ = try access.open(FilePath(folder.path + name))
      return nil
    } catch {
      return error
    }
  }
}

@Suite struct JobReadingTests {
  @Test(
    "a file URL names a file",
    arguments: [
      ("file:///srv/a%20b.jpg", "/srv/a b.jpg"), ("file:/srv/a.jpg", "/srv/a.jpg"),
      ("FILE://localhost/srv/%C3%A4.jpg", "/srv/ä.jpg"), ("file:///srv/50%25.jpg", "/srv/50%.jpg"),
    ])
  func readsFileURL(url: String, path: String) throws {
    #expect(try sourceLocation(of: url, field: "x") == .file(FilePath(path)))
  }

  @Test(
    "what is no file URL is refused",
    arguments: [
      "file:a.jpg", "file://a.jpg", "file://server/share/a.jpg", "file:///a?b", "file:///a#b", "file:///a%zz",
      "file:///a%00", "file:", "file://", "file:///a%4",
    ])
  func refusesFileURL(url: String) {
    #expect(throws: JobDocument.Fault.self) { try sourceLocation(of: url, field: "sources[0]") }
  }

  @Test(
    "what is no JSON is said to be",
    arguments: ["", "{", "[1, 2", "{\"id\": }", "\u{FEFF}", "nonsense", "{}{}", #"{"id":"a","id":"b"}"#])
  func refusesNoJSON(text: String) {
    do {
      _ = try JobDocument(json: Array(text.utf8))
      Issue.record("it was accepted")
    } catch {
      #expect(error.field == nil && error.message.hasPrefix("the job is not JSON"), "\(error.message)")
    }
  }

  @Test("too large a document is not read at all, nor one in another encoding")
  func refusesBytes() {
    #expect(throws: JobDocument.Fault(nil, "has 262145 bytes; at most 262144 are read")) {
      try JobDocument(json: Array(repeating: 0x20, count: 262_145))
    }
    #expect(throws: JobDocument.Fault(nil, "is not in UTF-8")) { try JobDocument(json: [0x7B, 0xFF, 0x7D]) }
  }
}
