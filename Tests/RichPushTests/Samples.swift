import RichPush

/// A manifest in which everything that can be there is there.
let maximalManifest = Manifest(
  id: "order-1234", preparedAt: "2026-11-30T02:00:00Z",
  attachments: [
    Attachment(
      identifier: "media-1",
      asset: Asset(
        type: .gif, location: location(of: .gif), url: "https://cdn.example.com/\(location(of: .gif))", bytes: 128_495,
        sha256: hash, width: 1024, height: 768, frames: 12, duration: 1.25),
      options: AttachmentOptions(
        thumbnailHidden: true, thumbnailTime: 1.2,
        thumbnailClippingRect: ClippingRect(x: 0.25, y: 0.125, width: 0.5, height: 0.75)), poster: poster,
      placeholder: Placeholder(thumbHash: "HwgODZqAh4eBh4d4eHh4eI9wCPh3"), steps: ["decoded webp", "encoded gif"],
      source: SourceDescription(
        url: "https://example.com/p/1", finalURL: "https://example.com/p/2", declaredType: "image/png", format: "webp",
        bytes: 2_381_044, bytesFetched: 2_381_044, sha256: hash, width: 4032, height: 3024, duration: 1.25))
  ],
  rejections: [
    Rejection(
      source: "https://example.com/p/3",
      reason: Rejection.Reason(
        .videoTooLong, at: .plan, "the video lasts 41.2 s; at most 30 s can be attached", limit: 30, measured: 41.2))
  ],
  warnings: [
    Warning(source: "https://example.com/p/1", code: .typeMismatch, message: "served as image/png, contains WebP")
  ],
  payload: .object([
    "aps": .object(["mutable-content": .integer(1), "alert": .string("hi")]),
    "all": .array([.null, .bool(true), .number(0.5), .integer(.max), .string("é"), .object([:])]),
  ]))

/// A manifest with one of everything, and nothing that can be left out.
let minimalManifest = Manifest(
  id: "a", preparedAt: "2026-11-30T02:00:00Z",
  attachments: [
    Attachment(
      identifier: "media-1", asset: Asset(type: .mp3, location: location(of: .mp3), bytes: 1, sha256: hash),
      options: AttachmentOptions(), steps: [],
      source: SourceDescription(url: "file.mp3", format: "mp3", bytes: 1, sha256: hash))
  ],
  rejections: [Rejection(source: "empty", reason: Rejection.Reason(.empty, at: .fetch, "the file is empty"))],
  warnings: [Warning(source: "file.mp3", code: .reduced, message: "only the first picture is shown")])

/// A still. Its duration is null in every one, so nothing can be said for it here.
let poster = Asset(
  type: .jpeg, location: location(of: .jpeg), url: "https://cdn.example.com/\(location(of: .jpeg))", bytes: 31_244,
  sha256: hash, width: 1024, height: 768, frames: 1)

let hash = String(repeating: "0123456789abcdef", count: 4)

func location(of type: AttachmentType) -> String {
  "assets/01/\(hash).\(type.fileExtension)"
}
