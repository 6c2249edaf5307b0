/// One box of an ISO base media file (ISO/IEC 14496-12), as its header describes it.
struct Box: Equatable {
  var type: String
  /// Offset of the box's header in the file, in bytes.
  var offset: Int
  /// Offset of what the box holds.
  var content: Int
  /// Offset behind the box, as its header says: it may lie behind the end of the file.
  var end: Int

  /// Reads the boxes that lie one behind the other from `offset` on.
  /// - Parameter limit: where they end; a box with size 0 reaches to there.
  /// - Returns: at most `count` boxes, ending with the first that makes no sense or passes the limit.
  static func boxes(in file: MediaFile, from offset: Int = 0, to limit: Int? = nil, count: Int = 1000) -> [Box] {
    let limit = limit ?? file.bytes
    var boxes: [Box] = []
    var offset = offset
    while offset < limit, boxes.count < count, let box = Box(in: file, at: offset, to: limit) {
      boxes.append(box)
      offset = box.end
    }
    return boxes
  }
}

extension Box {
  private init?(in file: MediaFile, at offset: Int, to limit: Int) {
    let header = file.bytes(at: offset, count: 16)
    guard header.count >= 8 else { return nil }
    type = String(decoding: header[4..<8], as: UTF8.self)
    self.offset = offset
    let size = header.bigEndian(at: 0, count: 4)
    let length: Int
    switch size {
    case 0:
      content = offset + 8
      length = limit - offset
    case 1:
      guard header.count == 16, let large = Int(exactly: header.bigEndian(at: 8, count: 8)) else { return nil }
      content = offset + 16
      length = large
    default:
      content = offset + 8
      length = Int(size)
    }
    let (end, overflow) = offset.addingReportingOverflow(length)
    guard !overflow, end >= content else { return nil }
    self.end = end
  }
}

/// The index of the track that holds the transparency of a picture sequence (ISO/IEC 23008-12, 7.5.3: an auxiliary
/// track); nil when there is none. libavformat takes it for another video.
func alphaTrack(of file: MediaFile) -> Int? {
  func boxes(in box: Box, _ type: String) -> [Box] {
    Box.boxes(in: file, from: box.content, to: box.end).filter { $0.type == type }
  }
  guard let movie = Box.boxes(in: file).first(where: { $0.type == "moov" }) else { return nil }
  return boxes(in: movie, "trak").firstIndex { track in
    guard let media = boxes(in: track, "mdia").first, let handler = boxes(in: media, "hdlr").first else { return false }
    return file.bytes(at: handler.content + 8, count: 4) == Array("auxv".utf8)
  }
}

extension Array where Element == UInt8 {
  /// The number in `count` bytes from `index` on, most significant first; 0 where bytes are missing.
  func bigEndian(at index: Int, count: Int) -> UInt64 {
    guard index >= 0, index + count <= self.count else { return 0 }
    return self[index..<index + count].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The number in `count` bytes from `index` on, least significant first; 0 where bytes are missing.
  func littleEndian(at index: Int, count: Int) -> UInt64 {
    guard index >= 0, index + count <= self.count else { return 0 }
    return self[index..<index + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
