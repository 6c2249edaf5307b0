import Glibc
import TestSupport
import Testing

/// Compiles the app's side against the declarations of UserNotifications that stand in for Apple's on Linux.
struct AppSide {
  static let package = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

  private static let modules = [
    ("UserNotifications", "Tests/UserNotificationsStub"), ("RichPush", "Sources/RichPush"),
    ("RichPushService", "Sources/RichPushService"), ("UIKit", "Tests/UIKitStub"),
  ]

  private let compiler: String
  let folder: TemporaryFolder

  /// - Parameter asLibraries: so that programs can be linked with them.
  init(asLibraries: Bool) async throws {
    compiler = try #require(programInPath("swiftc"))
    folder = try TemporaryFolder()
    for (name, sources) in Self.modules {
      let module = "\(folder.path)/\(name).swiftmodule"
      let output =
        asLibraries
        ? ["-emit-library", "-emit-module-path", module, "-o", "\(folder.path)/lib\(name).so"] : ["-o", module]
      // What the package's own settings are.
      let features = ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"]
      try await compile(
        sources,
        ["-emit-module", "-parse-as-library", "-module-name", name, "-package-name", "enclosure"]
          + features.flatMap { ["-enable-upcoming-feature", $0] } + output
          + (asLibraries ? Self.modules.prefix { $0.0 != name }.map { "-l\($0.0)" } : []))
    }
  }

  /// Compiles everything in a folder of the package, in Swift 6; a warning is an error.
  func compile(_ sources: String, _ options: [String]) async throws {
    let arguments =
      options + ["-swift-version", "6", "-warnings-as-errors", "-I", folder.path, "-L", folder.path]
      + swiftFiles(below: "\(Self.package)/\(sources)")
    let child = try ChildProcess(
      compiler, arguments.map { Array($0.utf8) }, environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path])
    let ending = await child.wait()
    #expect(ending == .exited(0) && child.errors == "", "\(sources): \(child.errors)")
  }
}

private func swiftFiles(below folder: String) -> [String] {
  guard let stream = opendir(folder) else { return [] }
  defer { closedir(stream) }
  var files: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    if name.hasSuffix(".swift") {
      files.append("\(folder)/\(name)")
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
