import Preparation

/// Looks for the duration of the pictures in a file of boxes (ISO/IEC 14496-12, QuickTime), wherever its `moov` stands,
/// and reads hardly more than the headers of boxes: sample tables of a long film are megabytes.
///
/// It computes what libavformat would, so that `inspect` comes to the same: the shortest of what the track's header
/// (`mdhd`), its sample table (`stts`) and its edit list (`elst`) say.
struct MovieGlance {
  enum Finding: Equatable {
    /// Seconds that the pictures are presented; of several tracks the shortest.
    case duration(Double)
    /// The film is in fragments, of which the header knows nothing.
    case fragments
  }

  private typealias Gap = PartialFile.Gap

  private let file: PartialFile
  private let enoughSeconds: Double
  /// Boxes that may still be looked at. Films have a few dozen outside their sample tables.
  private var patience = 4096

  init(_ file: PartialFile, enoughSeconds: Double) {
    self.file = file
    self.enoughSeconds = enoughSeconds
  }

  /// Whether a file begins like one of boxes.
  static func recognises(_ head: [UInt8]) -> Bool {
    ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot", "styp", "moof"].contains {
      head.dropFirst(4).starts(with: $0.utf8)
    }
  }

  /// - Returns: nil when there is nothing to believe.
  mutating func finding() throws(PartialFile.Gap) -> Finding? {
    var offset = 0
    while offset < file.totalBytes ?? .max, let box = try box(at: offset, within: file.totalBytes ?? .max) {
      switch box.type {
      case "moov": return try movie(box)
      case "moof": return .fragments
      default: offset = box.end
      }
    }
    return nil
  }

  private mutating func movie(_ movie: Box) throws(Gap) -> Finding? {
    var timescale: Int64?
    var tracks: [Track] = []
    var offset = movie.content
    while offset < movie.end, let box = try box(at: offset, within: movie.end) {
      switch box.type {
      case "mvhd": timescale = try header(box)?.timescale
      case "mvex": return .fragments
      // Compressed.
      case "cmov": return nil
      case "trak":
        tracks.append(try track(box))
        guard tracks.count <= LibavInput.maximumStreams else { return nil }
      default: break
      }
      offset = box.end
    }
    guard let timescale else { return nil }
    let chapters = tracks.flatMap(\.chapters)
    // Pictures that illustrate chapters are no video.
    let pictures = tracks.filter { $0.isPicture && !chapters.contains($0.identifier ?? 0) }
    var shortest: Double?
    for track in pictures {
      guard let seconds = track.seconds(movieTimescale: timescale) else { return nil }
      shortest = min(shortest ?? seconds, seconds)
    }
    return shortest.map(Finding.duration)
  }

  private mutating func track(_ trak: Box) throws(Gap) -> Track {
    var track = Track()
    for box in try boxes(in: trak, of: ["tkhd", "edts", "tref", "mdia"]) {
      switch box.type {
      case "tkhd":
        let isLong = try isLong(box)
        track.identifier = try number(at: isLong ? 20 : 12, of: box)
      case "edts":
        for list in try boxes(in: box, of: ["elst"]) { try readEdits(list, into: &track) }
      case "tref":
        for list in try boxes(in: box, of: ["chap"]) { try readChapters(list, into: &track) }
      default: try readMedia(box, into: &track)
      }
    }
    return track
  }

  private mutating func readMedia(_ mdia: Box, into track: inout Track) throws(Gap) {
    for box in try boxes(in: mdia, of: ["mdhd", "hdlr", "minf"]) {
      switch box.type {
      case "mdhd": track.header = try header(box)
      case "hdlr": track.isPicture = try number(at: 8, of: box) == 0x7669_6465  // vide
      default:
        // Only pictures count, and handlers come first.
        guard track.isPicture, let header = track.header else { continue }
        for table in try boxes(in: box, of: ["stbl"]) {
          for times in try boxes(in: table, of: ["stts"]) {
            track.samples = try sampleTime(times, timescale: header.timescale)
          }
        }
      }
    }
  }

  /// Adds up how long the samples last, no further than to enough.
  private func sampleTime(_ box: Box, timescale: Int64) throws(Gap) -> Track.SampleTime? {
    guard let count = try number(at: 4, of: box), count <= Int64((box.end - box.content - 8) / 8) else { return nil }
    var sum: Int64 = 0
    let step = 512
    for first in stride(from: 0, to: Int(count), by: step) {
      let entries = min(step, Int(count) - first)
      let bytes = try file.bytes(at: box.content + 8 + first * 8, count: entries * 8)
      for entry in 0..<entries {
        let samples = Int64(bytes.bigEndian(at: entry * 8, count: 4))
        let length = Int64(bytes.bigEndian(at: entry * 8 + 4, count: 4))
        // libavformat takes longer ones for negative, and mends them.
        guard length <= Int64(Int32.max) else { return nil }
        let (next, overflow) = sum.addingReportingOverflow(samples * length)
        guard !overflow else { return nil }
        sum = next
        if Double(sum) > enoughSeconds * Double(timescale), first + entry + 1 < count { return .atLeast(sum) }
      }
      // A film at a thousand frames a second gets here in its first minute.
      guard first < 100_000 else { return nil }
    }
    return .exactly(sum)
  }

  private func readEdits(_ box: Box, into track: inout Track) throws(Gap) {
    let isLong = try isLong(box)
    let size = isLong ? 20 : 12
    // libavformat goes by the size where the number of entries differs.
    let count = max(0, box.end - box.content - 8) / size
    guard count <= 1000, track.edits.isEmpty else {
      track.isStrange = true
      return
    }
    let bytes = try file.bytes(at: box.content + 8, count: count * size)
    for entry in 0..<count {
      let duration = bytes.bigEndian(at: entry * size, count: isLong ? 8 : 4)
      let time = bytes.bigEndian(at: entry * size + (isLong ? 8 : 4), count: isLong ? 8 : 4)
      let start = isLong ? Int64(bitPattern: time) : Int64(Int32(truncatingIfNeeded: time))
      guard let ticks = Int64(exactly: duration), start >= -1 else {
        track.isStrange = true
        return
      }
      track.edits.append(ticks)
    }
  }

  private func readChapters(_ box: Box, into track: inout Track) throws(Gap) {
    let count = min((box.end - box.content) / 4, 64)
    let bytes = try file.bytes(at: box.content, count: count * 4)
    track.chapters += (0..<count).map { Int64(bytes.bigEndian(at: $0 * 4, count: 4)) }
  }

  /// Ticks per second and duration of a `mvhd` or `mdhd`; nil when they make no sense.
  private func header(_ box: Box) throws(Gap) -> Track.Header? {
    let isLong = try isLong(box)
    guard let timescale = try number(at: isLong ? 20 : 12, of: box), timescale > 0, timescale <= Int64(Int32.max),
      let duration = try number(at: isLong ? 24 : 16, count: isLong ? 8 : 4, of: box),
      isLong || duration < Int64(UInt32.max)
    else { return nil }
    return Track.Header(timescale: timescale, duration: duration)
  }

  // MARK: Boxes

  /// Whether a box is of version 1, in which times have eight bytes.
  private func isLong(_ box: Box) throws(Gap) -> Bool {
    try number(at: 0, count: 1, of: box) == 1
  }

  /// A number in a box; nil when the box ends before it, or it is too large.
  private func number(at place: Int, count: Int = 4, of box: Box) throws(Gap) -> Int64? {
    guard place + count <= box.end - box.content else { return nil }
    return Int64(exactly: try file.bytes(at: box.content + place, count: count).bigEndian(at: 0, count: count))
  }

  /// The boxes of some types that lie in another, none of them beyond its end.
  private mutating func boxes(in parent: Box, of types: Set<String>) throws(Gap) -> [Box] {
    var found: [Box] = []
    var offset = parent.content
    var rest = types
    while offset < parent.end, !rest.isEmpty, let box = try box(at: offset, within: parent.end) {
      // Behind what is sought lie the tables that shall not be read.
      if types.contains(box.type) {
        found.append(box)
        rest.remove(box.type)
      }
      offset = box.end
    }
    return found
  }

  /// The header of a box; nil when there is none, or it makes no sense.
  private mutating func box(at offset: Int, within limit: Int) throws(Gap) -> Box? {
    patience -= 1
    guard patience >= 0, limit - offset >= 8 else { return nil }
    let bytes = try file.bytes(at: offset, count: 8)
    var box = Box(
      type: String(decoding: bytes[4..<8], as: UTF8.self), offset: offset, content: offset + 8, end: limit)
    var length = bytes.bigEndian(at: 0, count: 4)
    if length == 0 { return box }
    if length == 1 {
      guard limit - offset >= 16 else { return nil }
      length = try file.bytes(at: offset + 8, count: 8).bigEndian(at: 0, count: 8)
      box.content += 8
    }
    guard let size = Int(exactly: length), size >= box.content - offset else { return nil }
    box.end = size > limit - offset ? limit : offset + size
    return box
  }
}

