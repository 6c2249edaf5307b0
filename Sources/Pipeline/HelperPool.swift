import Dispatch
import Glibc
package import MediaChannel
package import Preparation
package import RichPush
import Synchronization

/// The media plane: a fixed number of helper processes and the requests that wait for one.
///
/// A thread belongs to each helper. It takes a request, has it answered, and hands the answer to the task that waits
/// for it; so nothing blocks Swift's cooperative threads. A helper that crashes, hangs or takes too much memory costs
/// the request it worked on, and is replaced before the next. One that ended while it had nothing to do costs nobody
/// anything.
package final class HelperPool: Sendable {
  /// What became of the helpers so far.
  package struct Statistics: Sendable, Equatable {
    package var started: Int
    /// Ended because they crashed, hung, took too much memory or were killed.
    package var lost: Int
    package var recycled: Int

    package init(started: Int = 0, lost: Int = 0, recycled: Int = 0) {
      self.started = started
      self.lost = lost
      self.recycled = recycled
    }
  }

  /// What those who run this should know about a helper.
  package enum Report: Sendable, Equatable {
    /// It cost a source this reason. What it wrote before may hold anything.
    case lost(Rejection.Reason, lastWords: String)
    /// It ended while it had nothing to do, and cost nobody anything; a sentence that says how.
    case lostIdle(String)
    /// None could be started; a sentence that says why.
    case cannotStart(String)
  }

  private struct State {
    var waiting = RequestQueue()
    var isClosed = false
    var isAborted = false
    var statistics = Statistics()
    var startFault: String?
    /// Requests that helpers work on, and how many of them are long.
    var running = 0
    var long = 0
  }

  private let configuration: HelperConfiguration
  private let state = Mutex(State())
  private let available = DispatchSemaphore(value: 0)
  private let threads = DispatchGroup()
  private let report: @Sendable (Report) -> Void

  /// Starts the helpers' threads.
  /// - Parameter report: is told about each helper that was lost; called on the helper's thread.
  package init(configuration: HelperConfiguration, report: @escaping @Sendable (Report) -> Void = { _ in }) {
    self.configuration = configuration
    self.report = report
    for _ in 0..<configuration.processes {
      let thread = Unmanaged.passRetained(self)
      var identifier = pthread_t()
      threads.enter()
      if pthread_create(&identifier, nil, runHelperThread, thread.toOpaque()) == 0 {
        pthread_detach(identifier)
      } else {
        thread.release()
        threads.leave()
      }
    }
  }

  package var statistics: Statistics {
    state.withLock { $0.statistics }
  }

  /// How many helpers there are.
  package var processes: Int { configuration.processes }

  /// Why the last helper that should have been started was not; nil when it was.
  package var startFault: String? {
    state.withLock { $0.startFault }
  }

  /// How many requests wait for a helper.
  package var backlog: Int {
    state.withLock { $0.waiting.count }
  }

  /// Has a request answered by the next free helper. A task that is cancelled waits no longer; the helper that works for
  /// it is ended.
  /// - Throws: `CancellationError` when the pool is closed or the task was cancelled, else the `Rejection.Reason` of the
  ///   source.
  package func perform(_ request: HelperRequest, files: [any DescriptorOwner]) async throws -> HelperReply.Outcome {
    let pending = PendingRequest(request, files: files)
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard pending.wait(with: continuation) else { return }
        if enqueue(pending) {
          available.signal()
        } else {
          pending.cancel()
        }
      }
    } onCancel: {
      pending.cancel()
    }
    let outcome = try answer.get()
    if case .rejected(let reason) = outcome { throw reason }
    return outcome
  }

  /// Refuses all requests from now on, ends the helpers and waits until they have ended.
  /// - Parameter aborting: whether the requests in work are given up; otherwise they come to their end first.
  package func close(aborting: Bool = false) {
    var abandoned = state.withLock { state in
      state.isClosed = true
      state.isAborted = state.isAborted || aborting
      defer { state.waiting = RequestQueue() }
      return state.waiting
    }
    while let pending = abandoned.popFirst() { pending.cancel() }
    for _ in 0..<configuration.processes { available.signal() }
    threads.wait()
  }

  private func enqueue(_ pending: PendingRequest) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting.append(pending)
      return true
    }
  }

  // MARK: The helper's thread

  fileprivate func run() {
    defer { threads.leave() }
    var helper: Helper? = start()
    while let pending = next(meanwhile: { helper = seen(helper) }) {
      defer { ended(pending) }
      guard !pending.isOver else { continue }
      helper = serve(pending, by: seen(helper))
    }
    helper?.end()
  }

  /// Has a request answered.
  /// - Parameters:
  ///   - helper: nil when one has to be started.
  ///   - isRepeated: whether a helper was lost over it that had not begun with it.
  /// - Returns: the helper for the next request; nil when one has to be started for that.
  private func serve(_ pending: PendingRequest, by helper: Helper?, isRepeated: Bool = false) -> Helper? {
    guard let helper = helper ?? start() else {
      pending.finish(.success(.rejected(cannotStart(for: pending.request))))
      return nil
    }
    do throws(Helper.Failure) {
      let reply = try helper.exchange(
        pending.request, files: pending.files, within: deadline(of: pending.request), as: HelperReply.self,
        isAborted: { pending.isOver || state.withLock(\.isAborted) })
      pending.finish(.success(reply.outcome))
      guard helper.answers >= configuration.recycleAfter || helper.residentBytes >= configuration.recycleMark else {
        return helper
      }
      state.withLock { $0.statistics.recycled += 1 }
      helper.end()
      return start()
    } catch {
      helper.end()
      if case .aborted = error {
        pending.cancel()
        return nil
      }
      if case .endedIdle(let ending) = error, !isRepeated {
        lostIdle(ending)
        return serve(pending, by: nil, isRepeated: true)
      }
      let reason = reason(of: error, at: pending.request)
      report(.lost(reason, lastWords: helper.lastWords))
      state.withLock { $0.statistics.lost += 1 }
      let next = start()
      pending.finish(.success(.rejected(reason)))
      return next
    }
  }

  /// - Returns: the helper, if it still waits for a request.
  private func seen(_ helper: Helper?) -> Helper? {
    guard let ending = helper?.idleEnding() else { return helper }
    lostIdle(ending)
    return nil
  }

  private func lostIdle(_ ending: Helper.Ending) {
    state.withLock { $0.statistics.lost += 1 }
    report(.lostIdle("the decoder \(ending.text), while it had nothing to do"))
  }

  /// Waits for a request that may run; nil when the pool is closed.
  /// - Parameter look: is called now and then while there is none.
  private func next(meanwhile look: () -> Void) -> PendingRequest? {
    while true {
      guard available.wait(timeout: .now() + configuration.idleLook) == .success else {
        look()
        continue
      }
      let (pending, isClosed, maySignal) = state.withLock { state -> (PendingRequest?, Bool, Bool) in
        guard !state.isClosed else { return (nil, true, false) }
        let width = configuration.count + (configuration.hasExpressHelper && state.long > 0 ? 1 : 0)
        guard state.running < width else { return (nil, false, false) }
        let pending = state.waiting.popFirst(longToo: state.running < configuration.count)
        if let pending {
          state.running += 1
          if isLong(pending.request) { state.long += 1 }
        }
        return (pending, false, configuration.hasExpressHelper && pending != nil && state.waiting.count > 0)
      }
      // This one may have made room for another.
      if maySignal { available.signal() }
      if isClosed { return nil }
      if let pending { return pending }
    }
  }

  /// Makes room for those that had to wait though there was a helper.
  private func ended(_ pending: PendingRequest) {
    let maySignal = state.withLock { state in
      state.running -= 1
      if isLong(pending.request) { state.long -= 1 }
      return configuration.hasExpressHelper && state.waiting.count > 0
    }
    if maySignal { available.signal() }
  }

  private func start() -> Helper? {
    do throws(MessageSocket.Failure) {
      let helper = try Helper(configuration: configuration)
      state.withLock { state in
        state.statistics.started += 1
        state.startFault = nil
      }
      return helper
    } catch {
      let why = if case .system(let code) = error { String(cString: strerror(code)) } else { "\(error)" }
      let fault = "the media helper \(configuration.executable) cannot be started: \(why)"
      state.withLock { $0.startFault = fault }
      report(.cannotStart(fault))
      return nil
    }
  }

  private func deadline(of request: HelperRequest) -> Double {
    switch request {
    case .glance: configuration.glanceDeadline
    case .inspect, .describe: configuration.inspectDeadline
    case .prepare(let request):
      request.recipe.encodesPictures ? configuration.encodeDeadline : configuration.prepareDeadline
    case .poster: configuration.prepareDeadline
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
    case .senseless(let what):
      return Rejection.Reason(.decoderCrashed, at: stage, "the decoder sent what is no answer: \(what)")
    case .ended(let ending):
      // Decoders crash, they do not exit. This is what becomes of a program that lacks a library or a permission, and
      // when that is mended the source may be fine.
      let isCrash = if case .crashed = ending { true } else { false }
      return Rejection.Reason(.decoderCrashed, at: stage, "the decoder \(ending.text)", permanent: isCrash)
    case .endedIdle(let ending):
      return Rejection.Reason(
        .decoderCrashed, at: stage, "the decoder \(ending.text), before it began", permanent: false)
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
    case .prepare, .poster: .prepare
    case .verify: .verify
    }
  }
}

private func runHelperThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<HelperPool>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
