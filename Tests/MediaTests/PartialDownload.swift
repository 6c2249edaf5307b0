import Foundation
import Glibc
import Preparation
import RichPush
import Testing

@testable import Media

/// A file of which a server has sent a part: the rest of the spool file is a hole.
final class PartialDownload {
  /// How a server can be asked.
  enum Server: Sendable, CaseIterable {
    case withRanges
    /// It sends everything in order, and says how much that is.
    case inOrder
    case inOrderOfUnknownLength
  }

  let content: [UInt8]
  private let spool: TimelineFixture
  private(set) var available: [Range<Int>] = []
  private(set) var requests = 0

  init(_ content: [UInt8]) throws {
    self.content = content
    spool = try TimelineFixture()
    try #require(ftruncate(spool.descriptor, off_t(content.count)) == 0)
  }

  var bytesFetched: Int { available.reduce(0) { $0 + $1.count } }

  func fetch(_ range: Range<Int>) throws {
    let range = range.clamped(to: 0..<content.count)
    requests += 1
    let written = content[range].withUnsafeBytes { bytes in
      pwrite(spool.descriptor, bytes.baseAddress, bytes.count, off_t(range.lowerBound))
    }
    try #require(written == range.count)
    available = (available + [range]).sorted { $0.lowerBound < $1.lowerBound }
  }

  func glance(totalBytes: Int?, enoughSeconds: Double = Profile.ios.enoughSeconds) throws -> Glance {
    Media.glance(
      try spool.file,
      GlanceRequest(available: available, totalBytes: totalBytes, enoughSeconds: enoughSeconds))
  }

  /// Goes on until nothing more is asked for, and makes sure that each question leads on.
  /// - Returns: nil when the file stays undecided until all of it is there.
  func claim(
    from server: Server, startingWith first: Int = 65_536, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HeaderClaim? {
    var hasEnded = false
    try fetch(0..<first)
    while true {
      if server != .withRanges { hasEnded = available.last?.upperBound == content.count }
      let total = server == .inOrderOfUnknownLength && !hasEnded ? nil : content.count
      switch try glance(totalBytes: total) {
      case .claims(let claim): return claim
      case .undecided: return nil
      case .needs(let range):
        try #require(!range.isEmpty, sourceLocation: sourceLocation)
        try #require(!available.contains { $0.overlaps(range) }, sourceLocation: sourceLocation)
        try #require(range.upperBound <= total ?? .max, sourceLocation: sourceLocation)
        try #require(requests < 2000, sourceLocation: sourceLocation)
        let got = available.last?.upperBound ?? 0
        switch server {
        case .withRanges: try fetch(range)
        case .inOrder, .inOrderOfUnknownLength:
          try #require(!hasEnded, sourceLocation: sourceLocation)
          try fetch(got..<max(got + 1, min(range.upperBound, got * 2)))
        }
      }
    }
  }
}

/// The verdict on a whole file, as it was before there were early ones.
func wholeVerdict(on fixture: TimelineFixture) throws -> (facts: MediaFacts?, reason: Rejection.Reason?) {
  do {
    let request = InspectRequest(enoughSeconds: Profile.ios.enoughSeconds, enoughFrames: 2000)
    let facts = try inspect(try fixture.file, request)
    if case .reject(let reason) = plan(facts) { return (facts, reason) }
    return (facts, nil)
  } catch let reason as Rejection.Reason {
    return (nil, reason)
  }
}
