import Preparation
import RichPush

/// The segments of a JPEG file before its pixels (ITU-T T.81, annex B), found without a decoder.
struct JPEGStructure {
  /// The process: 0 baseline, 1 extended sequential, 2 progressive, 3 lossless, 9 and 10 arithmetic …
  var process = 0
  var width = 0
  var height = 0
  var precision = 8
  var components = 0
  var exif = ExifSummary()
  var profile: ColourProfile?
  var metadata: Set<MediaFacts.Metadata> = []
  /// Whether the segments up to the first scan are whole.
  var hasScan = false
  /// Whether the first segment says JFIF.
  var startsWithJFIF = false
  /// Names of the application segments and comments, in order.
  var segments: [UInt8] = []

  /// The most bytes of an ICC profile that are put together. CMYK profiles have 500 kB and more.
  private static let maximumProfileBytes = 8_000_000

  /// nil when no frame header is found.
  init?(_ file: MediaFile) {
    var window = FileWindow(file)
    guard window.bigEndian16(at: 0) == 0xFFD8 else { return nil }
    var offset = 2
    var profileParts: [(number: UInt8, bytes: [UInt8])] = []
    var profileBytes = 0
    walk: while true {
      // Fill bytes, and garbage that decoders skip.
      guard let marker = Self.nextMarker(&window, from: &offset) else { break }
      guard ![0x01, 0xD8].contains(marker), !(0xD0...0xD7).contains(marker) else { continue }
      guard marker != 0xD9, let length = window.bigEndian16(at: offset), length >= 2 else { break }
      let payload = offset + 2
      let payloadCount = length - 2
      switch marker {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        guard let precision = window.byte(at: payload), let height = window.bigEndian16(at: payload + 1),
          let width = window.bigEndian16(at: payload + 3), let components = window.byte(at: payload + 5)
        else { break walk }
        process = Int(marker) - 0xC0
        (self.precision, self.width, self.height) = (Int(precision), width, height)
        self.components = Int(components)
      case 0xDA:
        hasScan = true
        break walk
      case 0xE0...0xEF, 0xFE:
        segments.append(marker)
        let head = window.bytes(at: payload, count: min(payloadCount, 64))
        if marker == 0xE0, head.starts(with: "JFIF\0"), segments.count == 1, offset == 4 { startsWithJFIF = true }
        if marker == 0xE2, head.starts(with: "ICC_PROFILE\0"), head.count > 14,
          profileBytes + payloadCount <= Self.maximumProfileBytes
        {
          profileBytes += payloadCount
          profileParts.append((head[12], window.bytes(at: payload + 14, count: payloadCount - 14)))
        }
        note(marker, head, window.bytes(at: payload, count: marker == 0xE1 ? payloadCount : 0))
      default: break
      }
      offset += length
    }
    guard components > 0 else { return nil }
    if !profileParts.isEmpty {
      profileParts.sort { $0.number < $1.number }
      let joined = ColourProfile(bytes: profileParts.flatMap(\.bytes))
      profile = joined.space == nil ? nil : joined
    }
    // Behind the end marker there is either nothing or a stowaway: a second picture, a video, an archive.
    let end = Array(window.bytes(at: max(0, file.bytes - 64), count: 64).reversed().drop { $0 == 0 })
    if hasScan, !end.starts(with: [0xD9, 0xFF]) { metadata.insert(.trailingData) }
  }

  private static func nextMarker(_ window: inout FileWindow, from offset: inout Int) -> UInt8? {
    while let byte = window.byte(at: offset) {
      offset += 1
      guard byte == 0xFF else { continue }
      while let marker = window.byte(at: offset) {
        offset += 1
        if marker == 0xFF { continue }
        if marker == 0 { break }
        return marker
      }
    }
    return nil
  }

  private mutating func note(_ marker: UInt8, _ head: [UInt8], _ payload: [UInt8]) {
    switch marker {
    case 0xE1 where head.starts(with: "Exif\0") && !metadata.contains(.exif):
      metadata.insert(.exif)
      exif = ExifSummary(payload)
      if exif.hasLocation { metadata.insert(.gps) }
    case 0xE1 where head.starts(with: "http://ns.adobe.com/"): metadata.insert(.xmp)
    case 0xE2 where head.starts(with: "MPF\0"): metadata.insert(.auxiliaryImages)
    case 0xED: metadata.insert(.iptc)
    case 0xFE: metadata.insert(.comment)
    default: break
    }
  }

  /// Whether the file ends before its pixels do: no end marker follows the last scan.
  static func isCutShort(_ file: MediaFile) -> Bool {
    var window = FileWindow(file)
    var offset = 2
    while let marker = nextMarker(&window, from: &offset) {
      if marker == 0xD9 { return false }
      // In a scan, what looks like a marker is one.
      guard marker != 0x01, !(0xD0...0xD8).contains(marker) else { continue }
      guard let length = window.bigEndian16(at: offset) else { return true }
      offset += max(length, 2)
    }
    return true
  }
}
