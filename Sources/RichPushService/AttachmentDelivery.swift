#if canImport(UserNotifications)
  import Foundation
  import RichPush
  public import UserNotifications

  extension LoadedMedia {
    /// The attachment for a notification, with all its options. The system moves the file away.
    public func attachment() throws -> UNNotificationAttachment {
      var options: [AnyHashable: Any] = [UNNotificationAttachmentOptionsTypeHintKey: type.rawValue]
      if medium.thumbnailHidden { options[UNNotificationAttachmentOptionsThumbnailHiddenKey] = true }
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
      let task = Task { hand(on: await loader.load(media)) }
      lock.withLock { self.task = task }
    }

    /// Hands the notification on now, with placeholders: for `serviceExtensionTimeWillExpire()`.
    public func finish() {
      lock.withLock { task }?.cancel()
      hand(on: media.map { loader.placeholders($0) } ?? [])
    }

    private func hand(on loaded: [LoadedMedia]) {
      let handler = lock.withLock {
        let handler = self.handler
        self.handler = nil
        return handler
      }
      guard let handler else { return }
      // One that the system does not take must not cost the notification.
      let attachments = loaded.compactMap { try? $0.attachment() }
      guard let changed = content.mutableCopy() as? UNMutableNotificationContent, !attachments.isEmpty else {
        return handler(content)
      }
      changed.attachments = attachments
      handler(changed)
    }
  }
#endif
