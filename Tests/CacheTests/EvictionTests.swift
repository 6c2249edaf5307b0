import Cache
import Glibc
import TestSupport
import Testing
import Transfer

@Suite struct EvictionTests {
  let bench: CacheBench

  init() throws {
    bench = try CacheBench()
  }

  /// The size of all bodies on the disk.
  private var bytesOnDisk: Int {
    bench.folder.files(below: "cache/bodies").reduce(0) { $0 + (bench.folder.content($1)?.count ?? 0) }
  }

  @Test("the cache stays below its limit, and drops what was not used for the longest time")
  func leastRecentlyUsed() async throws {
    let cache = await bench.open(maximumBytes: 1_000_000)
    for number in 0..<100 {
      bench.clock.advance(100)
      #expect(try await bench.store(bytes(50_000, seed: number), for: key("\(number)"), in: cache))
      await cache.keep(["n": number], as: .facts, of: "\(number)", version: "1")
      // The first is used all the time.
      #expect(content(await cache.response(to: key("0"))) != nil)
      #expect(await cache.document(.facts, of: "0", version: "1", as: [String: Int].self) != nil)
      #expect(try #require(await cache.totalBytes()) <= 1_000_000)
      #expect(bytesOnDisk <= 1_000_000)
    }
    #expect(content(await cache.response(to: key("99"))) != nil)
    #expect(content(await cache.response(to: key("1"))) == nil)
    #expect(await cache.document(.facts, of: "1", version: "1", as: [String: Int].self) == nil)
    // It is used well, too.
    #expect(bytesOnDisk > 700_000)
    #expect(bench.warnings.list == [])
  }

  @Test("documents alone cannot outgrow the limit either")
  func documents() async throws {
    let cache = await bench.open(maximumBytes: 100_000)
    let text = String(repeating: "x", count: 1000)
    for number in 0..<300 {
      await cache.keep([text], as: .prepared, of: "\(number)", version: "1")
    }
    #expect(try #require(await cache.totalBytes()) <= 100_000)
    #expect(await cache.document(.prepared, of: "299", version: "1", as: [String].self) != nil)
  }

  @Test("a body that is dropped while it is in use can be read to its end")
  func inUse() async throws {
    let cache = await bench.open(maximumBytes: 200_000)
    let body = bytes(90_000, seed: 1)
    try await bench.store(body, for: key("a"), in: cache)
    let held = try #require(await cache.response(to: key("a")))
    for number in 2..<10 {
      bench.clock.advance(100)
      try await bench.store(bytes(90_000, seed: number), for: key("\(number)"), in: cache)
    }
    #expect(content(await cache.response(to: key("a"))) == nil)
    #expect(content(held) == body)
  }

  @Test("a body of more than half the limit is not kept, and drives nothing out")
  func tooLarge() async throws {
    let cache = await bench.open(maximumBytes: 100_000)
    try await bench.store(bytes(10_000, seed: 1), for: key("a"), in: cache)
    #expect(try await !bench.store(bytes(60_000, seed: 2), for: key("b"), in: cache))
    #expect(content(await cache.response(to: key("a"))) != nil)
  }

  @Test("a cache that is opened with a lower limit shrinks")
  func lowerLimit() async throws {
    let cache = await bench.open(maximumBytes: 1_000_000)
    for number in 0..<15 {
      bench.clock.advance(1)
      try await bench.store(bytes(50_000, seed: number), for: key("\(number)"), in: cache)
    }
    let smaller = await bench.open(maximumBytes: 300_000)
    #expect(try #require(await smaller.totalBytes()) <= 300_000)
    #expect(bytesOnDisk <= 300_000)
    #expect(content(await smaller.response(to: key("14"))) != nil)
    #expect(content(await cache.response(to: key("0"))) == nil)
  }

  @Test("many tasks in two caches on one folder agree")
  func shared() async throws {
    let caches = [await bench.open(maximumBytes: 3_000_000), await bench.open(maximumBytes: 3_000_000)]
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask { [bench] in
          for round in 0..<30 {
            let number = (task * 7 + round * 3) % 40
            let body = bytes(20_000 + number, seed: number)
            let cache = caches[(task + round) % 2]
            if let found = content(await cache.response(to: key("\(number)"))) {
              #expect(found == body)
            } else {
              try await bench.store(body, for: key("\(number)"), in: cache)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(bench.warnings.list == [])
    let totals = [await caches[0].totalBytes(), await caches[1].totalBytes()]
    #expect(totals[0] != nil && totals[0] == totals[1])
  }
}
