import Preparation
import RichPush

/// What the first bytes of a file say it is. Names, extensions and declared types play no part.
enum Signature: Equatable {
  /// A picture or animation in one of the formats that are read as such.
  case picture(MediaFormat)
  /// Something that is recognised and never opened.
  case refused(Rejection.Reason)
  /// Anything else: libavformat decides.
  case unknown
}

extension Signature {
  /// How many bytes from the beginning on are looked at.
  static let length = 4096

  init(of source: MediaFile) {
    let head = source.bytes(at: 0, count: min(source.bytes, Signature.length))
    self.init(head: head) { PNGStructure(source).isAnimated }
  }

  /// - Parameters:
  ///   - head: the first `length` bytes, or all of a shorter file.
  ///   - isAnimated: whether what begins as PNG is an animation.
  init(head: [UInt8], isAnimated: () -> Bool) {
    if let format = pictureFormat(head, isAnimated) {
      self = .picture(format)
    } else if head.count > 11, head[4...].starts(with: "ftypmif3") {
      // ISO/IEC 23008-12/AMD 2: no library here knows its `mini` box.
      self = .refused(Rejection.Reason(.unsupportedType, at: .inspect, "low-overhead HEIF images are not read"))
    } else if let name = refusedName(head) {
      self = .refused(.notMedia(name, at: .inspect))
    } else {
      self = .unknown
    }
  }
}

private func pictureFormat(_ head: [UInt8], _ isAnimated: () -> Bool) -> MediaFormat? {
  if head.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
  if head.starts(with: PNGStructure.signature) { return isAnimated() ? .apng : .png }
  if head.starts(with: "GIF87a") || head.starts(with: "GIF89a") { return .gif }
  if head.starts(with: "RIFF"), head.dropFirst(8).starts(with: "WEBP") { return .webp }
  if head.starts(with: "8BPS") { return .psd }
  if head.starts(with: [0x49, 0x49, 0x2A, 0]) || head.starts(with: [0x4D, 0x4D, 0, 0x2A])
    || head.starts(with: [0x49, 0x49, 0x2B, 0, 8, 0]) || head.starts(with: [0x4D, 0x4D, 0, 0x2B, 0, 8])
  {
    return .tiff
  }
  if head.starts(with: jpeg2000Signature) || head.starts(with: jpeg2000Codestream) { return .jpeg2000 }
  if head.starts(with: jpegXLSignature) || head.starts(with: jpegXLCodestream) { return .jpegXL }
  if isBitmap(head) { return .bmp }
  if isIcon(head) { return .ico }
  return HEIFBrands(head)?.format
}

/// `BM` alone begins many words: the header's length has to be one of those that exist.
private func isBitmap(_ head: [UInt8]) -> Bool {
  guard head.starts(with: "BM"), head.count >= 18 else { return false }
  return [12, 16, 40, 52, 56, 64, 108, 124].contains(head[14]) && head[15...17].allSatisfy { $0 == 0 }
}

/// An icon or a cursor: its first entry has a reserved zero, and lies behind the directory.
private func isIcon(_ head: [UInt8]) -> Bool {
  guard head.count >= 22, head[0] == 0, head[1] == 0, head[2] == 1 || head[2] == 2, head[3] == 0 else { return false }
  let entries = Int(head[4]) | Int(head[5]) << 8
  let offset = Int(head[18]) | Int(head[19]) << 8 | Int(head[20]) << 16 | Int(head[21]) << 24
  return entries > 0 && entries < 1000 && head[9] == 0 && offset >= 6 + 16 * entries
}

/// The brands of a file in the ISO base media format that holds pictures (ISO/IEC 23008-12, AVIF).
struct HEIFBrands: Equatable {
  let format: MediaFormat
  /// Whether the file is first of all a sequence of pictures.
  let isSequence: Bool

  /// nil for everything else, video in particular.
  init?(_ head: [UInt8]) {
    guard head.count >= 16, head[4...].starts(with: "ftyp") else { return nil }
    let length = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
    func brand(at offset: Int) -> String { String(decoding: head[offset..<offset + 4], as: UTF8.self) }
    let major = brand(at: 8)
    let compatible = Set(stride(from: 16, to: min(length, head.count) - 3, by: 4).map(brand))
    switch major {
    case "avif": (format, isSequence) = (.avif, false)
    case "avis": (format, isSequence) = (.avif, true)
    case "heic", "heix", "heim", "heis": (format, isSequence) = (.heif, false)
    case "hevc", "hevx", "hevm", "hevs": (format, isSequence) = (.heif, true)
    case "mif1", "mif2", "miaf": (format, isSequence) = (compatible.contains("avif") ? .avif : .heif, false)
    case "msf1": (format, isSequence) = (compatible.contains("avis") ? .avif : .heif, true)
    default: return nil
    }
  }
}
