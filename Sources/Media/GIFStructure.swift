import Preparation

/// The blocks of a GIF file (GIF89a specification, CompuServe 1990), found without a decoder.
struct GIFStructure {
  struct Frame {
    /// Milliseconds, as stored.
    var delay = 0
    /// The packed fields of the graphic control extension; nil when there is none.
    var control: UInt8?
    var transparentIndex: UInt8 = 0
    /// From the image descriptor to the end of the pixel data.
    var image = 0..<0
    var left = 0
    var top = 0
    var width = 0
    var height = 0

    var isTransparent: Bool { (control ?? 0) & 1 != 0 }
    /// Whether the place of the frame is cleared before the next one is drawn.
    var isCleared: Bool { (control ?? 0) >> 2 & 7 == 2 }
  }

  enum Ending: Equatable {
    case trailer
    /// All blocks are whole, and then nothing or garbage follows.
    case missingTrailer
    /// The file ends inside a block.
    case cut
    /// There are more frames than wanted.
    case notReached
  }

  var width = 0
  var height = 0
  /// Header, logical screen and global colour table.
  var prefix = 0..<0
  var frames: [Frame] = []
  /// What the looping extension says: how often to repeat, 0 for ever; nil without one.
  var loop: Int?
  var ending = Ending.cut
  var metadata: Set<MediaFacts.Metadata> = []

  /// How often the animation is shown, 0 for ever. The extension counts repetitions, so that 3 of them are 4 plays.
  var plays: Int {
    guard let loop else { return 1 }
    return loop == 0 ? 0 : loop + 1
  }

  /// Whether frames that are not transparent themselves leave some of the screen without anything drawn on it.
  var uncoversScreen: Bool {
    guard let first = frames.first else { return false }
    let fillsScreen = first.left == 0 && first.top == 0 && first.width >= width && first.height >= height
    return !fillsScreen && !first.isTransparent || frames.contains { $0.isCleared && !$0.isTransparent }
  }

  /// - Parameter most: the walk ends when there are more frames than this.
  init(_ file: MediaFile, most: Int) {
    var window = FileWindow(file)
    guard let width = window.littleEndian16(at: 6), let height = window.littleEndian16(at: 8),
      let packed = window.byte(at: 10)
    else { return }
    (self.width, self.height) = (width, height)
    prefix = 0..<13 + Self.tableBytes(packed)
    var offset = prefix.upperBound
    var frame = Frame()
    walk: while true {
      guard let introducer = window.byte(at: offset) else {
        if offset == file.bytes, !frames.isEmpty { ending = .missingTrailer }
        return
      }
      switch introducer {
      case 0x2C:
        guard let end = Self.readImage(&window, at: offset, &frame) else { return }
        frames.append(frame)
        frame = Frame()
        offset = end
        if frames.count > most {
          ending = .notReached
          return
        }
      case 0x21:
        guard let end = readExtension(&window, at: offset, &frame) else { return }
        offset = end
      case 0x3B:
        ending = .trailer
        if offset + 1 < file.bytes { metadata.insert(.trailingData) }
        return
      case 0: offset += 1
      default:
        // No decoder goes on here.
        ending = frames.isEmpty ? .cut : .missingTrailer
        metadata.insert(.trailingData)
        break walk
      }
    }
  }

  private static func tableBytes(_ packed: UInt8) -> Int {
    packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1)
  }

  /// - Returns: the offset behind the image; nil when the file ends before.
  private static func readImage(_ window: inout FileWindow, at offset: Int, _ frame: inout Frame) -> Int? {
    guard let left = window.littleEndian16(at: offset + 1), let top = window.littleEndian16(at: offset + 3),
      let width = window.littleEndian16(at: offset + 5), let height = window.littleEndian16(at: offset + 7),
      let packed = window.byte(at: offset + 9)
    else { return nil }
    (frame.left, frame.top, frame.width, frame.height) = (left, top, width, height)
    // The minimum code size stands between the colours and the data.
    guard let end = skipData(&window, from: offset + 10 + tableBytes(packed) + 1) else { return nil }
    frame.image = offset..<end
    return end
  }

  private mutating func readExtension(_ window: inout FileWindow, at offset: Int, _ frame: inout Frame) -> Int? {
    guard let label = window.byte(at: offset + 1) else { return nil }
    switch label {
    case 0xF9:
      guard window.byte(at: offset + 2) == 4, let packed = window.byte(at: offset + 3),
        let delay = window.littleEndian16(at: offset + 4), let index = window.byte(at: offset + 6)
      else { break }
      frame.control = packed
      frame.delay = delay * 10
      frame.transparentIndex = index
    case 0xFE: metadata.insert(.comment)
    case 0x01:
      // Plain text is a picture of its own that nobody draws; it takes the control block that stands before it.
      frame = Frame()
    case 0xFF:
      let name = window.bytes(at: offset + 3, count: 11)
      if name.starts(with: "NETSCAPE2.0") || name.starts(with: "ANIMEXTS1.0") {
        if window.byte(at: offset + 14) == 3, window.byte(at: offset + 15) == 1 {
          loop = window.littleEndian16(at: offset + 16)
        }
      } else {
        metadata.insert(name.starts(with: "XMP DataXMP") ? .xmp : .tags)
      }
    default: break
    }
    return Self.skipData(&window, from: offset + 2)
  }

  /// Data comes in blocks that begin with their length; an empty one is the last.
  private static func skipData(_ window: inout FileWindow, from start: Int) -> Int? {
    var offset = start
    while let length = window.byte(at: offset) {
      offset += 1 + Int(length)
      if length == 0 { return offset }
    }
    return nil
  }
}
