import Preparation
import RichPush
import Testing

@testable import Media

@Suite("Glances at boxes")
struct GlanceMovieTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    /// What is claimed of the whole file; nil when it stays undecided.
    var seconds: Double?

    init(_ name: String, _ bytes: [UInt8], _ seconds: Double? = nil) {
      (testDescription, self.bytes, self.seconds) = (name, bytes, seconds)
    }
  }

  @Test(
    "the shortest of header, sample table and edit list counts, of the shortest track of pictures",
    arguments: [
      Case("a film", film([track()]), 60),
      Case("a film with its index first and 64-bit sizes", fileType + large("moov", movie([track()])), 60),
      Case("a box that reaches to the end", fileType + openEnded("moov", movie([track()])), 60),
      Case("a film without ftyp", box("moov", movie([track()])), 60),
      Case("version 1 headers", film([track(isLong: true)]), 60),
      Case("a short sample table", film([track(samples: [(10, 100), (5, 200)])]), 20),
      Case("a short header", film([track(seconds: 7)]), 7),
      Case("an edit list", film([track(edits: [(12_000, 0)])]), 12),
      Case("an edit list that begins with nothing", film([track(edits: [(2_000, -1), (12_000, 0)])]), 14),
      Case("an edit list of version 1", film([track(isLong: true, edits: [(12_000, 5)])]), 12),
      Case("longer edits than there are samples", film([track(edits: [(500_000, 0)])]), 60),
      Case("sound that lasts longer", film([track(handler: "soun", seconds: 90), track(seconds: 20)]), 20),
      Case("two tracks of pictures", film([track(), track(seconds: 20)]), 20),
      Case("only sound", film([track(handler: "soun")])),
      Case(
        "sound with pictures for its chapters",
        film([track(handler: "soun", extra: box("tref", box("chap", number(2)))), track(identifier: 2)])),
      Case("fragments whose packets never come", fileType + box("moov", movie([track()]) + box("mvex"))),
    ])
  func durations(_ test: Case) throws {
    for server in PartialDownload.Server.allCases {
      for first in [16, min(65_536, test.bytes.count)] {
        let claim = try PartialDownload(test.bytes).claim(from: server, startingWith: first)
        #expect(claim?.seconds == test.seconds)
        #expect(claim == nil || claim?.kind == .video)
      }
    }
  }

  @Test(
    "boxes that make no sense are left to those who see the whole file",
    arguments: [
      Case("a size beyond all files", fileType + number(1) + text("moov") + [0x7F] + many(7, 0xFF)),
      Case("a size that overflows", fileType + number(1) + text("moov") + many(8, 0xFF)),
      Case("a size smaller than its header", fileType + number(7) + text("moov") + movie([track()])),
      Case("a 64-bit size smaller than its header", fileType + number(1) + text("moov") + many(7, 0) + [15]),
      Case("no movie", fileType + box("mdat", many(100, 0))),
      Case("half a header", fileType + [0, 0, 0]),
      Case("an empty movie", fileType + box("moov")),
      Case("a movie without header", fileType + box("moov", track())),
      Case("a compressed movie", fileType + box("moov", box("cmov", many(50, 1)))),
      Case("an empty track", film([box("trak")])),
      Case("a track without sample table", film([track(samples: nil)])),
      Case("an empty sample table", film([track(samples: [])])),
      Case("samples without length", film([track(samples: [(100, 0)])])),
      Case("samples of negative length", film([track(samples: [(100, 0xFFFF_FFFF)])])),
      Case("samples without end", film([track(samples: Array(repeating: (0xFFFF_FFFF, 0x7FFF_FFFF), count: 9))]), 60),
      Case("more samples than the table holds", film([track(samples: [(1, 1)], sampleCount: 0xFFFF_FFFF)])),
      Case("a unit of time that is none", film([track(timescale: 0)])),
      Case("a negative unit of time", film([track(timescale: 0x8000_0000)])),
      Case("an unknown length", film([track(ticks: 0xFFFF_FFFF)])),
      Case("an unknown length of version 1", film([track(isLong: true, ticks: .max)])),
      Case("edits that overflow", film([track(isLong: true, edits: [(.max / 2, 0), (.max / 2, 0)])])),
      Case("edits from before the beginning", film([track(edits: [(12_000, -2)])])),
      Case("headers that are cut short", film([box("trak", box("mdia", box("mdhd", [0]) + box("hdlr", [0])))])),
      Case("65 tracks", film(Array(repeating: track(), count: 65))),
      Case("a hundred thousand boxes", fileType + Array((0..<100_000).map { _ in box("free") }.joined())),
      Case("a box in a box in a box", fileType + (0..<2000).reduce([]) { nested, _ in box("moov", nested) }),
    ])
  func hostile(_ test: Case) throws {
    for server in PartialDownload.Server.allCases {
      let download = try PartialDownload(test.bytes)
      let claim = try download.claim(from: server, startingWith: min(100, test.bytes.count))
      #expect(claim?.seconds == test.seconds)
    }
  }

  @Test("what is not there is asked for once, in pieces worth a request")
  func economy() throws {
    let tables = box("stsz", many(2_000_000, 0))
    let bytes =
      fileType + box("mdat", many(3_000_000, 0xAA))
      + box("moov", movie([track(tables: tables), track(handler: "soun", tables: tables)]))
    let download = try PartialDownload(bytes)
    #expect(try download.claim(from: .withRanges)?.seconds == 60)
    #expect(download.requests == 3)
    #expect(download.bytesFetched <= 65_536 + 2 * PartialFile.usefulBytes)
  }

  @Test("of a film at a varying rate no more of the sample table is read than shows that it is too long")
  func sampleTables() throws {
    let bytes = film([track(seconds: 3600, samples: (0..<100_000).map { (1, 33 + UInt32($0 % 2)) })])
    let download = try PartialDownload(bytes)
    #expect(try download.claim(from: .withRanges, startingWith: 1000)?.seconds == 3600)
    #expect(download.bytesFetched < 40_000)
  }

  @Test("a file that ends before its index is undecided")
  func ended() throws {
    let whole = fileType + box("mdat", many(100, 0)) + box("moov", movie([track()]))
    for count in 8..<whole.count {
      let claim = try PartialDownload(Array(whole.prefix(count))).claim(from: .withRanges, startingWith: 8)
      // Where the last box was cut behind all that counts, that is still there.
      #expect(claim == nil || claim?.seconds == 60)
    }
  }
}

