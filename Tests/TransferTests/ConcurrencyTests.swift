import RichPush
import TestSupport
import Testing
import Transfer

struct ConcurrencyTests {
  @Test("two hundred downloads run at once")
  func manyAtOnce() async throws {
    // Each answer waits until all requests are there, so fewer at a time would never end.
    let origin = try FaultyOrigin { request in
      FaultyOrigin.response(length: 2000) + [
        .send(jpeg(1000)), .wait(seconds: 0.3), .send(Array(jpeg(2000).dropFirst(1000))),
      ]
    }
    let downloader = QuickDownloader { $0.concurrentTransfersPerHost = 200 }
    let sizes = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask { try await downloader.fetch(origin.url("/\(number)")).bytes == jpeg(2000) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sizes.count == 200 && sizes.allSatisfy { $0 })
    #expect(Set(origin.requests.map(\.target)).count == 200)
    #expect(origin.mostConnections > 8)
  }

  @Test("no more than allowed go to one host at the same time, and all get their turn")
  func perHost() async throws {
    let origin = try FaultyOrigin { _ in [.wait(seconds: 0.01)] + FaultyOrigin.response(body: jpeg(100)) }
    let downloader = QuickDownloader { $0.concurrentTransfersPerHost = 4 }
    try await withThrowingTaskGroup { group in
      for number in 0..<60 { group.addTask { _ = try await downloader.fetch(origin.url("/\(number)")) } }
      try await group.waitForAll()
    }
    #expect(origin.requests.count == 60)
    #expect(origin.mostConnections <= 4)
  }

  @Test("slow transfers leave their host's places to others that wait")
  func slowAside() async throws {
    let origin = try FaultyOrigin { request in
      request.target == "/slow" ? [.stall] : FaultyOrigin.response(body: jpeg(100))
    }
    let downloader = QuickDownloader {
      $0.concurrentTransfersPerHost = 2
      $0.slowAfter = 0.1
    }
    let slow = (0..<2).map { _ in Task { try await downloader.refusal(origin.url("/slow")) } }
    #expect(await origin.reaches { $0.requests.count == 2 })
    for _ in 0..<3 { #expect(try await downloader.fetch(origin.url("/quick")).bytes == jpeg(100)) }
    #expect(origin.openConnections >= 3)
    for task in slow { task.cancel() }
    for task in slow { _ = try await task.value }
  }

  @Test("waiting for a place does not count as time of the transfer")
  func waiting() async throws {
    let origin = try FaultyOrigin { _ in [.wait(seconds: 0.3)] + FaultyOrigin.response(body: jpeg(100)) }
    let downloader = QuickDownloader { $0.concurrentTransfers = 1 }
    var limits = oneAttempt
    limits.totalTimeout = 5
    // Twenty of them take six seconds.
    try await withThrowingTaskGroup { [limits] group in
      for _ in 0..<20 { group.addTask { _ = try await downloader.fetch(origin.url(), limits: limits) } }
      try await group.waitForAll()
    }
    #expect(origin.requests.count == 20)
  }

  @Test("cancelling ends the transfer", arguments: ["before the answer", "in the body"])
  func cancel(moment: String) async throws {
    let origin = try FaultyOrigin { _ in
      moment == "in the body" ? FaultyOrigin.response(length: 1000) + [.send(jpeg(100)), .stall] : [.stall]
    }
    let downloader = QuickDownloader()
    let task = Task { try await downloader.refusal(origin.url()) }
    #expect(await origin.reaches { $0.requests.count == 1 })
    task.cancel()
    let reason = try await task.value
    #expect(reason.code == .fetchFailed && !reason.permanent)
    #expect(reason.message == "the download was cancelled")
    #expect(await origin.reaches { $0.openConnections == 0 })
    #expect(origin.requests.count == 1)
  }

  @Test("a download that is cancelled while it waits for its place never starts")
  func cancelWaiting() async throws {
    let origin = try FaultyOrigin { request in
      request.target == "/slow" ? [.stall] : FaultyOrigin.response(body: jpeg(100))
    }
    let downloader = QuickDownloader { $0.concurrentTransfers = 1 }
    let slow = Task { try await downloader.refusal(origin.url("/slow")) }
    #expect(await origin.reaches { $0.requests.count == 1 })
    let waiting = Task { try await downloader.refusal(origin.url("/waiting")) }
    waiting.cancel()
    #expect(try await waiting.value.message == "the download was cancelled")
    slow.cancel()
    _ = try await slow.value
    _ = try await downloader.fetch(origin.url("/next"))
    #expect(origin.requests.map(\.target) == ["/slow", "/next"])
  }

  @Test("cancelling at any moment neither hangs nor loses a place")
  func cancelStorm() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: jpeg(20_000)) }
    let downloader = QuickDownloader { $0.concurrentTransfersPerHost = 4 }
    await withTaskGroup { group in
      for number in 0..<300 {
        let task = Task { try? await downloader.fetch(origin.url("/\(number)")) }
        group.addTask {
          if number % 3 == 0 { await Task.yield() }
          if number % 2 == 0 { task.cancel() }
          let fetched = await task.value
          #expect(number % 2 == 0 || fetched?.bytes.count == 20_000)
        }
      }
    }
    #expect(try await downloader.fetch(origin.url("/last")).bytes.count == 20_000)
  }

  @Test("cancelling cuts the pause between attempts short")
  func cancelPause() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(503) }
    let downloader = QuickDownloader {
      $0.pause = { _ in try await Task.sleep(for: .seconds(3600)) }
    }
    let task = Task { try await downloader.refusal(origin.url()) }
    #expect(await origin.reaches { $0.requests.count == 1 })
    task.cancel()
    #expect(try await task.value.message == "the download was cancelled")
  }

  @Test("shutting down ends what runs and what waits, and refuses what comes later")
  func shutdown() async throws {
    let origin = try FaultyOrigin { _ in [.stall] }
    let downloader = QuickDownloader { $0.concurrentTransfers = 2 }
    let tasks = (0..<5).map { number in Task { try await downloader.refusal(origin.url("/\(number)")) } }
    #expect(await origin.reaches { $0.requests.count == 2 })
    downloader.downloader.shutdown()
    for task in tasks { #expect(try await task.value.code == .fetchFailed) }
    #expect(try await downloader.refusal(origin.url("/late")).code == .fetchFailed)
    #expect(await origin.reaches { $0.openConnections == 0 })
  }

  @Test("a downloader that is let go closes its connections")
  func release() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: jpeg(100)) }
    do {
      let downloader = QuickDownloader()
      _ = try await downloader.fetch(origin.url())
      #expect(origin.openConnections == 1)
    }
    #expect(await origin.reaches { $0.openConnections == 0 })
  }
}
