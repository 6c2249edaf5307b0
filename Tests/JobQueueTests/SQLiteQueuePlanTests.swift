import SQLite
import TestSupport
import Testing

@testable import JobQueue

/// What each call costs must not grow with the number of jobs, but for counting.
@Suite struct SQLiteQueuePlanTests {
  @Test("adding, leasing and ending a job takes as many steps among many jobs as among few")
  func costsTheSame() async throws {
    let few = try await cost(amongJobs: 20)
    let many = try await cost(amongJobs: 20_000)
    #expect(many < few * 3, "\(few) pages for few jobs, \(many) for many")
  }

  /// How many pages of the database were looked at for one job's life.
  private func cost(amongJobs count: Int) async throws -> Int {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/jobs.sqlite"
    await (try await SQLiteQueue(path: path)).close()
    let database = try Database(path: path)
    let table = JobTable(database: database, options: QueueOptions())
    var time = QueueTime(wall: 1_700_000_000, steady: 1_000)
    try database.begin()
    // Some of each kind.
    for number in 0..<count { _ = try table.add(NewJob(id: "\(number)", body: [1, 2, 3]), at: time) }
    for lease in try table.lease(count / 2, seconds: 3_600, at: time) {
      switch lease.token % 4 {
      case 0: _ = try table.complete(lease, result: [], at: time)
      case 1: _ = try table.retry(lease, after: 1_000, reason: "later", at: time)
      case 2: _ = try table.bury(lease, reason: "no", at: time)
      default: break
      }
    }
    try database.commit()

    time.wall += 1
    let before = database.pagesRead
    _ = try table.add(NewJob(id: "one more", body: []), at: time)
    for end in 0..<5 {
      _ = try table.hasDue(at: time)
      _ = try table.secondsUntilDue(at: time)
      try table.wake(at: time)
      let lease = try #require(try table.lease(1, seconds: 10, at: time).first)
      _ = try table.extend(lease, seconds: 10, at: time)
      switch end {
      case 0: _ = try table.retry(lease, after: 0, reason: "again", at: time)
      case 1: _ = try table.release(lease, after: 0, at: time)
      case 2: _ = try table.bury(lease, reason: "no", at: time)
      case 3: _ = try table.revive(lease.id, at: time)
      default: _ = try table.complete(lease, result: [], at: time)
      }
      _ = try table.state(of: lease.id, at: time)
    }
    return database.pagesRead - before
  }
}
