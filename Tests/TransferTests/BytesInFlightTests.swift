import TestSupport
import Testing

@testable import Transfer

struct BytesInFlightTests {
  @Test("there is room up to the capacity, and what is let go makes room again")
  func room() {
    let pool = BytesInFlight(capacity: 100)
    let oldest = pool.hold()
    do {
      let hold = pool.hold()
      #expect(hold.take(60) && hold.take(40) && !hold.take(1))
      hold.empty()
      #expect(pool.held == 0 && hold.take(100))
    }
    #expect(pool.held == 0)
    #expect(oldest.take(1))
  }

  @Test("the oldest that is not done is never refused")
  func oldest() {
    let pool = BytesInFlight(capacity: 100)
    let (first, second) = (pool.hold(), pool.hold())
    #expect(second.take(100) && !second.take(1))
    #expect(first.take(500))
    first.finish()
    #expect(pool.held == 600 && second.take(1))
  }

  @Test("who waits goes on when there is room, and a cancelled one at once")
  func waiting() async {
    let pool = BytesInFlight(capacity: 100)
    let (oldest, second) = (pool.hold(), pool.hold())
    #expect(oldest.take(90))
    let cancelled = Task { await pool.hold().waitForRoom(50) }
    cancelled.cancel()
    await cancelled.value
    let waiting = Task { await second.waitForRoom(50) }
    oldest.empty()
    await waiting.value
  }

  @Test("downloads that do not fit together come all the same, and hold no more than the bound and one body")
  func downloads() async throws {
    let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: jpeg(300_000)) }
    let downloader = QuickDownloader { $0.bytesInFlight = 700_000 }
    try await withThrowingTaskGroup { group in
      for number in 0..<40 {
        group.addTask {
          let fetched = try await downloader.fetch(origin.url("/\(number)\(number % 2 == 0 ? ".jpg" : "")"))
          #expect(fetched.bytes.count == 300_000)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("a single body may be larger than the bound")
  func large() async throws {
    let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: jpeg(300_000)) }
    let downloader = QuickDownloader { $0.bytesInFlight = 1000 }
    for _ in 0..<2 { #expect(try await downloader.fetch(origin.url("/a.jpg")).bytes.count == 300_000) }
  }
}
