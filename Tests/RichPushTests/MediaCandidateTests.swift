import Testing

@testable import RichPush

@Suite("What an app tries to attach")
struct MediaCandidateTests {
  private let video = PayloadMedia(
    identifier: "media-1", url: "https://a/\(hash).mp4", type: .mpeg4, bytes: 2_000_000, poster: "https://a/p.jpg",
    thumbHash: "HwgODZqAh4eBh4d4eHh4eI9wCPh3")

  @Test("is the file, then the poster, then the placeholder")
  func order() throws {
    let placeholder = try #require(ThumbHash(base64: "HwgODZqAh4eBh4d4eHh4eI9wCPh3"))
    let poster = DownloadRequest(url: "https://a/p.jpg", type: .jpeg, maximumBytes: 5_000_000)
    #expect(
      video.candidates(within: 5_000_000) == [
        .attachment(
          DownloadRequest(
            url: video.url, type: .mpeg4, maximumBytes: 5_000_000, expectedBytes: 2_000_000, sha256: hash)),
        .poster(poster), .placeholder(placeholder),
      ])
  }

  @Test("is nothing that is known to be too large", arguments: [(2_000_000, 3), (1_999_999, 2), (0, 1)])
  func budget(bytes: Int, count: Int) {
    #expect(video.candidates(within: bytes).count == count)
  }

  @Test("is never more than iOS takes")
  func systemLimit() {
    let sound = PayloadMedia(identifier: "a", url: "https://a/b.mp3", type: .mp3)
    guard case .attachment(let request) = sound.candidates(within: .max).first else {
      Issue.record("no file is tried")
      return
    }
    #expect(request.maximumBytes == 5_000_000 && request.expectedBytes == nil && request.sha256 == nil)
    let large = PayloadMedia(identifier: "a", url: "https://a/b.mp3", type: .mp3, bytes: 5_000_001)
    #expect(large.candidates(within: .max) == [])
  }

  @Test(
    "is known by its first bytes",
    arguments: [
      (AttachmentType.jpeg, "\u{0}"), (.png, "GIF89a......"), (.gif, "GIF88a......"), (.mpeg4, "....moov...."),
      (.mpeg4Audio, "RIFF....WAVE"), (.mp3, "<html><body>"), (.wav, "RIFF....AVI "), (.aiff, "FORM....ILBM"),
    ])
  func refuses(type: AttachmentType, start: String) {
    #expect(!type.matches(start: start.utf8) && !type.matches(start: []))
  }

  @Test(
    "has many beginnings",
    arguments: [
      (AttachmentType.jpeg, [0xFF, 0xD8, 0xFF, 0xE1]), (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      (.gif, Array("GIF87a".utf8)), (.mpeg4, Array("\u{0}\u{0}\u{0} ftypisom".utf8)),
      (.mpeg4Audio, Array("\u{0}\u{0}\u{0} ftypM4A ".utf8)), (.mp3, Array("ID3".utf8)), (.mp3, [0xFF, 0xFB]),
      (.wav, Array("RIFF....WAVE".utf8)), (.aiff, Array("FORM....AIFC".utf8)),
    ])
  func takes(type: AttachmentType, start: [UInt8]) {
    #expect(type.matches(start: start))
  }
}
