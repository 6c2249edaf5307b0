// What service extensions use, in the same way. This part does what it is asked to, so that an app's side can run.

public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let UNNotificationAttachmentOptionsThumbnailHiddenKey = "UNNotificationAttachmentOptionsThumbnailHiddenKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
  "UNNotificationAttachmentOptionsThumbnailClippingRectKey"

open class UNNotificationAttachment: NSObject {
  open private(set) var identifier = ""
  open private(set) var url = URL(fileURLWithPath: "/")
  /// Apple's has no such property; tests look at it.
  public private(set) var options: [AnyHashable: Any] = [:]

  /// - Throws: for a file that cannot be read, or that begins with "refused".
  public convenience init(identifier: String, url URL: URL, options: [AnyHashable: Any]? = nil) throws {
    guard !(try Data(contentsOf: URL)).starts(with: Data("refused".utf8)) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    self.init()
    self.identifier = identifier
    url = URL
    self.options = options ?? [:]
  }
}

open class UNNotificationContent: NSObject, NSMutableCopying {
  fileprivate var attached: [UNNotificationAttachment] = []
  fileprivate var information: [AnyHashable: Any] = [:]

  open var attachments: [UNNotificationAttachment] { attached }
  open var userInfo: [AnyHashable: Any] { information }

  open func mutableCopy(with zone: NSZone?) -> Any {
    let copy = UNMutableNotificationContent()
    (copy.attached, copy.information) = (attached, information)
    return copy
  }
}

open class UNMutableNotificationContent: UNNotificationContent {
  open override var attachments: [UNNotificationAttachment] {
    get { attached }
    set { attached = newValue }
  }

  open override var userInfo: [AnyHashable: Any] {
    get { information }
    set { information = newValue }
  }
}

open class UNNotificationTrigger: NSObject {}

open class UNNotificationRequest: NSObject {
  open private(set) var content = UNNotificationContent()

  public convenience init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
    self.init()
    self.content = content
  }
}

open class UNNotificationServiceExtension: NSObject {
  open func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {}

  open func serviceExtensionTimeWillExpire() {}
}
