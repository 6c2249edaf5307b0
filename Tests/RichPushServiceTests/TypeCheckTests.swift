import RichPush
import TestSupport
import Testing

/// There is no UserNotifications on Linux; the sources that use it are checked against its declarations.
@Suite("The code for UserNotifications")
struct TypeCheckTests {
  @Test("and the examples have right types, in Swift 6 and without a warning")
  func types() async throws {
    let app = try await AppSide(asLibraries: false)
    let registry = try #require(contentOfFile("\(AppSide.package)/Examples/categories.json"))
    let source = try CategoryRegistry(parsing: registry).swiftSource()
    try app.folder.write(Array(source.utf8), to: "NotificationCategories.swift")
    // New projects of Xcode 26 isolate everything to the main actor.
    for isolation in ["nonisolated", "MainActor"] {
      try await app.compile(
        "Examples/NotificationService",
        [
          "-emit-module", "-parse-as-library", "-module-name", "NotificationService", "-default-isolation", isolation,
          "-o", "\(app.folder.path)/NotificationService.swiftmodule",
        ])
      try await app.compile(
        "Examples/App",
        [
          "-typecheck", "-parse-as-library", "-module-name", "App", "-default-isolation", isolation,
          "\(app.folder.path)/NotificationCategories.swift",
        ])
    }
  }

  @Test("hands a notification on once, with the best that the system takes, and leaves no files behind")
  func delivery() async throws {
    let app = try await AppSide(asLibraries: true)
    try await app.compile(
      "Tests/AttachmentDelivery",
      [
        "-emit-executable", "-parse-as-library", "-module-name", "Checks", "-lUserNotifications", "-lRichPush",
        "-lRichPushService", "-Xlinker", "-rpath", "-Xlinker", app.folder.path, "-o", "\(app.folder.path)/run",
      ])
    let run = try ChildProcess("\(app.folder.path)/run", environment: ["TMPDIR": app.folder.path])
    let ending = await run.wait()
    #expect(ending == .exited(0) && run.errors == "", "\(run.errors)")
  }

  @Test("the example extension has less than 60 lines")
  func isShort() throws {
    let file = try #require(
      contentOfFile("\(AppSide.package)/Examples/NotificationService/NotificationService.swift"))
    #expect(file.count { $0 == UInt8(ascii: "\n") } < 60)
  }
}
