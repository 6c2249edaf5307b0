import Glibc
import SQLite

/// A queue in a SQLite file, for any number of processes on one machine.
///
/// What has been added, and how a job ended, is on the disk when the call returns; calls made at the same time share a
/// transaction, so that the disk is waited for once for all of them. Leases survive the end of any process, and are void
/// after a restart of the machine, as their workers are.
package final class SQLiteQueue: JobQueue {
  private let thread: QueueThread
  private let path: String

  /// Opens the queue, and creates what is missing.
  /// - Parameter path: absolute, or relative to the current folder.
  package convenience init(path: String, options: QueueOptions = QueueOptions()) async throws(QueueFailure) {
    try await self.init(path: path, options: options, clock: .system)
  }

  init(path: String, options: QueueOptions, clock: QueueClock) async throws(QueueFailure) {
    thread = try await QueueThread.start(path: path, options: options, clock: clock)
    self.path = path
  }

  deinit {
    thread.stop {}
  }

  package func enqueue(_ job: NewJob) async throws(QueueFailure) -> Enqueued {
    try job.check()
    return try await thread.write(makesDue: true) { (table, time) throws(DatabaseFailure) in
      .success(try table.add(job, at: time))
    }
  }

  package func lease(_ count: Int, seconds: Double, wait: Double) async throws(QueueFailure) -> [Lease] {
    guard count > 0 else { return [] }
    return try await thread.lease(count, seconds: bounded(seconds), wait: bounded(wait))
  }

  package func extend(_ leases: [Lease], seconds: Double) async throws(QueueFailure) -> [Lease] {
    guard !leases.isEmpty else { return [] }
    return try await thread.write(isSynced: false) { (table, time) throws(DatabaseFailure) in
      var lost: [Lease] = []
      for lease in leases where try !table.extend(lease, seconds: bounded(seconds), at: time) { lost.append(lease) }
      return .success(lost)
    }
  }

  package func complete(_ lease: Lease, result: [UInt8]) async throws(QueueFailure) {
    try await end(lease) { (table, time) throws(DatabaseFailure) in
      try table.complete(lease, result: result, at: time)
    }
  }

  package func retry(_ lease: Lease, after seconds: Double, reason: String) async throws(QueueFailure) {
    try await end(lease, makesDue: true) { (table, time) throws(DatabaseFailure) in
      try table.retry(lease, after: bounded(seconds), reason: reason, at: time)
    }
  }

  package func release(_ lease: Lease, after seconds: Double) async throws(QueueFailure) {
    try await end(lease, makesDue: true) { (table, time) throws(DatabaseFailure) in
      try table.release(lease, after: bounded(seconds), at: time)
    }
  }

  package func bury(_ lease: Lease, reason: String) async throws(QueueFailure) {
    try await end(lease) { (table, time) throws(DatabaseFailure) in
      try table.bury(lease, reason: reason, at: time)
    }
  }

  /// - Parameter change: ends it, and says whether it was still held.
  private func end(
    _ lease: Lease, makesDue: Bool = false,
    _ change: @escaping @Sendable (JobTable, QueueTime) throws(DatabaseFailure) -> Bool
  ) async throws(QueueFailure) {
    try await thread.write(makesDue: makesDue) { (table, time) throws(DatabaseFailure) in
      try change(table, time) ? .success(()) : .failure(.leaseLost(id: lease.id))
    }
  }

  package func check() async throws(QueueFailure) {
    try await thread.write(isSynced: false) { [path] (table, _) throws(DatabaseFailure) in
      // What is written here goes into room that the file has already.
      try table.touch()
      return hasRoom(at: path) ? .success(()) : .failure(.unavailable("the disk of the queue \(path) is full"))
    }
  }

  package func status() async throws(QueueFailure) -> QueueStatus {
    try await thread.read { (table, time) throws(DatabaseFailure) in try table.status(at: time) }
  }

  package func state(of id: String) async throws(QueueFailure) -> JobState? {
    try await thread.read { (table, time) throws(DatabaseFailure) in try table.state(of: id, at: time) }
  }

  package func dead(limit: Int) async throws(QueueFailure) -> [DeadLetter] {
    try await thread.read { (table, _) throws(DatabaseFailure) in try table.dead(limit: limit) }
  }

  package func revive(_ ids: [String]?) async throws(QueueFailure) -> Int {
    guard let ids else {
      return try await inSlices { (table, time, start) throws(DatabaseFailure) in
        try table.reviveAll(buriedBy: start, at: time)
      }
    }
    return try await thread.write(makesDue: true) { (table, time) throws(DatabaseFailure) in
      var count = 0
      for id in ids { count += try table.revive(id, at: time) }
      return .success(count)
    }
  }

  package func purge(_ what: Purge) async throws(QueueFailure) -> Int {
    try await inSlices { (table, _, start) throws(DatabaseFailure) in try table.purge(what, addedBy: start) }
  }

  /// Changes many jobs without keeping all others waiting until the last one is done.
  /// - Parameter change: is also given the time of the call, by the wall clock. It has to leave alone what has come to
  ///   be since: others that are quick might never let this end.
  private func inSlices(
    _ change: @escaping @Sendable (JobTable, QueueTime, Double) throws(DatabaseFailure) -> Int
  ) async throws(QueueFailure) -> Int {
    let start = try await thread.read { (_, time) throws(DatabaseFailure) in time.wall }
    var total = 0
    while true {
      let count = try await thread.write(makesDue: true) { (table, time) throws(DatabaseFailure) in
        .success(try change(table, time, start))
      }
      guard count > 0 else { return total }
      total += count
    }
  }

  package func close() async {
    await withCheckedContinuation { continuation in
      thread.stop { continuation.resume() }
    }
  }
}

/// Whether the disk has room for the largest job.
private func hasRoom(at path: String) -> Bool {
  var disk = statvfs()
  guard statvfs(path, &disk) == 0 else { return true }
  let (bytes, isMore) = UInt(disk.f_bavail).multipliedReportingOverflow(by: UInt(disk.f_frsize))
  return isMore || bytes >= UInt(NewJob.maximumBodyBytes)
}

/// A time span that can be calculated with: from none to some thirty years.
private func bounded(_ seconds: Double) -> Double {
  seconds.isNaN ? 0 : min(max(seconds, 0), 1e9)
}
