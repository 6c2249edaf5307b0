/// Whether a file goes on to where its container says that it ends.
///
/// A whole file whose header promises more seconds than its packets have is a file with a wrong header, and prepared as
/// what it is. One that breaks off is rejected as `truncated`, however much of it would play: what a sender did not
/// mean to send is better sent again. Transport and program streams, and recordings of live streams in Matroska, are made
/// to be cut anywhere and promise nothing: they are prepared as far as they go, and a fault or two at the end passes.
enum TimelineEnding: Equatable {
  case whole
  case cut
  /// The container says nothing about its end, as recordings of live streams do.
  case unknown
  /// The container says that whoever wrote it did not know its end, as programs do that write into a pipe.
  case streamed

  init(of source: MediaFile, _ input: LibavInput) {
    switch input.formatName {
    case "mov,mp4,m4a,3gp,3g2,mj2": self = .ofBoxes(source)
    case "matroska,webm": self = .ofMatroska(source)
    case "avi": self = .ofAVI(source)
    case "flv": self = .ofFLV(source)
    case "wav": self = .ofWAV(source)
    case "caf": self = .ofCAF(source)
    default: self = .unknown
    }
  }

  private static func ofBoxes(_ source: MediaFile) -> TimelineEnding {
    guard let last = Box.boxes(in: source).last else { return .unknown }
    if last.end > source.bytes { return .cut }
    // A box of size 0 goes on to the end, wherever that is.
    let hasSize = source.bytes(at: last.offset, count: 4) != [0, 0, 0, 0]
    return last.end == source.bytes && hasSize ? .whole : .unknown
  }

  /// The segment, which holds everything, follows the EBML header (RFC 8794, RFC 9559).
  private static func ofMatroska(_ source: MediaFile) -> TimelineEnding {
    guard let header = element(at: 0, of: source), let end = header.end,
      let segment = element(at: end, of: source), segment.id == 0x1853_8067
    else { return .unknown }
    return segment.end.map { $0 > source.bytes ? .cut : .whole } ?? .unknown
  }

  /// An EBML element's id, and where it ends; nil when that is not known.
  private static func element(at offset: Int, of source: MediaFile) -> (id: UInt64, end: Int?)? {
    let bytes = source.bytes(at: offset, count: 12)
    guard let first = bytes.first, first != 0 else { return nil }
    let idLength = first.leadingZeroBitCount + 1
    guard idLength <= 4, bytes.count > idLength, bytes[idLength] != 0 else { return nil }
    let sizeLength = bytes[idLength].leadingZeroBitCount + 1
    guard bytes.count >= idLength + sizeLength else { return nil }
    let mask: UInt64 = (1 << UInt64(7 * sizeLength)) - 1
    let size = bytes.bigEndian(at: idLength, count: sizeLength) & mask
    let (end, overflow) = (offset + idLength + sizeLength).addingReportingOverflow(Int(size))
    // All ones say that the size is not known.
    return (bytes.bigEndian(at: 0, count: idLength), size == mask || overflow ? nil : end)
  }

  private static func ofAVI(_ source: MediaFile) -> TimelineEnding {
    let size = Int(source.bytes(at: 4, count: 4).littleEndian(at: 0, count: 4))
    guard size > 4 else { return .unknown }
    guard size != 0xFFFF_FFFF else { return .streamed }
    return size + 8 > source.bytes ? .cut : .whole
  }

  /// Only a size that nobody could have meant is looked at; whether the sound breaks off, its packets tell.
  private static func ofWAV(_ source: MediaFile) -> TimelineEnding {
    source.bytes(at: 0, count: 8) == Array("RIFF".utf8) + [0xFF, 0xFF, 0xFF, 0xFF] ? .streamed : .unknown
  }

  /// A data chunk of size -1 goes on to the end of the file (Apple Core Audio Format, "Audio Data Chunk").
  private static func ofCAF(_ source: MediaFile) -> TimelineEnding {
    var offset = 8
    for _ in 0..<100 {
      let header = source.bytes(at: offset, count: 12)
      guard header.count == 12 else { return .unknown }
      let size = Int64(bitPattern: header.bigEndian(at: 4, count: 8))
      if header.starts(with: "data") { return size == -1 ? .streamed : .unknown }
      let (next, overflow) = (offset + 12).addingReportingOverflow(Int(size))
      guard size >= 0, !overflow else { return .unknown }
      offset = next
    }
    return .unknown
  }

  /// Behind each tag stands its size again.
  private static func ofFLV(_ source: MediaFile) -> TimelineEnding {
    guard source.bytes > 28 else { return .cut }
    let size = Int(source.bytes(at: source.bytes - 4, count: 4).bigEndian(at: 0, count: 4))
    guard size >= 11, size < source.bytes - 17 else { return .cut }
    let tag = source.bytes(at: source.bytes - 4 - size, count: 4)
    return [8, 9, 18].contains(tag[0] & 0x1F) && Int(tag.bigEndian(at: 1, count: 3)) == size - 11 ? .whole : .cut
  }
}
