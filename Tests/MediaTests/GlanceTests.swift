import Foundation
import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Glances at partly present files")
struct GlanceTests {
  static let everything: [String] = ["video", "audio", "image", "animation", "bad"].flatMap { folder in
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: TimelineFixture.folder.appending(path: folder).path)
    return (names ?? []).filter { !$0.hasPrefix(".") }.sorted().map { "\(folder)/\($0)" }
  }

  @Test(
    "an early verdict is the one that the whole file gets, however the file comes",
    arguments: everything, PartialDownload.Server.allCases)
  func verdicts(path: String, server: PartialDownload.Server) throws {
    let fixture = try TimelineFixture(path)
    let whole = try wholeVerdict(on: fixture)
    for first in [16, 100, 5_000, 65_536] {
      let download = try PartialDownload(try fixture.bytes)
      guard let claim = try download.claim(from: server, startingWith: first), let early = earlyRejection(of: claim)
      else { continue }
      #expect(whole.reason?.code == early.code, "\(claim)")
      guard case .video(let video) = whole.facts?.content, let seconds = video.duration.presented else { continue }
      #expect(
        claim.evidence == .packets ? claim.seconds <= seconds + 0.001 : abs(claim.seconds - seconds) < 0.001,
        "\(claim.seconds) instead of \(seconds)")
    }
  }

  @Test(
    "what the boxes say of the pictures' duration is what libavformat makes of them",
    arguments: everything.filter { $0.hasPrefix("video/") && ($0.hasSuffix("mp4") || $0.hasSuffix("mov")) })
  func agreement(path: String) throws {
    let fixture = try TimelineFixture(path)
    guard let claim = try PartialDownload(try fixture.bytes).claim(from: .withRanges), claim.evidence == .header,
      case .video(let video) = try wholeVerdict(on: fixture).facts?.content
    else { return }
    #expect(abs(claim.seconds - (video.duration.header ?? 0)) < 1e-9)
  }
}

@Suite("Glances that are led astray")
struct GlanceDamageTests {
  @Test(
    "damage anywhere and any order of arrival end in a claim or in nothing, and never end the program",
    arguments: [
      "video/31-seconds.mp4", "video/fragmented.mp4", "video/h264-aac.ts", "video/40-seconds-no-duration.mkv",
      "video/vp9-opus.webm", "video/mpeg4-part2.avi", "video/mpeg1.mpg", "video/quicktime.mov", "audio/vorbis.ogg",
      "audio/wma.wma",
    ])
  func damage(path: String) throws {
    let bytes = try TimelineFixture(path).bytes
    // A fixed sequence of damage, so that a failure can be repeated.
    var state: UInt32 = 4711
    func next(_ bound: Int) -> Int {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Int(state >> 8) % bound
    }
    for round in 0..<10 {
      var damaged = bytes
      for _ in 0..<4 {
        let place = round % 2 == 0 ? next(min(3000, bytes.count)) : bytes.count - 1 - next(min(3000, bytes.count))
        damaged[place] = [0, 1, 0x7F, 0x80, 0xFF][next(5)]
      }
      for server in PartialDownload.Server.allCases {
        _ = try PartialDownload(damaged).claim(from: server, startingWith: 1 + next(5000))
      }
    }
  }

  @Test("requests that make no sense are answered")
  func requests() throws {
    let download = try PartialDownload(try TimelineFixture("video/31-seconds.mp4").bytes)
    try download.fetch(0..<download.content.count)
    let file = try TimelineFixture(bytes: download.content)
    for (available, total): ([Range<Int>], Int?) in [
      ([], nil), ([], 0), ([0..<0], 5), ([-5..<3], -1), ([0..<Int.max], nil), ([0..<Int.max], Int.max),
      ([Int.min..<Int.max], 10), ([50..<60, 0..<100, 20..<30], 1000), ([5..<5, 7..<9], nil),
    ] {
      let request = GlanceRequest(available: available, totalBytes: total, enoughSeconds: 30)
      let glance = glance(try file.file, request)
      if case .needs(let range) = glance {
        #expect(!range.isEmpty && range.upperBound <= total ?? .max)
        #expect(!available.contains { $0.overlaps(range) })
      }
    }
  }

  @Test(
    "times as Matroska's tags write them",
    arguments: [
      ("01:00:02.500000000", 3602.5), ("00:00:00.000", 0), ("1:2:3", 3723), ("", nil), ("::", nil), ("1:2", nil),
      ("00:60:00", nil), ("-1:00:00", nil), ("00:00:-1", nil), ("00:00:nan", nil), ("00:00:inf", nil),
      ("99999999999:00:00", nil),
    ] as [(String, Double?)])
  func clocks(text: String, seconds: Double?) {
    #expect(clockSeconds(text) == seconds)
  }
}
