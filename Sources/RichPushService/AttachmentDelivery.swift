// tvOS has the framework, but neither attachments nor service extensions.
#if canImport(UserNotifications) && !os(tvOS)
  import Foundation
  import RichPush
  public import UserNotifications

  extension LoadedMedia {
    /// The attachment for a notification, with all its options. The system takes the file once the notification is on its
    /// way; until then it has to stay where it is.
    public func attachment() throws -> UNNotificationAttachment {
      var options: [AnyHashable: Any] = [UNNotificationAttachmentOptionsTypeHintKey: type.rawValue]
      if medium.thumbnailHidden { options[UNNotificationAttachmentOptionsThumbnailHiddenKey] = true }
      if let rect = medium.thumbnailClippingRect {
        options[UNNotificationAttachmentOptionsThumbnailClippingRectKey] = rect.dictionary
      }
      // A poster is the picture of that time already.
      if form == .attachment, let time = medium.thumbnailTime {
        options[UNNotificationAttachmentOptionsThumbnailTimeKey] = time
      }
      return try UNNotificationAttachment(identifier: medium.identifier, url: file, options: options)
    }
  }

  /// One notification on its way through a service extension: its media are attached, and it is handed on exactly once.
  ///
  /// Unchecked: what may change is behind `lock`.
  public final class AttachmentDelivery: @unchecked Sendable {
    private typealias Attached = (attachment: UNNotificationAttachment, media: LoadedMedia)

    private let lock = NSLock()
    private let content: UNNotificationContent
    private let media: PayloadContent?
    private let loader: AttachmentLoader
    /// nil once it was called.
    private var handler: ((UNNotificationContent) -> Void)?
    private var task: Task<Void, Never>?

    public init(
      _ request: UNNotificationRequest, loader: AttachmentLoader = AttachmentLoader(),
      contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
      content = request.content
      media = PayloadContent(userInfo: request.content.userInfo)
      self.loader = loader
      handler = contentHandler
    }

    /// Begins to download. A notification without media goes on at once.
    public func start() {
      guard let media else { return hand(on: []) }
      let task = Task {
        loader.removeLeftovers()
        hand(on: await loader.load(media) { (try $0.attachment(), $0) })
      }
      lock.withLock { self.task = task }
    }

    /// Hands the notification on now, with placeholders: for `serviceExtensionTimeWillExpire()`.
    public func finish() {
      lock.withLock { task }?.cancel()
      hand(on: media.map { loader.placeholders($0) { (try $0.attachment(), $0) } } ?? [])
    }

    private func hand(on attached: [Attached]) {
      let handler = lock.withLock {
        let handler = self.handler
        self.handler = nil
        return handler
      }
      guard let handler else {
        // Nobody waits any more.
        for one in attached { one.media.remove() }
        return
      }
      guard let changed = content.mutableCopy() as? UNMutableNotificationContent, !attached.isEmpty else {
        return handler(content)
      }
      changed.attachments = attached.map(\.attachment)
      handler(changed)
    }
  }
#endif
