import Foundation
import Glibc
import Preparation
import RichPush
import Testing

@testable import Media

/// An open file of Fixtures/media, or one made for a test.
final class TimelineFixture {
  let descriptor: Int32

  /// - Parameter path: below Fixtures/media.
  init(_ path: String) throws {
    descriptor = open(TimelineFixture.folder.appending(path: path).path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0, "\(path) is missing; Fixtures/make.sh makes it")
  }

  /// A temporary file without a name.
  init(bytes: [UInt8] = []) throws {
    var name = Array((NSTemporaryDirectory() + "/fixture-XXXXXX").utf8CString)
    descriptor = mkstemp(&name)
    unlink(name)
    try #require(descriptor >= 0)
    try #require(bytes.isEmpty || write(descriptor, bytes, bytes.count) == bytes.count)
  }

  deinit {
    close(descriptor)
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/media")

  /// The file as it is now.
  var file: MediaFile {
    get throws { try MediaFile(borrowing: descriptor, at: .inspect) }
  }

  var bytes: [UInt8] {
    get throws { try file.bytes(at: 0, count: try file.bytes) }
  }

  func facts(enoughSeconds: Double = 31, enoughFrames: Int = 100) throws -> MediaFacts {
    try inspectTimeline(try file, InspectRequest(enoughSeconds: enoughSeconds, enoughFrames: enoughFrames))
  }

  func video() throws -> VideoFacts {
    guard case .video(let video) = try facts().content else { throw NotThatKind() }
    return video
  }

  func audio() throws -> AudioFacts {
    guard case .audio(let audio) = try facts().content else { throw NotThatKind() }
    return audio
  }
}

struct NotThatKind: Error {}

/// The reason with which something is rejected; nil when it is not.
func refusal(_ body: () throws -> Void) throws -> Rejection.Reason? {
  do {
    try body()
    return nil
  } catch let reason as Rejection.Reason {
    return reason
  }
}
