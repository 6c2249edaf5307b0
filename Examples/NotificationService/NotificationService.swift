// The whole service extension: it attaches what Enclosure has put into the payload. The sender's payload needs
// "mutable-content": 1, which Enclosure sets.

import RichPushService
import UserNotifications

nonisolated final class NotificationService: UNNotificationServiceExtension {
  private var delivery: AttachmentDelivery?

  override func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    // At most 10 MB in 20 seconds: the file itself, else a video's still, else the blurred placeholder.
    delivery = AttachmentDelivery(request, contentHandler: contentHandler)
    delivery?.start()
  }

  override func serviceExtensionTimeWillExpire() {
    delivery?.finish()
  }
}
