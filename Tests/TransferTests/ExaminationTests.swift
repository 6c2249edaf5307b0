import RichPush
import Synchronization
import TestSupport
import Testing
import Transfer

private let tooLong = Rejection.Reason(.videoTooLong, at: .plan, "too long")

struct ExaminationTests {
  @Test("the examiner gets the part that it asks for, and its verdict ends the download")
  func farPart() async throws {
    let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: movie(5_000_000)) }
    let account = TransferAccount()
    let reason = try await QuickDownloader().refusal(
      origin.url("/a"),
      examine: { body throws(Rejection.Reason) in
        #expect(body.totalBytes == 5_000_000 && body.canFetchRanges)
        if body.available == [0..<65_536] { return .needs(4_900_000..<4_900_008) }
        #expect(body.available == [0..<65_536, 4_900_000..<4_916_384])
        throw tooLong
      }, account: account)
    #expect(reason == tooLong)
    #expect(origin.requests.map { $0["range"] } == ["bytes=0-65535", "bytes=4900000-4916383"])
    #expect(account.cost.bytesFetched == 81_920 && account.cost.requests == 2 && account.cost.attempts == 1)
  }

  @Test("who has seen enough gets the rest, and nothing twice where that matters")
  func enough() async throws {
    let body = movie(3_000_000)
    let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: body) }
    let fetched = try await QuickDownloader().fetch(
      origin.url("/a"),
      examine: { body in body.available.count == 1 ? .needs(2_000_000..<2_500_000) : .enough })
    #expect(fetched.bytes == body)
    #expect(fetched.download.sha256 == nil, "its parts did not come in order")
    #expect(
      origin.requests.map { $0["range"] } == [
        "bytes=0-65535", "bytes=2000000-2499999", "bytes=65536-1999999", "bytes=2500000-2999999",
      ])
    #expect(fetched.download.bytesFetched == 3_000_000)
  }

  @Test("who wants to read on gets twice as much each time, then the stream, and has the last word in it")
  func readingOn() async throws {
    let body = movie(100_000_000)
    let origin = try FaultyOrigin { request in
      guard request["range"] == "bytes=1048576-99999999" else { return FaultyOrigin.ranged(request, body: body) }
      return FaultyOrigin.response(
        206, ["ETag: \"v1\"", "Content-Range: bytes 1048576-99999999/100000000"], length: 98_951_424)
        + [.send(movie(2_000_000)), .stall]
    }
    let sizes = Sizes()
    let reason = try await QuickDownloader().refusal(
      origin.url("/a"),
      examine: { body throws(Rejection.Reason) in
        let end = body.available.first?.upperBound ?? 0
        sizes.append(end)
        if end > 2_097_152 { throw tooLong }
        return .needs(end..<end + 1)
      })
    #expect(reason == tooLong)
    #expect(sizes.all.prefix(5) == [65_536, 131_072, 262_144, 524_288, 1_048_576])
    #expect(await origin.reaches { $0.openConnections == 0 })
  }

  @Test("a server that ignores ranges is watched, and stopped by the verdict")
  func stream() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(length: 100_000_000) + [.send(movie(200_000)), .stall]
    }
    let reason = try await QuickDownloader().refusal(
      origin.url("/a"),
      examine: { body throws(Rejection.Reason) in
        #expect(!body.canFetchRanges && body.totalBytes == 100_000_000)
        if body.available.first?.upperBound ?? 0 >= 150_000 { throw tooLong }
        return .needs(150_000..<160_000)
      })
    #expect(reason == tooLong)
    #expect(origin.requests.count == 1)
    #expect(await origin.reaches { $0.openConnections == 0 })
  }

  @Test("of a video that is too large, the examiner's reason is given before its size")
  func tooLarge() async throws {
    let origin = try FaultyOrigin { request in
      request.target == "/parts"
        ? FaultyOrigin.ranged(request, body: movie(1_000_000))
        : FaultyOrigin.response(body: movie(1_000_000))
    }
    for target in ["/parts", "/stream"] {
      let url = origin.url(target)
      let downloader = QuickDownloader()
      let byExaminer = try await downloader.refusal(
        url, limit: { _ in 500_000 }, examine: { _ throws(Rejection.Reason) in throw tooLong })
      #expect(byExaminer == tooLong)
      let bySize = try await downloader.refusal(url, limit: { _ in 500_000 }, examine: { _ in .enough })
      #expect(bySize.code == .tooLarge && bySize.measured == 1_000_000)
    }
    #expect(origin.bytesSent < 4_500_000)
  }

  @Test("what lies farther than any file reaches is not asked for, nor added up", arguments: [Int.max - 1, 1 << 60])
  func absurdlyFar(end: Int) async throws {
    let body = movie(100_000)
    let origin = try FaultyOrigin { request in
      request["range"] == "bytes=0-65535"
        ? FaultyOrigin.response(
          206, ["ETag: \"v1\"", "Content-Range: bytes 0-65535/*"], body: Array(body.prefix(65_536)))
        : FaultyOrigin.response(body: body)
    }
    let fetched = try await QuickDownloader().fetch(
      origin.url("/a"), examine: { body in body.totalBytes == nil ? .needs(end - 8..<end) : .enough })
    #expect(fetched.bytes == body)
    #expect(origin.requests.map { $0["range"] } == ["bytes=0-65535", "bytes=65536-"])
  }

  @Test("a video of more bytes than any disk holds is too large, without a look")
  func absurdlyLarge() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(
        206, ["ETag: \"v1\"", "Content-Range: bytes 0-65535/900000000000000000"], body: movie(65_536))
    }
    let reason = try await QuickDownloader().refusal(
      origin.url("/a"), limit: { _ in 500_000 },
      examine: { _ in .needs(800_000_000_000_000_000..<900_000_000_000_000_000) })
    #expect(reason.code == .tooLarge && reason.measured == 9e17)
    #expect(origin.requests.count == 1)
  }

  @Test("nobody looks at pictures")
  func pictures() async throws {
    let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: jpeg(100_000)) }
    let fetched = try await QuickDownloader().fetch(
      origin.url("/a"), examine: { _ throws(Rejection.Reason) in throw tooLong })
    #expect(fetched.bytes == jpeg(100_000))
  }

  @Test("who never has enough gets sixteen parts, and then the rest")
  func insatiable() async throws {
    let body = movie(4_000_000)
    let origin = try FaultyOrigin { FaultyOrigin.ranged($0, body: body) }
    let fetched = try await QuickDownloader().fetch(
      origin.url("/a"),
      examine: { body in
        let last = body.available.last?.lowerBound ?? 0
        return .needs((last == 0 ? 3_900_000 : last - 200_000)..<(last == 0 ? 3_900_001 : last - 199_999))
      })
    #expect(fetched.bytes == body)
    #expect(origin.requests.count <= 40)
  }

  @Test("a part that breaks off is asked for again, and the examiner goes on where it was")
  func brokenPart() async throws {
    let body = movie(3_000_000)
    let origin = try FaultyOrigin { request in
      request.attempt == 2
        ? FaultyOrigin.brokenPart(2_900_000..<3_000_000, of: 3_000_000, sending: Array(body[2_900_000..<2_950_000]))
        : FaultyOrigin.ranged(request, body: body)
    }
    let fetched = try await QuickDownloader().fetch(
      origin.url("/a"),
      examine: { body in body.available.count == 1 ? .needs(2_900_000..<3_000_000) : .enough })
    #expect(fetched.bytes == body)
    #expect(fetched.download.attempts == 2)
  }
}

private final class Sizes: Sendable {
  private let sizes = Mutex<[Int]>([])

  func append(_ size: Int) { sizes.withLock { $0.append(size) } }
  var all: [Int] { sizes.withLock { $0 } }
}
