import Glibc
import RichPush

/// Shortens what a track of a finished MP4 presents, in its edit list and in the headers that repeat it. libavformat
/// counts pictures of the end that are only there for others to be decoded, and rounds last pictures up.
/// - Parameters:
///   - descriptor: the finished file, readable and writable.
///   - track: 0 for the first.
///   - seconds: how long the track is presented, from the start of the presentation on.
func limitPresentation(_ descriptor: Int32, track: Int, to seconds: Double) throws(Rejection.Reason) {
  let file = try MediaFile(borrowing: descriptor, at: .prepare)
  guard let movie = Box.boxes(in: file).first(where: { $0.type == "moov" }) else { return }
  let boxes = Box.boxes(in: file, from: movie.content, to: movie.end)
  let tracks = boxes.filter { $0.type == "trak" }
  guard let header = boxes.first(where: { $0.type == "mvhd" }), tracks.indices.contains(track), seconds >= 0,
    seconds < 1e6
  else { return }
  // All headers start with a version; in version 1 times have 8 bytes instead of 4.
  let movieIsLong = file.bytes(at: header.content, count: 1) == [1]
  let timescale = file.bytes(at: header.content + (movieIsLong ? 20 : 12), count: 4).bigEndian(at: 0, count: 4)
  let limit = UInt64((seconds * Double(timescale)).rounded(.up))

  var longest: UInt64 = 0
  for (index, trak) in tracks.enumerated() {
    let parts = Box.boxes(in: file, from: trak.content, to: trak.end)
    guard let header = parts.first(where: { $0.type == "tkhd" }) else { return }
    var duration = Field(file, at: header.content, short: 20, long: 28)
    if index == track, duration.value > limit {
      guard let edits = parts.first(where: { $0.type == "edts" }),
        let list = Box.boxes(in: file, from: edits.content, to: edits.end).first(where: { $0.type == "elst" }),
        try shorten(list, in: file, to: limit)
      else { return }
      duration.value = limit
      try duration.write(to: descriptor)
    }
    longest = max(longest, duration.value)
  }
  var duration = Field(file, at: header.content, short: 16, long: 24)
  if duration.value > longest {
    duration.value = longest
    try duration.write(to: descriptor)
  }
}

/// Shortens the last entry of an edit list so that all of them together reach a limit.
/// - Returns: false when the list is of another kind than libavformat writes.
private func shorten(_ list: Box, in file: MediaFile, to limit: UInt64) throws(Rejection.Reason) -> Bool {
  let entries = Int(file.bytes(at: list.content + 4, count: 4).bigEndian(at: 0, count: 4))
  guard (1...2).contains(entries) else { return false }
  let isLong = file.bytes(at: list.content, count: 1) == [1]
  let size = isLong ? 20 : 12
  var before: UInt64 = 0
  for index in 0..<entries {
    let offset = 8 + index * size
    var duration = Field(file, at: list.content, short: offset, long: offset)
    if index < entries - 1 {
      before += duration.value
    } else if limit > before {
      duration.value = limit - before
      try duration.write(to: file.descriptor)
    } else {
      return false
    }
  }
  return true
}

/// A duration in a full box.
private struct Field {
  var value: UInt64
  private let offset: Int
  private let width: Int

  /// - Parameters:
  ///   - short: where it stands in a box of version 0, from the version on.
  ///   - long: the same for version 1.
  init(_ file: MediaFile, at content: Int, short: Int, long: Int) {
    let isLong = file.bytes(at: content, count: 1) == [1]
    width = isLong ? 8 : 4
    offset = content + (isLong ? long : short)
    value = file.bytes(at: offset, count: width).bigEndian(at: 0, count: width)
  }

  func write(to descriptor: Int32) throws(Rejection.Reason) {
    let bytes = (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    let status = bytes.withUnsafeBytes { writeAll($0, into: descriptor, at: offset) }
    guard status == 0 else {
      throw Rejection.Reason(
        .storeFailed, at: .prepare, "the prepared file could not be written: \(libavDescription(of: -status))")
    }
  }
}
