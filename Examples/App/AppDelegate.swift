// What an app does at launch so that pushes can reach it. An app of SwiftUI names it in its `App`:
//   @UIApplicationDelegateAdaptor private var delegate: AppDelegate

import UIKit
import UserNotifications

final class AppDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    // What `enclosure categories generate` has written.
    NotificationCategories.register()
    UNUserNotificationCenter.current().delegate = self
    Task {
      _ = try? await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .badge, .sound])
    }
    application.registerForRemoteNotifications()
    return true
  }

  func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data) {
    // Pushes are addressed to it, so the server has to learn it.
    print("device token:", token.map { String(format: "%02x", $0) }.joined())
  }

  func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
    print("no device token:", error)
  }

  // Without this, nothing is shown while the app is in front.
  nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification
  ) async -> UNNotificationPresentationOptions {
    [.banner, .list, .sound]
  }

  nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
  ) async {
    let text = (response as? UNTextInputNotificationResponse)?.userText
    print("tapped:", response.actionIdentifier, text ?? "")
  }
}
