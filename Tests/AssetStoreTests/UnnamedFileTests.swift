import AssetStore
import Glibc
import Testing

@Suite struct UnnamedFileTests {
  @Test("a temporary file has no name at any moment, so that nobody who is killed leaves one")
  func hasNoName() throws {
    // A file system that knows such files, wherever this runs.
    let file = try openUnnamedFile(in: Array("/dev/shm".utf8))
    defer { close(file) }
    var link = [CChar](repeating: 0, count: 1_024)
    try #require(readlink("/proc/self/fd/\(file)", &link, link.count - 1) > 0)
    let name = String(decoding: link.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    #expect(name.hasPrefix("/dev/shm/#"), "\(name)")
    #expect(write(file, "ab", 2) == 2)
  }

  @Test("a folder that is not there is told")
  func missesFolder() {
    let failure = #expect(throws: CallFailure.self) { try openUnnamedFile(in: Array("/nowhere".utf8)) }
    #expect(failure?.code == ENOENT)
  }
}