// MARK: Boxes to order

private let fileType = box("ftyp", text("isom") + number(512) + text("isommp42"))

private func film(_ tracks: [[UInt8]]) -> [UInt8] {
  fileType + box("mdat", many(300, 0xAA)) + box("moov", movie(tracks))
}

/// A movie's content, in milliseconds.
private func movie(_ tracks: [[UInt8]]) -> [UInt8] {
  box("mvhd", many(12, 0) + number(1000) + number(60_000) + many(80, 0)) + Array(tracks.joined())
}

/// A track of 60 s in hundredths of a second.
/// - Parameters:
///   - ticks: the header's duration, instead of `seconds`.
///   - edits: milliseconds, and where in the track they start.
///   - sampleCount: what the sample table says of its length.
private func track(
  handler: String = "vide", isLong: Bool = false, seconds: UInt64 = 60, ticks: UInt64? = nil, timescale: UInt64 = 100,
  samples: [(UInt32, UInt32)]? = [(60_000, 1)], sampleCount: UInt64? = nil, edits: [(UInt64, Int64)] = [],
  identifier: UInt64 = 1, tables: [UInt8] = [], extra: [UInt8] = []
) -> [UInt8] {
  let width = isLong ? 8 : 4
  let version: [UInt8] = [isLong ? 1 : 0, 0, 0, 0]
  func time(_ value: UInt64) -> [UInt8] { number(value, width: width) }
  let header = box("tkhd", version + time(0) + time(0) + number(identifier) + many(60 + width, 0))
  let media = box(
    "mdhd", version + time(0) + time(0) + number(timescale) + time(ticks ?? seconds * timescale) + many(4, 0))
  let entries = edits.map { time($0.0) + time(UInt64(bitPattern: $0.1)) + number(0x10000) }
  let list = entries.isEmpty ? [] : box("edts", box("elst", version + number(UInt64(edits.count)) + entries.joined()))
  let times = samples.map { samples in
    let content = samples.map { number(UInt64($0.0)) + number(UInt64($0.1)) }
    return box("stts", many(4, 0) + number(sampleCount ?? UInt64(samples.count)) + content.joined())
  }
  let table = box("stbl", box("stsd", many(8, 0)) + (times ?? []) + tables)
  let handlerBox = box("hdlr", many(8, 0) + text(handler) + many(13, 0))
  return box("trak", header + list + extra + box("mdia", media + handlerBox + box("minf", box("vmhd") + table)))
}

private func box(_ type: String, _ content: [UInt8] = []) -> [UInt8] {
  number(UInt64(content.count + 8)) + text(type) + content
}

private func large(_ type: String, _ content: [UInt8]) -> [UInt8] {
  number(1) + text(type) + number(UInt64(content.count + 16), width: 8) + content
}

private func openEnded(_ type: String, _ content: [UInt8]) -> [UInt8] {
  number(0) + text(type) + content
}

private func number(_ value: UInt64, width: Int = 4) -> [UInt8] {
  (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
}

private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

private func many(_ count: Int, _ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: count) }
