import RichPush

@testable import Report

private let messageCategory = NotificationCategory(
  identifier: "message",
  actions: [
    NotificationAction(
      identifier: "reply", title: "Reply", options: [.authenticationRequired],
      textInput: NotificationAction.TextInput(buttonTitle: "Send")),
    NotificationAction(identifier: "delete", title: "Delete", options: [.destructive]),
  ])

func readyEntry() -> ReportEntry {
  let attachment = Attachment(
    identifier: "media-1",
    asset: Asset(
      type: .jpeg, location: "assets/01/a.jpg", bytes: 128_495, sha256: "", width: 1024, height: 768, frames: 1),
    options: AttachmentOptions(), steps: ["decoded webp", "encoded jpeg q80"],
    source: SourceDescription(
      url: "cat.webp", format: "webp", bytes: 2_381_044, sha256: "", width: 4032, height: 3024))
  let warning = Warning(source: "cat.webp", code: .typeMismatch, message: "served as image/png, contains WebP")
  let alert: JSONValue = .object(["title": .string("New message"), "body": .string("Anna: hi")])
  return ReportEntry(
    name: "cat.webp",
    manifest: Manifest(
      id: "cat.webp", preparedAt: "2026-11-30T02:00:00Z", attachments: [attachment], rejections: [],
      warnings: [warning], payload: .object(["aps": .object(["alert": alert, "category": .string("message")])])),
    category: .known(messageCategory),
    media: ["assets/01/a.jpg": ReportMedia(contentType: "image/jpeg", bytes: [0xFF, 0xD8, 0xFF])], milliseconds: 1234)
}

func videoEntry() -> ReportEntry {
  let attachment = Attachment(
    identifier: "media-1",
    asset: Asset(
      type: .mpeg4, location: "assets/01/v.mp4", bytes: 2_000_000, sha256: "", width: 720, height: 1280, duration: 12.34
    ),
    options: AttachmentOptions(thumbnailTime: 1),
    poster: Asset(
      type: .jpeg, location: "assets/01/p.jpg", bytes: 9000, sha256: "", width: 720, height: 1280, frames: 1),
    steps: [], source: SourceDescription(url: "clip.mov", format: "mov", bytes: 3_000_000, sha256: ""))
  return ReportEntry(
    name: "clip.mov",
    manifest: Manifest(
      id: "clip.mov", preparedAt: "2026-11-30T02:00:00Z", attachments: [attachment], rejections: [], warnings: []),
    media: [
      "assets/01/v.mp4": ReportMedia(contentType: "video/mp4", bytes: Array("film".utf8)),
      "assets/01/p.jpg": ReportMedia(contentType: "image/jpeg", bytes: Array("still".utf8)),
    ])
}

let rejectedEntry = ReportEntry(
  name: "film.mp4",
  manifest: Manifest(
    id: "film.mp4", preparedAt: "2026-11-30T02:00:00Z", attachments: [],
    rejections: [
      Rejection(
        source: "film.mp4",
        reason: Rejection.Reason(
          .videoTooLong, at: .plan, "the video lasts 41.2 s; at most 30 s can be attached", limit: 30, measured: 41.2))
    ], warnings: []))

/// A picture of four pixels, as often as asked for, each with an extension before it.
func gif(pictures: Int) -> [UInt8] {
  let control: [UInt8] = [0x21, 0xF9, 4, 0, 10, 0, 0, 0]
  let picture: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 3, 0x44, 0x34, 0x05, 0]
  return Array("GIF89a".utf8) + [2, 0, 2, 0, 0x80, 0, 0, 200, 30, 30, 255, 255, 255]
    + (0..<pictures).flatMap { _ in control + picture } + [0x3B]
}

func webp(flags: UInt8) -> [UInt8] {
  Array("RIFF".utf8) + [22, 0, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0, flags, 0, 0, 0]
}

func brands(_ names: String) -> [UInt8] {
  [0, 0, 0, 20] + Array("ftyp".utf8) + Array(names.utf8)
}

func png(chunks: String...) -> [UInt8] {
  [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    + chunks.flatMap { [0, 0, 0, 1] + Array($0.utf8) + [0, 0, 0, 0, 0] }
}
