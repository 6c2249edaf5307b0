import JobQueue

/// Which lease is meant: a job may be leased again while an earlier lease is still around.
struct LeaseKey: Hashable {
  let id: String
  let token: UInt64

  init(_ lease: Lease) {
    id = lease.id
    token = lease.token
  }

  /// Ids are bytes: what is canonically equivalent is another job.
  func isSameJob(as lease: Lease) -> Bool { id.utf8.elementsEqual(lease.id.utf8) }
}

struct HeldLease {
  let lease: Lease
  /// Until then nobody else can have the job.
  var validUntil: ContinuousClock.Instant
  var task: Task<Void, Never>?
  var isLost = false
  /// Whether the queue is being told how it ended: then the answer to that counts.
  var isConcluding = false
}

extension Worker {
  /// Prolongs all leases again and again, until the task is cancelled.
  func keepLeases() async {
    var pause = configuration.leaseSeconds / 3
    while (try? await Task.sleep(for: .seconds(pause))) != nil {
      // A failure took its time, and what is left of the leases is short.
      let worked = await extend(held.values.filter { !$0.isLost }.map(\.lease))
      pause = worked ? configuration.leaseSeconds / 3 : configuration.leaseSeconds / 30
    }
  }

  /// Makes sure that a lease holds for some time to come.
  /// - Returns: false when it was lost.
  func holds(_ key: LeaseKey) async -> Bool {
    var pause = 0.1
    while let lease = held[key], !lease.isLost {
      if lease.validUntil > clock.now.advanced(by: .seconds(configuration.leaseSeconds / 5)) { return true }
      if await extend([lease.lease]) { continue }
      try? await Task.sleep(for: .seconds(pause))
      pause = min(pause * 2, 2)
    }
    return false
  }

  /// Tells the queue how a job ended, and goes on trying as long as the job is this worker's.
  /// - Returns: whether the queue knows now.
  func tell(_ key: LeaseKey, _ operation: () async throws(QueueFailure) -> Void) async -> Bool {
    held[key]?.isConcluding = true
    var pause = 0.1
    while held[key]?.isLost == false {
      do throws(QueueFailure) {
        try await operation()
        works(.queue)
        return true
      } catch {
        switch error {
        case .leaseLost:
          held[key]?.isConcluding = false
          lose(key)
          return false
        case .closed: return false
        case .refused, .unavailable, .unusable: failed(.queue, error.message)
        }
      }
      try? await Task.sleep(for: .seconds(pause))
      pause = min(pause * 2, 2)
    }
    return false
  }

  /// Somebody else may have the job: whatever is being done for it is given up.
  func lose(_ key: LeaseKey) {
    guard let lease = held[key], !lease.isLost, !lease.isConcluding else { return }
    held[key]?.isLost = true
    lease.task?.cancel()
    report(.leaseLost(id: key.id))
  }

  /// - Returns: whether the queue was there.
  @discardableResult
  private func extend(_ leases: [Lease]) async -> Bool {
    guard !leases.isEmpty else { return true }
    let start = clock.now
    do throws(QueueFailure) {
      let lost = Set(try await queue.extend(leases, seconds: configuration.leaseSeconds).map(LeaseKey.init))
      let end = start.advanced(by: .seconds(configuration.leaseSeconds))
      for key in leases.map(LeaseKey.init) {
        if lost.contains(key) {
          lose(key)
        } else if let known = held[key]?.validUntil {
          held[key]?.validUntil = max(known, end)
        }
      }
      // That ends no outage: where several servers have to agree, a single one may still take this.
      return true
    } catch {
      failed(.queue, error.message)
      return false
    }
  }
}
