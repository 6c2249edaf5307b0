import Cache
import Digest
import Foundation
import TestSupport
import Testing
import Transfer

@Suite struct KilledWriterTests {
  @Test("a cache whose writers are killed again and again never has a wrong body, and stays within its limit")
  func survives() async throws {
    let folder = try TemporaryFolder()
    let limit = 1_500_000
    for milliseconds: UInt32 in [0, 1, 3, 10, 30, 60, 90, 120] {
      try await killedWriter(folder.path, limit, after: milliseconds)
      let cache = await DiskCache(path: Array(folder.path.utf8), maximumBytes: limit, warn: { Issue.record("\($0)") })
      var found = 0
      for writer in 0..<4 {
        for number in 0..<40 {
          let key = RequestKey(sha256: sha256(of: "\(writer) \(number)".utf8))
          guard let cached = await cache.response(to: key) else { continue }
          found += 1
          let body = contentOfDescriptor(cached.body.descriptor)
          #expect(body.starts(with: key.sha256.utf8), "the body of another request")
          #expect(sha256(of: body) == cached.response.sha256 && body.count == cached.response.bytes)
          let document = await cache.document(
            .facts, of: cached.response.sha256, version: "1", as: [String: String].self)
          #expect(document == nil || document == ["key": key.sha256])
        }
      }
      #expect(found > 0)
      #expect(try #require(await cache.totalBytes()) <= limit)
      #expect(folder.files(below: "incoming") == [], "what a killed writer left is removed by the next")
    }
    // A day later whatever the index has lost is found.
    let cache = await DiskCache(
      path: Array(folder.path.utf8), maximumBytes: limit, now: { secondsSince1970() + 90_000 },
      warn: { Issue.record("\($0)") })
    let onDisk = folder.files(below: "bodies").reduce(0) { $0 + (folder.content($1)?.count ?? 0) }
    #expect(onDisk <= (try #require(await cache.totalBytes())))
  }

  /// Runs CacheWriter until it has stored something, and kills it a while later.
  private func killedWriter(_ folder: String, _ limit: Int, after milliseconds: UInt32) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let process = Process()
            process.executableURL = URL(filePath: builtProduct("CacheWriter"))
            process.arguments = [folder, "\(limit)"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            _ = try output.fileHandleForReading.read(upToCount: 1)
            usleep(milliseconds * 1000)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
          })
      }
    }
  }
}
