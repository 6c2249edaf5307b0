import Preparation

/// The chunks of a PNG file (W3C PNG, third edition), found without a decoder. The frames of an animation are counted
/// rather than believed, and their delays are exact, which libavformat rounds and replaces.
struct PNGStructure {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// A file without a header chunk has a width of 0.
  var width = 0
  var height = 0
  var bitDepth = 0
  var colourType: UInt8 = 0
  var hasTransparency = false
  var hasColourProfile = false
  /// Whether an animation control chunk stands before the picture's data.
  var isAnimated = false
  /// How often the animation plays, 0 for ever.
  var plays = 0
  /// How long each frame is shown, in milliseconds. A default image that is not part of the animation has none.
  var delays: [Int] = []
  var metadata: Set<MediaFacts.Metadata> = []
  /// Whether the file ends before its first chunk does, which is the header.
  var isHeadless = true
  /// Whether the file ends inside a chunk or without its end chunk.
  var isCutShort = true

  var isGrey: Bool { colourType == 0 || colourType == 4 }
  var hasAlpha: Bool { hasTransparency || colourType & 4 != 0 }

  init(_ file: MediaFile) {
    var window = FileWindow(file)
    var offset = Self.signature.count
    var hasData = false
    while let length = window.bigEndian32(at: offset), length <= 0x7FFF_FFFF {
      let content = offset + 8
      let end = content + length + 4
      if offset == Self.signature.count { isHeadless = end > file.bytes }
      switch window.name(at: offset + 4) {
      case "IHDR":
        width = window.bigEndian32(at: content) ?? 0
        height = window.bigEndian32(at: content + 4) ?? 0
        bitDepth = Int(window.byte(at: content + 8) ?? 0)
        colourType = window.byte(at: content + 9) ?? 0
      case "IDAT": hasData = true
      case "acTL" where !hasData:
        isAnimated = true
        plays = window.bigEndian32(at: content + 4) ?? 0
      case "fcTL": delays.append(Self.delay(&window, at: content + 20))
      case "tRNS": hasTransparency = true
      case "iCCP": hasColourProfile = true
      case "eXIf": metadata.insert(.exif)
      case "iTXt" where window.bytes(at: content, count: 17).starts(with: "XML:com.adobe.xmp"): metadata.insert(.xmp)
      case "tEXt", "zTXt", "iTXt": metadata.insert(.comment)
      case "IEND":
        isCutShort = end > file.bytes
        if end < file.bytes { metadata.insert(.trailingData) }
        return
      default: break
      }
      offset = end
    }
  }

  /// Milliseconds from a fraction of a second.
  private static func delay(_ window: inout FileWindow, at offset: Int) -> Int {
    let numerator = window.bigEndian16(at: offset) ?? 0
    let denominator = window.bigEndian16(at: offset + 2) ?? 0
    // A denominator of 0 stands for hundredths of a second.
    return Int((Double(numerator) / Double(denominator == 0 ? 100 : denominator) * 1000).rounded())
  }
}
