import Glibc
import TestSupport
import Testing

/// There is no UserNotifications on Linux; the sources that use it are checked against its declarations.
@Suite("The code for UserNotifications")
struct TypeCheckTests {
  private let package = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

  @Test("and the example extension have right types, in Swift 6 and without a warning")
  func types() async throws {
    let compiler = try #require(programInPath("swiftc"))
    let folder = try TemporaryFolder()
    let features = ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"]
    let common =
      [
        "-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "-package-name", "enclosure", "-I",
        folder.path,
      ]
      + features.flatMap { ["-enable-upcoming-feature", $0] }
    let modules = [
      ("UserNotifications", "Tests/UserNotificationsStub"), ("RichPush", "Sources/RichPush"),
      ("RichPushService", "Sources/RichPushService"), ("NotificationService", "Examples/NotificationService"),
    ]
    for (name, sources) in modules {
      let arguments =
        ["-emit-module", "-module-name", name] + common + swiftFiles(below: sources)
        + ["-o", "\(folder.path)/\(name).swiftmodule"]
      let child = try ChildProcess(
        compiler, arguments.map { Array($0.utf8) }, environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path])
      let ending = await child.wait()
      #expect(ending == .exited(0) && child.errors == "", "\(name): \(child.errors)")
    }
  }

  @Test("the example extension has less than 60 lines")
  func isShort() throws {
    let file = try #require(contentOfFile("\(package)/Examples/NotificationService/NotificationService.swift"))
    #expect(file.count { $0 == UInt8(ascii: "\n") } < 60)
  }

  private func swiftFiles(below folder: String) -> [String] {
    guard let stream = opendir("\(package)/\(folder)") else { return [] }
    defer { closedir(stream) }
    var files: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".swift") {
        files.append("\(package)/\(folder)/\(name)")
      } else if entry.pointee.d_type == UInt8(DT_DIR), !name.hasPrefix(".") {
        files += swiftFiles(below: "\(folder)/\(name)")
      }
    }
    return files.sorted()
  }

  private func programInPath(_ name: String) -> String? {
    let folders = getenv("PATH").map { String(cString: $0) }?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
