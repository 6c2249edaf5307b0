// What service extensions use, in the same way.

public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let UNNotificationAttachmentOptionsThumbnailHiddenKey = "UNNotificationAttachmentOptionsThumbnailHiddenKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"

open class UNNotificationAttachment: NSObject {
  public convenience init(identifier: String, url URL: URL, options: [AnyHashable: Any]? = nil) throws {
    self.init()
  }
}

open class UNNotificationContent: NSObject {
  open var attachments: [UNNotificationAttachment] { [] }
  open var userInfo: [AnyHashable: Any] { [:] }
}

open class UNMutableNotificationContent: UNNotificationContent {
  private var attached: [UNNotificationAttachment] = []

  open override var attachments: [UNNotificationAttachment] {
    get { attached }
    set { attached = newValue }
  }
}

open class UNNotificationRequest: NSObject {
  open var content: UNNotificationContent { UNNotificationContent() }
}

open class UNNotificationServiceExtension: NSObject {
  open func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {}

  open func serviceExtensionTimeWillExpire() {}
}
