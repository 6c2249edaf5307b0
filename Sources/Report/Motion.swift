import RichPush

// Whoever opens the page may hold it still (WCAG 2.2.2), so what moves has a picture that does not.

extension ReportMedia {
  /// Whether browsers show it as an animation.
  var moves: Bool {
    switch contentType {
    case "image/gif": firstPicture.map { $0.bytes.count < bytes.count } ?? true
    case "image/png": (chunkOffset("acTL") ?? .max) < (chunkOffset("IDAT") ?? .max)
    // The extended header's flags.
    case "image/webp": has("VP8X", at: 12) && bytes.count > 20 && bytes[20] & 0x02 != 0
    // The brands of sequences, in a box of such at the start.
    case "image/avif": stride(from: 8, to: min(bytes.count, 64), by: 4).contains { has("avis", at: $0) }
    default: false
    }
  }

  /// A GIF that has the first picture of this one only; nil for what is no GIF, or a broken one.
  var firstPicture: ReportMedia? {
    guard contentType == "image/gif", has("GIF8", at: 0), bytes.count > 13 else { return nil }
    // Header, screen descriptor, and the colours that all pictures share.
    var position = 13 + tableLength(bytes[10])
    while position + 10 < bytes.count {
      switch bytes[position] {
      case 0x21: position = endOfBlocks(position + 2)
      case 0x2C:
        let end = endOfBlocks(position + 11 + tableLength(bytes[position + 9]))
        guard end <= bytes.count else { return nil }
        // When no more follows but the trailer, it is the whole file.
        return end + 1 >= bytes.count
          ? self : ReportMedia(contentType: contentType, bytes: Array(bytes[..<end]) + [0x3B])
      default: return nil
      }
    }
    return nil
  }

  /// How many bytes a GIF's table of colours has, as its flags say.
  private func tableLength(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 0x07) + 1)
  }

  /// Where the blocks that begin there are over: each has its length before it, and the last one none.
  private func endOfBlocks(_ start: Int) -> Int {
    var position = start
    while position < bytes.count, bytes[position] != 0 { position += Int(bytes[position]) + 1 }
    return position + 1
  }

  /// Where a chunk of a PNG begins.
  private func chunkOffset(_ name: String) -> Int? {
    var position = 8
    while position + 8 <= bytes.count {
      if has(name, at: position + 4) { return position }
      position += bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) } + 12
    }
    return nil
  }

  private func has(_ text: String, at offset: Int) -> Bool {
    bytes.dropFirst(offset).starts(with: text.utf8)
  }
}

extension Attachment {
  /// What stands for the prepared file where nothing may move; nil when it does not move anyway, or nothing is known.
  func still(_ media: ReportMedia) -> ReportMedia? {
    guard media.moves else { return nil }
    return media.firstPicture ?? placeholderPicture
  }

  /// What an app shows as long as the file is not there.
  var placeholderPicture: ReportMedia? {
    placeholder.flatMap { ThumbHash(base64: $0.thumbHash) }
      .map { ReportMedia(contentType: "image/png", bytes: $0.picture().png) }
  }
}
