// Runs the app's side on the stub of UserNotifications. A fault is a line on standard error.

import Foundation
import RichPush
import RichPushService
import Synchronization
import UserNotifications

@main
struct Checks {
  static func main() async {
    await attachesWithOptions()
    await handsOnWhatHasNoMedia()
    await fallsBack()
    await finishesInTime()
    await handsOnOnce()
    await removesLeftovers()
    try? FileManager.default.removeItem(at: folder)
    exit(faults.withLock { $0 } == 0 ? 0 : 1)
  }
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
let faults = Mutex(0)

func attachesWithOptions() async {
  let handed = Handed()
  delivery(of: video(hidden: true), ["https://a/v.mp4": "film"], to: handed).start()
  let attachment = await handed.first()?.attachments.first
  check(attachment?.identifier == "media-1", "the attachment has its identifier")
  check(attachment.flatMap { try? String(contentsOf: $0.url, encoding: .utf8) } == "film", "its file is there")
  check(attachment?.url.lastPathComponent == "media.mp4", "its file has the right extension")
  let options = attachment?.options ?? [:]
  check(options[UNNotificationAttachmentOptionsTypeHintKey] as? String == "public.mpeg-4", "it has a type hint")
  check(options[UNNotificationAttachmentOptionsThumbnailHiddenKey] as? Bool == true, "its thumbnail is hidden")
  check(options[UNNotificationAttachmentOptionsThumbnailTimeKey] as? Double == 1.5, "it has a thumbnail time")
  let rect = options[UNNotificationAttachmentOptionsThumbnailClippingRectKey] as? [String: Double]
  check(rect == ["X": 0.25, "Y": 0, "Width": 0.5, "Height": 1], "its thumbnail is clipped")
  check(await handed.first()?.userInfo["enclosure"] != nil, "what came with the notification stays")
}

func handsOnWhatHasNoMedia() async {
  let handed = Handed()
  let request = UNNotificationRequest(identifier: "1", content: UNMutableNotificationContent(), trigger: nil)
  let delivery = AttachmentDelivery(request) { handed.take($0) }
  delivery.start()
  check(handed.count == 1, "no media: handed on at once")
  check(await handed.first()?.attachments.isEmpty == true, "no media: nothing is attached")
  delivery.finish()
  check(handed.count == 1, "no media: handed on once")
}

func fallsBack() async {
  let cases: [([String: String], String, String?)] = [
    (["https://a/v.mp4": "refused", "https://a/p.jpg": "still"], "media.jpg", "public.jpeg"),
    (["https://a/p.jpg": "still"], "media.jpg", "public.jpeg"),
    (["https://a/v.mp4": "refused", "https://a/p.jpg": "refused"], "media.png", "public.png"),
    ([:], "media.png", "public.png"),
  ]
  for (files, name, hint) in cases {
    let handed = Handed()
    delivery(of: video(), files, to: handed, in: "fallback").start()
    let attachment = await handed.first()?.attachments.first
    check(attachment?.url.lastPathComponent == name, "\(files): \(name) is attached")
    let options = attachment?.options ?? [:]
    check(options[UNNotificationAttachmentOptionsTypeHintKey] as? String == hint, "\(files): the hint is \(name)'s")
    check(options[UNNotificationAttachmentOptionsThumbnailTimeKey] == nil, "\(files): a still has no thumbnail time")
    check(entries("fallback").count == 1, "\(files): nothing else is left")
    try? FileManager.default.removeItem(at: folder.appendingPathComponent("fallback"))
  }
  let handed = Handed()
  var bare = video()
  (bare.thumbHash, bare.poster) = (nil, nil)
  delivery(of: bare, ["https://a/v.mp4": "refused"], to: handed, in: "fallback").start()
  check(await handed.first()?.attachments.isEmpty == true, "nothing can be attached: handed on without")
  check(entries("fallback").isEmpty, "nothing can be attached: nothing is left")
}

func finishesInTime() async {
  let handed = Handed()
  let delivery = delivery(of: video(), ["https://a/v.mp4": "stalls"], to: handed, in: "late")
  delivery.start()
  check(await eventually { entries("late").count == 1 }, "a download has begun")
  delivery.finish()
  check(handed.count == 1, "finished: handed on at once")
  check(await handed.first()?.attachments.first?.url.lastPathComponent == "media.png", "finished: the placeholder")
  check(await eventually { entries("late").count == 1 }, "finished: the download's file is removed")
  delivery.finish()
  check(handed.count == 1, "finished twice: handed on once")
}

func handsOnOnce() async {
  let all = (0..<60).map { _ in Handed() }
  await withTaskGroup(of: Void.self) { group in
    for handed in all {
      let delivery = delivery(of: video(), ["https://a/v.mp4": "film"], to: handed, in: "race")
      delivery.start()
      group.addTask { delivery.finish() }
    }
  }
  check(all.allSatisfy { $0.count == 1 }, "finish against load: handed on once")
  check(await eventually { entries("race").count == all.count }, "finish against load: the loser's file is removed")
  check(all.allSatisfy { $0.count == 1 }, "finish against load: still handed on once")
  var areThere = true
  for handed in all {
    let file = await handed.first()?.attachments.first?.url.path
    areThere = areThere && file.map { FileManager.default.fileExists(atPath: $0) } == true
  }
  check(areThere, "finish against load: the winner's file stays")
}

func removesLeftovers() async {
  let parent = folder.appendingPathComponent("old/enclosure")
  for (name, age) in [("ended", 3600.0), ("recent", 5)] {
    let path = parent.appendingPathComponent(name)
    try? FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
    try? Data("film".utf8).write(to: path.appendingPathComponent("media.mp4"))
    let date = Date(timeIntervalSinceNow: -age)
    try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path.path)
  }
  let handed = Handed()
  delivery(of: video(), ["https://a/v.mp4": "film"], to: handed, in: "old").start()
  _ = await handed.first()
  check(!entries("old").contains("ended"), "what an extension left that was ended is removed")
  check(entries("old").contains("recent") && entries("old").count == 2, "what another one may need is not")
}

