import Glibc
import MediaChannel
import Pipeline
import Preparation
import RichPush
import Synchronization
import TestSupport
import Testing

@Suite("The helper pool")
struct HelperPoolTests {
  @Test(
    "a helper's fault costs the source it worked on and gets its own code",
    arguments: [
      ("crash", Rejection.Code.decoderCrashed, "the decoder was killed by signal 11 (Segmentation fault)"),
      ("exit", .decoderCrashed, "the decoder ended with status 3"),
      ("chatter", .decoderCrashed, "the decoder ended with status 4"),
      ("hang", .decoderTimeout, "the decoder gave no answer within 15 s"),
      ("spin", .decoderTimeout, "the decoder gave no answer within 15 s"),
      ("half", .decoderTimeout, "the decoder gave no answer within 15 s"),
      ("babble", .decoderCrashed, "the decoder sent what is no answer: a message of 555819297 bytes was announced"),
    ])
  func faults(fault: String, code: Rejection.Code, message: String) async throws {
    // Only those that never answer wait for it; it is long enough for a fresh helper on a busy machine.
    let pool = HelperPool(configuration: configuration(deadline: 15))
    defer { pool.close() }
    let reason = await #expect(throws: Rejection.Reason.self) { try await pool.inspect("FAULT \(fault)") }
    #expect(reason?.code == code)
    #expect(reason?.message == message)
    #expect(reason?.stage == .inspect)
    // The next source finds a fresh helper.
    let next = await #expect(throws: Rejection.Reason.self) { try await pool.inspect("") }
    #expect(next?.code == .empty)
    #expect(pool.statistics == .init(started: 2, lost: 1, recycled: 0))
  }

  @Test("a helper that somebody kills may do better the next time")
  func killed() async throws {
    let pool = HelperPool(configuration: configuration(deadline: 60))
    defer { pool.close() }
    let reason = await #expect(throws: Rejection.Reason.self) { try await pool.inspect("FAULT kill") }
    #expect(reason?.code == .decoderCrashed && reason?.permanent == false)
    #expect(reason?.message == "the decoder was killed by signal 9 (Killed), from outside")
  }

  @Test("helpers that are killed while they have nothing to do cost no source anything, and are reported")
  func killedIdle() async throws {
    let reports = Mutex<[HelperPool.Report]>([])
    let (configuration, mark) = configuration(count: 3, marked: 11_111)
    let pool = HelperPool(configuration: configuration) { one in reports.withLock { $0.append(one) } }
    defer { pool.close() }
    #expect(await eventually { processes { $0.arguments.last == mark }.count == 3 })
    for helper in processes(where: { $0.arguments.last == mark }) { kill(helper, SIGKILL) }
    #expect(await eventually { processes { $0.arguments.last == mark } == [] })
    // One after the other, they come to all helpers, or leave the dead ones alone.
    for _ in 0..<9 {
      let reason = await #expect(throws: Rejection.Reason.self) { try await pool.inspect("") }
      #expect(reason?.code == .empty)
    }
    let statistics = pool.statistics
    #expect((1...3).contains(statistics.lost) && statistics.started == 3 + statistics.lost)
    let how = "the decoder was killed by signal 9 (Killed), from outside, while it had nothing to do"
    #expect(reports.withLock(\.self) == Array(repeating: .lostIdle(how), count: statistics.lost))
  }

  @Test("a helper that is killed before it has read its request does not cost the source anything")
  func killedBeforeReading() async throws {
    let (configuration, mark) = configuration(marked: 22_222)
    let pool = HelperPool(configuration: configuration)
    defer { pool.close() }
    #expect(await eventually { processes { $0.arguments.last == mark }.count == 1 })
    let helper = try #require(processes { $0.arguments.last == mark }.first)
    kill(helper, SIGSTOP)
    let source = Task { try await pool.inspect("") }
    // Whichever comes first, the request or the end: neither is the source's doing.
    try await Task.sleep(for: .milliseconds(200))
    kill(helper, SIGKILL)
    let reason = await #expect(throws: Rejection.Reason.self) { try await source.value }
    #expect(reason?.code == .empty)
    #expect(pool.statistics == .init(started: 2, lost: 1, recycled: 0))
  }

  @Test("a helper that is gone while there is no work is noticed, and does not stay a zombie")
  func reapedIdle() async throws {
    var (configuration, mark) = configuration(marked: 33_333)
    configuration.idleLook = 0.05
    let pool = HelperPool(configuration: configuration)
    defer { pool.close() }
    #expect(await eventually { processes { $0.arguments.last == mark }.count == 1 })
    let helper = try #require(processes { $0.arguments.last == mark }.first)
    kill(helper, SIGKILL)
    #expect(await eventually { pool.statistics.lost == 1 })
    #expect(kill(helper, 0) == -1 && errno == ESRCH)
    #expect(pool.statistics == .init(started: 1, lost: 1, recycled: 0))
  }

  @Test("a program that is no helper is not tried twice for a source")
  func noHelper() async throws {
    let pool = HelperPool(configuration: HelperConfiguration(executable: "/bin/false", count: 1))
    defer { pool.close() }
    let reason = await #expect(throws: Rejection.Reason.self) { try await pool.inspect("") }
    #expect(reason?.message == "the decoder ended with status 1" && reason?.permanent == false)
  }

  @Test("a helper that takes more memory than its mark is ended")
  func balloon() async throws {
    var configuration = configuration(deadline: 60)
    configuration.memoryMark = 300 << 20
    let pool = HelperPool(configuration: configuration)
    defer { pool.close() }
    let reason = await #expect(throws: Rejection.Reason.self) { try await pool.inspect("FAULT balloon") }
    #expect(reason?.code == .decoderMemory)
    #expect(try #require(reason?.measured) >= Double(300 << 20))
    #expect(reason?.permanent == false)
  }

