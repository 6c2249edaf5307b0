import Glibc
import SQLite

/// What the thread does: answering calls, handing out jobs, and waiting.
extension QueueThread {
  /// How long to wait without looking, in seconds, in case the system does not tell that another process has written.
  private static let longestPause = 1.0
  /// The same where it never tells.
  private static let blindPause = 0.05

  /// When completed jobs were last looked through for those to be forgotten.
  struct Tidying {
    var lastTime = 0.0
    var writesSince = 0
    var isUnfinished = false
  }

  func serve(_ calls: [QueueCall], in file: QueueFile) {
    var writes: [QueueCall.Write] = []
    var reads: [QueueCall.Read] = []
    for call in calls {
      switch call {
      case .write(let write): writes.append(write)
      case .read(let read): reads.append(read)
      case .lease(let lease): waiting.append(lease)
      }
    }
    change(file, writes)
    for read in reads {
      do throws(QueueFailure) {
        try file.read { (table) throws(DatabaseFailure) in try read.perform(table, clock.now()) }()
      } catch {
        read.fail(error)
      }
    }
    endWaiting()
  }

  /// Does what is to be written, and hands out jobs to those who wait, in one transaction.
  private func change(_ file: QueueFile, _ writes: [QueueCall.Write]) {
    do throws(QueueFailure) {
      let wanted = waiting.contains { !$0.cancellation.isSet }
      if writes.isEmpty {
        // Most of what other processes write is no job that is due.
        guard wanted else { return }
        guard try file.read({ (table) throws(DatabaseFailure) in try table.hasDue(at: clock.now()) }) else { return }
      }
      let outcome = try file.transaction(isSynced: writes.contains(where: \.isSynced)) {
        (table) throws(DatabaseFailure) in
        // Read here, since waiting for another process's transaction takes time.
        let time = clock.now()
        var answers: [@Sendable () -> Void] = []
        for write in writes { answers.append(try write.perform(table, time)) }
        return (answers, wanted ? try handOut(table, time) : [])
      }
      let (answers, given) = outcome
      for answer in answers { answer() }
      for (index, leases) in given.reversed() { waiting.remove(at: index).answer(.success(leases)) }
      tidying.writesSince += writes.count
    } catch {
      for write in writes { write.fail(error) }
      for lease in waiting { lease.answer(.failure(error)) }
      waiting = []
    }
  }

  /// Leases to those who wait, first come, first served.
  /// - Returns: what each got, by the index in `waiting`.
  private func handOut(_ table: JobTable, _ time: QueueTime) throws(DatabaseFailure) -> [(Int, [Lease])] {
    guard try table.hasDue(at: time) else { return [] }
    try table.wake(at: time)
    var given: [(Int, [Lease])] = []
    for (index, wait) in waiting.enumerated() where !wait.cancellation.isSet {
      let leases = try table.lease(wait.count, seconds: wait.seconds, at: time)
      guard !leases.isEmpty else { break }
      given.append((index, leases))
    }
    return given
  }

  /// Sends those away who have waited long enough.
  private func endWaiting() {
    guard !waiting.isEmpty else { return }
    let now = clock.now().steady
    waiting.removeAll { wait in
      guard wait.end <= now || wait.cancellation.isSet else { return false }
      wait.answer(.success([]))
      return true
    }
  }

  /// Forgets completed jobs, now and then, a slice at a time.
  func tidy(_ file: QueueFile) {
    let time = clock.now()
    let isLate = tidying.writesSince > 0 && time.steady - tidying.lastTime > 60
    guard tidying.isUnfinished || isLate || tidying.writesSince >= min(1_000, options.rememberedCount / 10 + 1) else {
      return
    }
    // Where it fails, somebody's call does too, and says so.
    let forgotten = try? file.transaction(isSynced: false) { (table) throws(DatabaseFailure) in
      try table.forgetCompleted(at: time)
    }
    tidying = Tidying(lastTime: time.steady, isUnfinished: forgotten ?? 0 >= JobTable.slice)
  }

  /// Waits until there is something to do.
  func pause(_ file: QueueFile) {
    var events = [pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)]
    var seconds = Double.infinity
    if !waiting.isEmpty {
      seconds = Self.blindPause
      if let changes = file.changesDescriptor {
        events.append(pollfd(fd: changes, events: Int16(POLLIN), revents: 0))
        seconds = Self.longestPause
      }
      let time = clock.now()
      let untilDue = try? file.read { (table) throws(DatabaseFailure) in try table.secondsUntilDue(at: time) }
      seconds = min(seconds, untilDue.flatMap(\.self) ?? .infinity)
      for wait in waiting { seconds = min(seconds, max(0, wait.end - time.steady)) }
    }
    if tidying.isUnfinished { seconds = 0 }
    poll(&events, nfds_t(events.count), seconds.isFinite ? Int32((seconds * 1000).rounded(.up)) : -1)
    if events.count > 1, events[1].revents != 0 { file.drainChanges() }
  }
}
