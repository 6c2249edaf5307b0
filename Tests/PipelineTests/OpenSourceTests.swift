import Glibc
import TestSupport
import Testing

@testable import Pipeline

struct OpenSourceTests {
  @Test("a file can be opened whatever its time of modification is", arguments: [10_413_792_000, -12_000_000_000])
  func farTimes(seconds: Int) async throws {
    let folder = try TemporaryFolder()
    try folder.write([1, 2, 3], to: "a")
    let path = "\(folder.path)/a"
    // Which of these the file system can keep is its own affair.
    let times = [timespec(tv_sec: seconds, tv_nsec: 999_999_999), timespec(tv_sec: seconds, tv_nsec: 999_999_999)]
    #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    let source = try await OpenSource(path: FilePath(path))
    #expect(source.state.bytes == 3)
    try source.requireUnchanged()
  }
}