  @Test("one bad source among many costs only itself")
  func others() async throws {
    let pool = HelperPool(configuration: configuration(count: 2, deadline: 60))
    defer { pool.close() }
    let codes = await withTaskGroup(of: (Int, Rejection.Code?).self) { group in
      for index in 0..<40 {
        group.addTask {
          do {
            _ = try await pool.inspect(index == 13 ? "FAULT crash" : "")
            return (index, nil)
          } catch {
            return (index, (error as? Rejection.Reason)?.code)
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for index in 0..<40 {
      #expect(codes[index] == (index == 13 ? .decoderCrashed : .empty))
    }
  }

  @Test("a lost helper is reported with its last words")
  func report() async throws {
    let reports = Mutex<[HelperPool.Report]>([])
    let pool = HelperPool(configuration: configuration(deadline: 60)) { one in reports.withLock { $0.append(one) } }
    // What it said about another source is not for this one.
    _ = try? await pool.inspect("FAULT mutter")
    let reason = await #expect(throws: Rejection.Reason.self) { try await pool.inspect("FAULT crash") }
    pool.close()
    #expect(pool.statistics.started == 2)
    #expect(reports.withLock(\.self) == [.lost(try #require(reason), lastWords: "out of luck\n")])
  }

  @Test(
    "a crash stays one, but a helper that exits may find what it lacked", arguments: [("crash", true), ("exit", false)])
  func permanence(fault: String, isPermanent: Bool) async throws {
    let pool = HelperPool(configuration: configuration(deadline: 60))
    defer { pool.close() }
    let reason = await #expect(throws: Rejection.Reason.self) { try await pool.inspect("FAULT \(fault)") }
    #expect(reason?.permanent == isPermanent)
  }

  @Test("helpers are recycled after their number of answers")
  func recycling() async throws {
    var configuration = configuration(deadline: 60)
    configuration.recycleAfter = 3
    let pool = HelperPool(configuration: configuration)
    for _ in 0..<7 { _ = try? await pool.inspect("") }
    pool.close()
    #expect(pool.statistics == .init(started: 3, lost: 0, recycled: 2))
  }

  @Test("closing lets go of those who wait, and leaves no process")
  func closing() async throws {
    var configuration = configuration(deadline: 1)
    // Helpers are started with their mark, so this one tells those of this test.
    configuration.memoryMark += 54_321
    let mark = "\(configuration.memoryMark)"
    let pool = HelperPool(configuration: configuration)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { _ = try? await pool.inspect("FAULT hang") } }
      group.addTask { pool.close() }
    }
    await #expect(throws: CancellationError.self) { try await pool.inspect("") }
    #expect(processes { $0.arguments.last == mark } == [])
  }

  @Test(
    "a task that is cancelled does not wait for its decoder, and the next finds a fresh one", .timeLimit(.minutes(2)))
  func cancelled() async throws {
    var configuration = configuration(deadline: 3600)
    configuration.memoryMark += 12_345
    let mark = "\(configuration.memoryMark)"
    let pool = HelperPool(configuration: configuration)
    defer { pool.close() }
    let working = Task { try await pool.inspect("FAULT hang") }
    #expect(await eventually { processes { $0.arguments.last == mark }.count == 1 })
    let waiting = Task { try await pool.inspect("FAULT hang") }
    for task in [waiting, working] {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let reason = await #expect(throws: Rejection.Reason.self) { try await pool.inspect("") }
    #expect(reason?.code == .empty)
    #expect(pool.statistics.lost == 0)
  }

  @Test("can be closed again, and while it closes", .timeLimit(.minutes(2)))
  func closingTwice() async {
    let pool = HelperPool(configuration: configuration(count: 2, deadline: 60))
    await withTaskGroup(of: Void.self) { group in
      for isAborting in [false, true, false] { group.addTask { pool.close(aborting: isAborting) } }
    }
    pool.close()
    await #expect(throws: CancellationError.self) { try await pool.inspect("") }
  }

  @Test("a helper that is not there is named")
  func missing() async throws {
    let reports = Mutex<[HelperPool.Report]>([])
    let pool = HelperPool(configuration: HelperConfiguration(executable: "/nowhere/enclosure-media", count: 1)) { one in
      reports.withLock { $0.append(one) }
    }
    defer { pool.close() }
    let reason = await #expect(throws: Rejection.Reason.self) { try await pool.inspect("") }
    let message = "the media helper /nowhere/enclosure-media cannot be started"
    #expect(reason?.message == message)
    #expect(reports.withLock(\.first) == .cannotStart("\(message): No such file or directory"))
    #expect(reason?.permanent == false)
  }
}

private func configuration(count: Int = 1, deadline: Double) -> HelperConfiguration {
  var configuration = HelperConfiguration(executable: builtProduct("FaultyMedia"), count: count)
  configuration.inspectDeadline = deadline
  return configuration
}

/// Helpers are started with their mark, so one of its own tells those of a test from all others.
private func configuration(count: Int = 1, marked offset: Int) -> (HelperConfiguration, mark: String) {
  var configuration = configuration(count: count, deadline: 60)
  configuration.memoryMark += offset
  return (configuration, "\(configuration.memoryMark)")
}

extension HelperPool {
  fileprivate func inspect(_ text: String) async throws -> HelperReply.Outcome {
    var template = Array("/tmp/enclosure-test-XXXXXX".utf8CString)
    let file = OpenFile(adopting: mkstemp(&template))
    unlink(template)
    let bytes = Array(text.utf8)
    try #require(write(file.descriptor, bytes, bytes.count) == bytes.count)
    return try await perform(.inspect(InspectRequest(enoughSeconds: 31, enoughFrames: 100)), files: [file])
  }
}
