import RichPush

/// What the chunks of a PNG say about its animation (www.w3.org/TR/png-3, 11.3.2). The frames are counted rather than
/// believed, and their delays are exact, which libavformat rounds and replaces.
struct AnimatedPNG {
  var width = 0
  var height = 0
  var bitsPerChannel = 8
  var isGrey = false
  var hasAlpha = false
  var hasColourProfile = false
  var hasExif = false
  var hasText = false
  /// Bytes behind the end of the picture.
  var hasTrailingData = false
  /// How often the animation plays, 0 for ever.
  var plays = 0
  /// How long each frame is shown, in milliseconds. A default image that is not part of the animation has none.
  var delays: [Int] = []

  /// - Throws: `corrupt` or `truncated` when the chunks do not lead to the end of the picture.
  init(_ source: MediaFile, at stage: Rejection.Stage) throws(Rejection.Reason) {
    guard source.bytes(at: 0, count: 8) == pngSignature else {
      throw Rejection.Reason(.corrupt, at: stage, "the file does not start as a PNG does")
    }
    var offset = 8
    while true {
      let head = source.bytes(at: offset, count: 8)
      guard head.count == 8 else { throw AnimatedPNG.truncated(at: stage) }
      let length = Int(head.bigEndian(at: 0, count: 4))
      let end = offset + 12 + length
      guard length <= Int(Int32.max), end <= source.bytes else { throw AnimatedPNG.truncated(at: stage) }
      let type = String(decoding: head[4..<8], as: UTF8.self)
      if type == "IEND" {
        hasTrailingData = end < source.bytes
        return
      }
      note(type, source.bytes(at: offset + 8, count: min(length, 26)))
      offset = end
    }
  }

  private mutating func note(_ type: String, _ content: [UInt8]) {
    switch type {
    case "IHDR" where content.count >= 13:
      width = Int(content.bigEndian(at: 0, count: 4))
      height = Int(content.bigEndian(at: 4, count: 4))
      bitsPerChannel = Int(content[8])
      isGrey = content[9] == 0 || content[9] == 4
      hasAlpha = hasAlpha || content[9] & 4 != 0
    case "tRNS": hasAlpha = true
    case "iCCP": hasColourProfile = true
    case "eXIf": hasExif = true
    case "tEXt", "zTXt", "iTXt": hasText = true
    case "acTL" where content.count >= 8: plays = Int(content.bigEndian(at: 4, count: 4))
    case "fcTL" where content.count == 26:
      let denominator = Int(content.bigEndian(at: 22, count: 2))
      // A denominator of 0 stands for hundredths of a second.
      let fraction = Double(content.bigEndian(at: 20, count: 2)) / Double(denominator == 0 ? 100 : denominator)
      delays.append(Int((fraction * 1000).rounded()))
    default: break
    }
  }

  private static func truncated(at stage: Rejection.Stage) -> Rejection.Reason {
    Rejection.Reason(.truncated, at: stage, "the file ends before the PNG's end")
  }
}
