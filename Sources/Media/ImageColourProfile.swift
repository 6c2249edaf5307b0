import Glibc

/// What is read of an ICC profile (ICC.1:2022) to know whether its colours have to be converted, and to name them.
struct ColourProfile: Equatable {
  let bytes: [UInt8]

  /// The colour space of the pixels, such as `RGB ` or `GRAY`; nil when this is no profile.
  var space: String? {
    guard bytes.count >= 132, bytes[36...].starts(with: "acsp") else { return nil }
    return String(decoding: bytes[16..<20], as: UTF8.self)
  }

  /// The profile's description, for people.
  var name: String {
    guard let tag = tag("desc") else { return "its colour profile" }
    let text: String
    if tag.starts(with: "mluc") {
      guard let length = number(tag, 20, 4), let start = number(tag, 24, 4), length <= 512,
        start + length <= tag.count
      else { return "its colour profile" }
      let units = stride(from: start, to: start + length - 1, by: 2).compactMap { number(tag, $0, 2) }
      text = String(decoding: units.map(UInt16.init(truncatingIfNeeded:)), as: UTF16.self)
    } else {
      guard let length = number(tag, 8, 4), length <= 512, 12 + length <= tag.count else { return "its colour profile" }
      text = String(decoding: tag.dropFirst(12).prefix(length).prefix { $0 != 0 }, as: UTF8.self)
    }
    let readable = text.filter { !$0.isNewline && ($0.isLetter || $0.isNumber || " -.,()/+".contains($0)) }
    return readable.isEmpty ? "its colour profile" : String(readable.prefix(60))
  }

  /// Whether pixels in this space look the same when taken for sRGB (IEC 61966-2-1): equal primaries and an equal tone
  /// curve, whatever the profile is called.
  var isPlainSRGB: Bool {
    // sRGB's primaries, adapted to D50.
    let primaries: [(tag: String, xyz: [Double])] = [
      ("rXYZ", [0.4361, 0.2225, 0.0139]), ("gXYZ", [0.3851, 0.7169, 0.0971]), ("bXYZ", [0.1431, 0.0606, 0.7141]),
    ]
    switch space {
    case "RGB ":
      // Tables for more than matrix and curves can do anything.
      guard tag("A2B0") == nil else { return false }
      for primary in primaries {
        guard let tag = tag(primary.tag), tag.count >= 20 else { return false }
        for (index, wanted) in primary.xyz.enumerated() {
          guard let value = fixed(tag, 8 + 4 * index), abs(value - wanted) < 0.004 else { return false }
        }
      }
      return ["rTRC", "gTRC", "bTRC"].allSatisfy(hasSRGBCurve)
    case "GRAY": return hasSRGBCurve("kTRC")
    default: return false
    }
  }

  private func hasSRGBCurve(_ name: String) -> Bool {
    guard let curve = tag(name).flatMap(toneCurve) else { return false }
    return stride(from: 0.0, through: 1.0, by: 0.125).allSatisfy { value in
      let wanted = value <= 0.040_45 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      // Gamma 2.2 is at most 0.008 off.
      return abs(curve(value) - wanted) < 0.01
    }
  }

  private func toneCurve(_ tag: ArraySlice<UInt8>) -> ((Double) -> Double)? {
    if tag.starts(with: "curv") {
      guard let count = number(tag, 8, 4) else { return nil }
      if count == 0 { return { $0 } }
      if count == 1 {
        guard let gamma = number(tag, 12, 2) else { return nil }
        return { pow($0, Double(gamma) / 256) }
      }
      guard 12 + 2 * count <= tag.count else { return nil }
      return { value in
        let place = value * Double(count - 1)
        let index = min(Int(place), count - 2)
        let low = Double(number(tag, 12 + 2 * index, 2) ?? 0)
        let high = Double(number(tag, 14 + 2 * index, 2) ?? 0)
        return (low + (high - low) * (place - Double(index))) / 65_535
      }
    }
    guard tag.starts(with: "para"), let kind = number(tag, 8, 2), let gamma = fixed(tag, 12) else { return nil }
    if kind == 0 { return { pow($0, gamma) } }
    guard kind == 3 || kind == 4, let a = fixed(tag, 16), let b = fixed(tag, 20), let c = fixed(tag, 24),
      let d = fixed(tag, 28)
    else { return nil }
    let (e, f) = kind == 4 ? (fixed(tag, 32) ?? 0, fixed(tag, 36) ?? 0) : (0, 0)
    return { $0 >= d ? pow(a * $0 + b, gamma) + e : c * $0 + f }
  }

  private func tag(_ name: String) -> ArraySlice<UInt8>? {
    guard space != nil, let count = number(bytes[...], 128, 4) else { return nil }
    for index in 0..<min(count, 100) {
      let entry = 132 + 12 * index
      guard let start = number(bytes[...], entry + 4, 4), let length = number(bytes[...], entry + 8, 4) else {
        return nil
      }
      guard bytes[entry..<entry + 4].elementsEqual(name.utf8) else { continue }
      guard start + length <= bytes.count else { return nil }
      return bytes[start..<start + length]
    }
    return nil
  }

  private func number(_ bytes: ArraySlice<UInt8>, _ offset: Int, _ count: Int) -> Int? {
    let start = bytes.startIndex + offset
    guard offset >= 0, start + count <= bytes.endIndex else { return nil }
    return bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A signed number with 16 bits behind the point.
  private func fixed(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> Double? {
    number(bytes, offset, 4).map { Double(Int32(truncatingIfNeeded: $0)) / 65_536 }
  }
}
