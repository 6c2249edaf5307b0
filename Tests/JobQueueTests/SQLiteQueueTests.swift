import JobQueue
import TestSupport
import Testing

@Suite struct SQLiteQueueTests {
  @Test("a SQLite queue does what every queue does", arguments: JobQueueConformance.allCases)
  func conforms(rule: JobQueueConformance) async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/jobs.sqlite"
    let queue = try await SQLiteQueue(path: path)
    try await rule.check(QueueUnderTest(queue: queue, openAgain: { try await SQLiteQueue(path: path) }))
    await queue.close()
  }
}