/// What is known of one track.
private struct Track {
  struct Header {
    var timescale: Int64
    var duration: Int64
  }

  /// How long the samples last together, in ticks of the track.
  enum SampleTime {
    case exactly(Int64)
    case atLeast(Int64)
  }

  var identifier: Int64?
  var isPicture = false
  var header: Header?
  var samples: SampleTime?
  /// Lengths of the edit list's entries, in ticks of the film.
  var edits: [Int64] = []
  /// Tracks that illustrate this one's chapters.
  var chapters: [Int64] = []
  /// Whether something makes no sense, so that only the whole file tells.
  var isStrange = false

  /// How long it is presented; nil when that is not to be believed.
  func seconds(movieTimescale: Int64) -> Double? {
    guard let header, header.duration > 0, !isStrange else { return nil }
    var ticks = header.duration
    switch samples {
    case .exactly(let sum):
      guard sum > 0 else { return nil }
      ticks = min(ticks, sum)
    case .atLeast: break
    case nil: return nil
    }
    if !edits.isEmpty {
      var sum: Int64 = 0
      for edit in edits {
        let (product, overflow) = edit.multipliedReportingOverflow(by: header.timescale)
        guard !overflow, product < Int64.max - movieTimescale else { return nil }
        let (next, isTooLarge) = sum.addingReportingOverflow((product + movieTimescale / 2) / movieTimescale)
        guard !isTooLarge else { return nil }
        sum = next
      }
      ticks = min(ticks, sum)
    }
    guard ticks > 0 else { return nil }
    return Double(ticks) / Double(header.timescale)
  }
}
