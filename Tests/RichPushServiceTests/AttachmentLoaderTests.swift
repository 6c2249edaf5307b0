import Foundation
import RichPush
import TestSupport
import Testing

@testable import RichPushService

@Suite("An extension's loader")
struct AttachmentLoaderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("downloads the file under the right extension")
  func attachment() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(200, ["Content-Type: text/plain"], body: picture) }
    let loaded = try #require(await load(medium(origin.url("/p"), bytes: picture.count)))
    #expect(loaded.form == .attachment && loaded.type == .jpeg && loaded.file.lastPathComponent == "media.jpg")
    #expect(try Data(contentsOf: loaded.file) == Data(picture))
  }

  @Test("checks the hash that the URL names", arguments: [true, false])
  func hash(isRight: Bool) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: picture) }
    var digest = SHA256Digest()
    digest.update(isRight ? picture : picture.reversed())
    let loaded = await load(medium(origin.url("/assets/ab/\(digest.hex).jpg?signature=1.png")))
    #expect(loaded?.form == (isRight ? .attachment : .placeholder))
  }

  @Test(
    "does not attach what is not the file",
    arguments: [
      (404, picture, picture.count), (500, picture, picture.count), (200, Array("<html>not here</html>".utf8), nil),
      (200, picture, picture.count + 1), (200, [], nil), (204, [], nil),
    ])
  func refuses(status: Int, body: [UInt8], bytes: Int?) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(status, body: body) }
    #expect(await load(medium(origin.url("/p.jpg"), bytes: bytes))?.form == .placeholder)
    #expect(folder.files().count == 1)
  }

  @Test("does not attach a file that was cut off")
  func cut() async throws {
    let origin = try FaultyOrigin { _ in
      FaultyOrigin.response(body: picture, length: picture.count + 1000) + [.close]
    }
    #expect(await load(medium(origin.url("/p.jpg")))?.form == .placeholder)
  }

  @Test("stops at the byte budget, whether the size was announced or not")
  func budget() async throws {
    let origin = try FaultyOrigin { request in
      request.target == "/announced"
        ? FaultyOrigin.response(body: picture)
        : [.send(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8)), .repeatedly(picture)]
    }
    let limits = LoadingLimits(seconds: 60, bytes: 1000)
    #expect(await load(medium(origin.url("/announced")), limits)?.form == .placeholder)
    #expect(await load(medium(origin.url("/endless")), limits)?.form == .placeholder)
    // What is known to be too large is not asked for.
    #expect(await load(medium(origin.url("/known"), bytes: 1001), limits)?.form == .placeholder)
    #expect(!origin.requests.contains { $0.target == "/known" })
  }

  @Test("shows the placeholder where neither video nor poster comes in time")
  func comesTooLate() async throws {
    var video = medium("https://example.com/v.mp4", type: .mpeg4)
    video.poster = "https://example.com/poster.jpg"
    let loader = AttachmentLoader(
      limits: LoadingLimits(seconds: 1), downloader: StallingDownloader(), folder: URL(fileURLWithPath: folder.path))
    let loaded = try #require(await loader.load(PayloadContent(media: [video])).first)
    #expect(loaded.form == .placeholder && loaded.file.lastPathComponent == "media.png")
    #expect(AttachmentType.png.matches(start: try Data(contentsOf: loaded.file)))
  }

  @Test(
    "keeps time for a poster, at most half of what is left",
    arguments: [
      (20, 6, 0, 14), (20, 6, 10, 5), (5, 6, 0, 2.5), (5, 0, 0, 5), (20, 6, 30, 0), (-1, 6, 0, 0), (.nan, 6, 0, 0),
      (.infinity, .infinity, 0, 43_200), (1e300, -1, 0, 86_400), (20, .nan, 0, 20),
    ] as [(Double, Double, Double, Double)])
  func posterTime(seconds: Double, posterSeconds: Double, passed: Double, expected: Double) {
    let start = ContinuousClock.now
    let budget = LoadingBudget(LoadingLimits(seconds: seconds, posterSeconds: posterSeconds), from: start)
    #expect(budget.time(hasPoster: true, at: start + .seconds(passed)) == .seconds(expected))
    let all = seconds > 0 ? min(seconds, 86_400) : 0
    #expect(budget.time(hasPoster: false, at: start + .seconds(passed)) == .seconds(max(0, all - passed)))
  }

  @Test(
    "tries the video even where the poster wants more time than there is",
    arguments: [(60, 100), (60, .infinity), (.infinity, .infinity), (1e300, 6), (60, .nan), (60, -5)]
      as [(Double, Double)])
  func shortTime(seconds: Double, posterSeconds: Double) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: [0, 0, 0, 8] + Array("ftypisom".utf8)) }
    var video = medium(origin.url("/v.mp4"), type: .mpeg4)
    video.poster = origin.url("/poster.jpg")
    #expect(await load(video, LoadingLimits(seconds: seconds, posterSeconds: posterSeconds))?.form == .attachment)
  }

  @Test("has the placeholder where there is no time", arguments: [0, -1, .nan, -.infinity] as [Double])
  func noTime(seconds: Double) async throws {
    #expect(await load(medium("https://127.0.0.1/p.jpg"), LoadingLimits(seconds: seconds))?.form == .placeholder)
    let content = PayloadContent(media: [medium("https://127.0.0.1/p.jpg")])
    #expect(await loader(LoadingLimits(bytes: -1)).load(content).map(\.form) == [.placeholder])
    #expect(await loader(LoadingLimits(count: -1)).load(content).isEmpty)
  }

  @Test("counts what came for nothing towards the byte budget")
  func wastedBytes() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: picture) }
    var video = medium(origin.url("/v.mp4"), type: .mpeg4)
    video.poster = origin.url("/poster.jpg")
    // The video is no video, so the poster is next.
    #expect(await load(video, LoadingLimits(seconds: 60, bytes: picture.count * 2))?.form == .poster)
    #expect(await load(video, LoadingLimits(seconds: 60, bytes: picture.count * 2 - 1))?.form == .placeholder)
  }

  @Test("tries the next best where nothing can be made of a file, and removes it")
  func refused() async throws {
    let origin = try FaultyOrigin { request in
      FaultyOrigin.response(body: request.target == "/v.mp4" ? [0, 0, 0, 8] + Array("ftypisom".utf8) : picture)
    }
    var video = medium(origin.url("/v.mp4"), type: .mpeg4)
    video.poster = origin.url("/poster.jpg")
    let content = PayloadContent(media: [video])
    var seen: [LoadedMedia.Form] = []
    let made = await loader(LoadingLimits(seconds: 60)).load(content) { media in
      seen.append(media.form)
      guard media.form == .placeholder else { throw DownloadFailure.wrongType }
      return media.file.lastPathComponent
    }
    #expect(seen == [.attachment, .poster, .placeholder] && made == ["media.png"])
    #expect(folder.files().count == 1)
  }

  @Test("removes what was left long ago, and nothing else")
  func leftovers() async throws {
    let loader = loader(LoadingLimits(count: 1))
    let media = try #require(loader.placeholders(PayloadContent(media: [medium("https://example.com/p.jpg")])).first)
    loader.removeLeftovers()
    #expect(folder.files().count == 1)
    loader.removeLeftovers(olderThan: -60)
    #expect(folder.files().isEmpty && !FileManager.default.fileExists(atPath: media.file.path))
  }

  @Test("ends with the placeholder when it is cancelled")
  func cancelled() async throws {
    let origin = try FaultyOrigin { _ in [.stall] }
    let medium = medium(origin.url("/p.jpg"))
    let task = Task { await load(medium, LoadingLimits(seconds: 600)) }
    #expect(await origin.reaches { $0.requests.count == 1 })
    task.cancel()
    #expect(await task.value?.form == .placeholder)
  }

  @Test("ends when it was cancelled before it began, however often")
  func cancelledBefore() async throws {
    let origin = try FaultyOrigin { _ in [.stall] }
    let request = DownloadRequest(url: origin.url("/p.jpg"), type: .jpeg, maximumBytes: 1000)
    let folder = folder.path
    let tasks = (0..<300).map { number in
      Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await URLSessionDownloader().download(request, to: URL(fileURLWithPath: "\(folder)/\(number)"))
      }
    }
    for task in tasks {
      await #expect(throws: (any Error).self) { try await task.value }
    }
  }

  @Test("has nothing where nothing is left")
  func nothing() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(404) }
    var bare = medium(origin.url("/p.jpg"))
    bare.thumbHash = nil
    #expect(await load(bare) == nil)
    bare.url = "not a URL at all \u{1}"
    #expect(await load(bare) == nil)
    #expect(folder.files() == [])
  }

  @Test("attaches as many as asked for, within one budget")
  func several() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(body: picture) }
    let content = PayloadContent(media: (1...4).map { medium(origin.url("/\($0).jpg")) })
    let limits = LoadingLimits(seconds: 60, bytes: picture.count * 2 + 10, count: 3)
    #expect(await loader(limits).load(content).map(\.form) == [.attachment, .attachment, .placeholder])
    #expect(loader(limits).placeholders(content).map(\.form) == [.placeholder, .placeholder, .placeholder])
  }

  @Test("is told by a notification's user info, or a manifest")
  func contents() throws {
    let content = PayloadContent(media: [medium("https://example.com/p.jpg", bytes: 5)])
    let payload = try Payload(notification: .object(["aps": .object([:])]), content: content)
    let userInfo = try #require(
      try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any])
    #expect(PayloadContent(userInfo: userInfo) == content)
    #expect(PayloadContent(userInfo: ["enclosure": 5]) == nil && PayloadContent(userInfo: [:]) == nil)
    let manifest = Manifest(
      id: "a", preparedAt: "2026-11-30T02:00:00Z",
      attachments: [
        Attachment(
          identifier: "media-1",
          asset: Asset(
            type: .jpeg, location: "p.jpg", url: "https://example.com/p.jpg", bytes: 5, sha256: "", width: 1, height: 1,
            frames: 1), options: AttachmentOptions(), placeholder: Placeholder(thumbHash: hashText), steps: [],
          source: SourceDescription(url: "a", format: "jpeg", bytes: 5, sha256: ""))
      ], rejections: [], warnings: [])
    #expect(try PayloadContent(manifest: JSONEncoder().encode(manifest)) == content)
  }

  private func load(
    _ medium: PayloadMedia, _ limits: LoadingLimits = LoadingLimits(seconds: 60)
  ) async -> LoadedMedia? {
    await loader(limits).load(PayloadContent(media: [medium])).first
  }

  private func loader(_ limits: LoadingLimits) -> AttachmentLoader {
    AttachmentLoader(limits: limits, folder: URL(fileURLWithPath: folder.path))
  }
}

/// Gets nothing until it is cancelled.
private struct StallingDownloader: MediaDownloader {
  func download(_ request: DownloadRequest, to file: URL) async throws {
    try await Task.sleep(for: .seconds(3600))
  }
}

/// Something that begins like a JPEG.
private let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

private let hashText = "HwgODZqAh4eBh4d4eHh4eI9wCPh3"

private func medium(_ url: String, type: AttachmentType = .jpeg, bytes: Int? = nil) -> PayloadMedia {
  PayloadMedia(identifier: "media-1", url: url, type: type, bytes: bytes, thumbHash: hashText)
}
