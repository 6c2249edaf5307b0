import Foundation
import Testing

/// A folder of clips that FFmpeg's own program makes for a test; it is gone when the test is.
final class ClipFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "clips-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Runs ffmpeg in the folder.
  /// - Returns: what it wrote on standard output and standard error.
  @discardableResult
  func ffmpeg(_ arguments: String...) throws -> String {
    try run(arguments)
  }

  @discardableResult
  func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
    process.arguments = ["-hide_banner", "-nostdin", "-nostats", "-y", "-threads", "1"] + arguments
    process.currentDirectoryURL = url
    let log = url.appending(path: "log")
    try Data().write(to: log)
    let output = try FileHandle(forWritingTo: log)
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    try output.close()
    let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
    try #require(process.terminationStatus == 0, "\(text)")
    return text
  }

  func fixture(_ name: String) throws -> TimelineFixture {
    try TimelineFixture(bytes: [UInt8](try Data(contentsOf: url.appending(path: name))))
  }

  func write(_ fixture: TimelineFixture, to name: String) throws {
    try Data(try fixture.bytes).write(to: url.appending(path: name))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: url.appending(path: name))
  }

  /// A checksum of each picture as ffmpeg shows it, turned by the display matrix, without its time.
  func pictures(_ name: String) throws -> [String] {
    try ffmpeg("-v", "error", "-i", name, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framecrc", "-")
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { String($0.split(separator: ",").last ?? "") }
  }
}
