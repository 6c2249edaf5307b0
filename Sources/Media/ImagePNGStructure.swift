import Preparation

/// The chunks of a PNG file (W3C PNG, third edition), found without a decoder.
struct PNGStructure {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  var width = 0
  var height = 0
  var bitDepth = 0
  var colourType: UInt8 = 0
  /// Whether an animation control chunk stands before the picture's data.
  var isAnimated = false
  var hasTransparency = false
  var metadata: Set<MediaFacts.Metadata> = []
  var chunks: [String] = []
  /// Whether the file ends inside a chunk or without its end chunk.
  var isCutShort = true

  /// A file without a header chunk has a width of 0.
  init(_ file: MediaFile) {
    var window = FileWindow(file)
    var offset = Self.signature.count
    var hasData = false
    while let length = window.bigEndian32(at: offset), length <= 0x7FFF_FFFF {
      let name = String(decoding: window.bytes(at: offset + 4, count: 4), as: UTF8.self)
      if chunks.last != name { chunks.append(name) }
      switch name {
      case "IHDR":
        width = window.bigEndian32(at: offset + 8) ?? 0
        height = window.bigEndian32(at: offset + 12) ?? 0
        bitDepth = Int(window.byte(at: offset + 16) ?? 0)
        colourType = window.byte(at: offset + 17) ?? 0
      case "IDAT": hasData = true
      case "acTL" where !hasData: isAnimated = true
      case "tRNS": hasTransparency = true
      case "eXIf": metadata.insert(.exif)
      case "iTXt" where window.bytes(at: offset + 8, count: 17).starts(with: "XML:com.adobe.xmp"): metadata.insert(.xmp)
      case "tEXt", "zTXt", "iTXt": metadata.insert(.comment)
      default: break
      }
      offset += 12 + length
      if name == "IEND" {
        isCutShort = offset > file.bytes
        if offset < file.bytes { metadata.insert(.trailingData) }
        return
      }
      // A broken file may hold millions of empty chunks.
      guard chunks.count < 10_000 else { return }
    }
  }
}