func check(_ isTrue: Bool, _ what: String) {
  guard !isTrue else { return }
  faults.withLock { $0 += 1 }
  FileHandle.standardError.write(Data("not so: \(what)\n".utf8))
}

func eventually(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<6000 {
    if condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return condition()
}

func entries(_ name: String) -> [String] {
  let path = folder.appendingPathComponent("\(name)/enclosure").path
  return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
}

func video(hidden: Bool = false) -> PayloadMedia {
  PayloadMedia(
    identifier: "media-1", url: "https://a/v.mp4", type: .mpeg4, poster: "https://a/p.jpg",
    thumbHash: "HwgODZqAh4eBh4d4eHh4eI9wCPh3", thumbnailTime: 1.5, thumbnailHidden: hidden,
    thumbnailClippingRect: hidden ? ClippingRect(x: 0.25, y: 0, width: 0.5, height: 1) : nil)
}

func delivery(
  of medium: PayloadMedia, _ files: [String: String], to handed: Handed, in name: String = "plain"
) -> AttachmentDelivery {
  let content = UNMutableNotificationContent()
  let notification = JSONValue.object(["aps": .object([:])])
  let payload = try? Payload(notification: notification, content: PayloadContent(media: [medium]))
  let json = payload.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) }
  content.userInfo = json as? [String: Any] ?? [:]
  let request = UNNotificationRequest(identifier: "1", content: content, trigger: nil)
  let loader = AttachmentLoader(
    limits: LoadingLimits(seconds: 600), downloader: Shelf(files: files), folder: folder.appendingPathComponent(name))
  return AttachmentDelivery(request, loader: loader) { handed.take($0) }
}

/// Has files by their URLs.
struct Shelf: MediaDownloader {
  let files: [String: String]

  func download(_ request: DownloadRequest, to file: URL) async throws {
    guard let content = files[request.url] else { throw DownloadFailure.status(404) }
    if content == "stalls" { try await Task.sleep(for: .seconds(3600)) }
    try Data(content.utf8).write(to: file)
  }
}

/// What a handler was given. Unchecked: it is behind the lock, and not changed afterwards.
final class Handed: @unchecked Sendable {
  private let lock = NSLock()
  private var contents: [UNNotificationContent] = []

  func take(_ content: UNNotificationContent) {
    lock.withLock { contents.append(content) }
  }

  var count: Int { lock.withLock { contents.count } }

  func first() async -> UNNotificationContent? {
    _ = await eventually { count > 0 }
    return lock.withLock { contents.first }
  }
}
