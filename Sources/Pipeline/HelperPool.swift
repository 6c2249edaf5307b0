import Dispatch
import Glibc
package import MediaChannel
package import Preparation
import RichPush
import Synchronization

/// The media plane: a fixed number of helper processes and the requests that wait for one.
///
/// A thread belongs to each helper. It takes a request, has it answered, and hands the answer to the task that waits
/// for it; so nothing blocks Swift's cooperative threads. A helper that crashes, hangs or takes too much memory costs
/// the request it worked on, and is replaced before the next.
package final class HelperPool: Sendable {
  /// What became of the helpers so far.
  package struct Statistics: Sendable, Equatable {
    package var started: Int
    /// Ended because they crashed, hung or took too much memory.
    package var lost: Int
    package var recycled: Int

    package init(started: Int = 0, lost: Int = 0, recycled: Int = 0) {
      self.started = started
      self.lost = lost
      self.recycled = recycled
    }
  }

  private struct Job {
    let request: HelperRequest
    let files: [any DescriptorOwner]
    let continuation: CheckedContinuation<Result<HelperReply.Outcome, any Error>, Never>
  }

  private struct State {
    /// Requests that have somebody waiting on the network for their answer, which takes milliseconds: served first.
    var urgent = Line<Job>()
    var waiting = Line<Job>()
    var isClosed = false
    var isAborted = false
    var statistics = Statistics()
  }

  private let configuration: HelperConfiguration
  private let state = Mutex(State())
  private let available = DispatchSemaphore(value: 0)
  private let finished = DispatchSemaphore(value: 0)
  private let report: @Sendable (String) -> Void

  /// Starts the helpers' threads.
  /// - Parameter report: is told about each helper that was lost, in a sentence; called on the helper's thread.
  package init(configuration: HelperConfiguration, report: @escaping @Sendable (String) -> Void = { _ in }) {
    self.configuration = configuration
    self.report = report
    for _ in 0..<configuration.count {
      let thread = Unmanaged.passRetained(self)
      var identifier = pthread_t()
      if pthread_create(&identifier, nil, runHelperThread, thread.toOpaque()) == 0 {
        pthread_detach(identifier)
      } else {
        thread.release()
        finished.signal()
      }
    }
  }

  package var statistics: Statistics {
    state.withLock { $0.statistics }
  }

  /// Has a request answered by the next free helper.
  /// - Throws: `CancellationError` when the pool is closed or the task was cancelled before its turn came, else the
  ///   `Rejection.Reason` of the source.
  package func perform(_ request: HelperRequest, files: [any DescriptorOwner]) async throws -> HelperReply.Outcome {
    try Task.checkCancellation()
    let result = await withCheckedContinuation { continuation in
      let job = Job(request: request, files: files, continuation: continuation)
      let isQueued = state.withLock { state in
        guard !state.isClosed else { return false }
        if case .glance = request { state.urgent.append(job) } else { state.waiting.append(job) }
        return true
      }
      if isQueued {
        available.signal()
      } else {
        continuation.resume(returning: .failure(CancellationError()))
      }
    }
    let outcome = try result.get()
    if case .rejected(let reason) = outcome { throw reason }
    return outcome
  }

  /// Refuses all requests from now on and ends the helpers. Call it once.
  /// - Parameter aborting: whether the requests in work are given up; otherwise they come to their end first.
  package func close(aborting: Bool = false) {
    let abandoned = state.withLock { state in
      state.isClosed = true
      state.isAborted = aborting
      return state.urgent.removeAll() + state.waiting.removeAll()
    }
    for job in abandoned {
      job.continuation.resume(returning: .failure(CancellationError()))
    }
    for _ in 0..<configuration.count { available.signal() }
    for _ in 0..<configuration.count { finished.wait() }
  }

  // MARK: The helper's thread

  fileprivate func run() {
    defer { finished.signal() }
    var helper: Helper? = start()
    while let job = next() {
      if helper == nil { helper = start() }
      guard let running = helper else {
        job.continuation.resume(returning: .success(.rejected(cannotStart(for: job.request))))
        continue
      }
      do throws(Helper.Failure) {
        let reply = try running.exchange(
          job.request, files: job.files, within: deadline(of: job.request), as: HelperReply.self,
          isAborted: { state.withLock(\.isAborted) })
        job.continuation.resume(returning: .success(reply.outcome))
        if running.answers >= configuration.recycleAfter || running.residentBytes >= configuration.recycleMark {
          state.withLock { $0.statistics.recycled += 1 }
          running.end()
          helper = start()
        }
      } catch {
        running.end()
        if case .aborted = error {
          job.continuation.resume(returning: .failure(CancellationError()))
          return
        }
        let reason = reason(of: error, at: job.request)
        let words = running.lastWords
        report("helper lost: \(reason.message)" + (words.isEmpty ? "" : "; its last words: \(words)"))
        state.withLock { $0.statistics.lost += 1 }
        helper = start()
        job.continuation.resume(returning: .success(.rejected(reason)))
      }
    }
    helper?.end()
  }

  private func next() -> Job? {
    available.wait()
    return state.withLock { state in
      guard !state.isClosed else { return nil }
      return state.urgent.popFirst() ?? state.waiting.popFirst()
    }
  }

  private func start() -> Helper? {
    do {
      let helper = try Helper(configuration: configuration)
      state.withLock { $0.statistics.started += 1 }
      return helper
    } catch {
      report("cannot start \(configuration.executable): \(error)")
      return nil
    }
  }

  private func deadline(of request: HelperRequest) -> Double {
    switch request {
    case .glance: configuration.glanceDeadline
    case .inspect, .describe: configuration.inspectDeadline
    case .prepare: configuration.prepareDeadline
    case .verify: configuration.verifyDeadline
    }
  }

  private func reason(of failure: Helper.Failure, at request: HelperRequest) -> Rejection.Reason {
    let stage = stage(of: request)
    switch failure {
    case .aborted, .deadline:
      let seconds = deadline(of: request)
      return Rejection.Reason(
        .decoderTimeout, at: stage, "the decoder gave no answer within \(Int(seconds)) s", limit: seconds)
    case .memory(let bytes):
      return Rejection.Reason(
        .decoderMemory, at: stage,
        "the decoder took \(bytes >> 20) MiB of memory; at most \(configuration.memoryMark >> 20) MiB are allowed",
        limit: Double(configuration.memoryMark), measured: Double(bytes))
    case .ended(let how):
      return Rejection.Reason(.decoderCrashed, at: stage, "the decoder \(how)")
    }
  }

  private func cannotStart(for request: HelperRequest) -> Rejection.Reason {
    Rejection.Reason(
      .decoderCrashed, at: stage(of: request), "the media helper \(configuration.executable) cannot be started",
      permanent: false)
  }

  private func stage(of request: HelperRequest) -> Rejection.Stage {
    switch request {
    case .glance: .fetch
    case .inspect, .describe: .inspect
    case .prepare: .prepare
    case .verify: .verify
    }
  }
}

private func runHelperThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<HelperPool>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
