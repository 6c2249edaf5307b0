/// What the boxes of a track of an ISO base media file say and libavformat does not tell.
struct ISOTrack: Equatable {
  /// The track's number, which is libavformat's id of the stream.
  var id: Int
  /// Whether a sample entry is one of those that stand for another, encrypted one (ISO/IEC 14496-12, 8.12; `drms` and
  /// `drmi` are Apple's).
  var isEncrypted = false
  /// Whether an edit shows the media at other than its own speed, or holds one picture (ISO/IEC 14496-12, 8.6.6:
  /// media_rate).
  var changesSpeed = false

  /// The tracks of the file's movie box, in its order; none in files of other kinds.
  static func tracks(of file: MediaFile) -> [ISOTrack] {
    guard let movie = Box.boxes(in: file).first(where: { $0.type == "moov" }) else { return [] }
    return movie.children("trak", in: file).prefix(LibavInput.maximumStreams).compactMap { ISOTrack($0, in: file) }
  }

  private init?(_ track: Box, in file: MediaFile) {
    guard let header = track.children("tkhd", in: file).first else { return nil }
    // In version 1 the two dates before it have 8 bytes instead of 4.
    let isLong = file.bytes(at: header.content, count: 1) == [1]
    id = Int(file.bytes(at: header.content + (isLong ? 20 : 12), count: 4).bigEndian(at: 0, count: 4))
    if let edits = track.children("edts", in: file).first?.children("elst", in: file).first {
      changesSpeed = ISOTrack.changesSpeed(edits, in: file)
    }
    let tables = track.children("mdia", in: file).flatMap { $0.children("minf", in: file) }
      .flatMap { $0.children("stbl", in: file) }.flatMap { $0.children("stsd", in: file) }
    // The entries follow their count.
    let entries = tables.flatMap { Box.boxes(in: file, from: $0.content + 8, to: $0.end, count: 16) }
    isEncrypted = entries.contains { ["encv", "enca", "drmi", "drms"].contains($0.type) }
  }

  private static func changesSpeed(_ list: Box, in file: MediaFile) -> Bool {
    let head = file.bytes(at: list.content, count: 8)
    let width = head.first == 1 ? 8 : 4
    let size = 2 * width + 4
    let count = min(Int(head.bigEndian(at: 4, count: 4)), (list.end - list.content - 8) / size, 10_000)
    guard count > 0 else { return false }
    let entries = file.bytes(at: list.content + 8, count: count * size)
    return stride(from: 0, to: entries.count - size + 1, by: size).contains { entry in
      let isEmpty = entries[entry + width..<entry + 2 * width].allSatisfy { $0 == 0xFF }
      return !isEmpty && entries.bigEndian(at: entry, count: width) > 0
        && entries.bigEndian(at: entry + 2 * width, count: 4) != 0x10000
    }
  }
}

extension Box {
  /// The boxes of one type directly inside this one.
  func children(_ type: String, in file: MediaFile) -> [Box] {
    Box.boxes(in: file, from: content, to: min(end, file.bytes)).filter { $0.type == type }
  }
}
