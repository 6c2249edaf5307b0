import RichPush
import TestSupport
import Testing

/// What Fixtures/README.md says must become of each fixture.
struct FixtureVerdict: Sendable, CustomTestStringConvertible {
  /// Below Fixtures/media, which is also the id of its job.
  let name: String
  /// Kinds and codes, any of which is right: `image`, `animation`, `video`, `audio`, `corrupt` …
  let verdicts: [String]

  var testDescription: String { name }

  /// Every row of its tables that is about one of the files.
  static let all: [FixtureVerdict] = {
    let text = String(decoding: contentOfFile("\(packageFolder)/Fixtures/README.md") ?? [], as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmed }
      guard line.hasPrefix("| `"), cells.count >= 3, cells[0].contains("/") else { return nil }
      let verdicts = cells[2].split(separator: " ").filter { $0 != "or" }.map { String($0.filter { $0 != "`" }) }
      return FixtureVerdict(name: String(cells[0].filter { $0 != "`" }), verdicts: verdicts)
    }
  }()

  /// Those that an encoder is needed for, which there is none of yet: their codec is their rejection until then.
  static let needEncoder: Set<String> = [
    "video/vp9-opus.webm", "video/vp8-vorbis.webm", "video/av1.mp4", "video/mpeg1.mpg", "video/mpeg4-part2.avi",
    "video/h264-yuv444p.mp4", "video/h264-high10.mp4", "video/odd-161x91.webm", "video/interlaced.mp4",
    "timeline/edit-gap.mp4", "timeline/edit-gap-at-key.mp4", "timeline/edit-pause.mp4", "timeline/live.webm",
    "timeline/one-picture.webm", "timeline/mpeg2.mpg", "timeline/theora.ogv", "timeline/changing-size.ts",
    "timeline/changing-sets.ts",
    "audio/vorbis.ogg", "audio/opus.opus",
    "audio/flac.flac", "audio/alac.caf", "audio/ac3.ac3", "audio/wma.wma", "audio/amr.amr", "audio/float.wav",
  ]
}

extension Substring {
  fileprivate var trimmed: Substring {
    guard let last = lastIndex(where: { $0 != " " }) else { return "" }
    return self[...last].drop { $0 == " " }
  }
}
