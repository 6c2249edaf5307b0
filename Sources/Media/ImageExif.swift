/// What is read of EXIF: the orientation, and whether a place is told. EXIF 2.32, in the structure of TIFF 6.0.
struct ExifSummary: Equatable {
  var orientation = Orientation(exif: 1)
  var hasLocation = false

  init() {}

  /// - Parameter block: with or without the six bytes `Exif\0\0` before the TIFF header.
  init(_ block: some Collection<UInt8>) {
    var bytes = Array(block)
    if bytes.starts(with: "Exif\0") { bytes.removeFirst(min(6, bytes.count)) }
    guard bytes.count >= 8 else { return }
    let isLittleEndian: Bool
    switch (bytes[0], bytes[1]) {
    case (0x49, 0x49): isLittleEndian = true
    case (0x4D, 0x4D): isLittleEndian = false
    default: return
    }
    func number(at offset: Int, count: Int) -> Int? {
      guard offset >= 0, offset + count <= bytes.count else { return nil }
      let digits = bytes[offset..<offset + count]
      return (isLittleEndian ? Array(digits.reversed()) : Array(digits)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard number(at: 2, count: 2) == 42, let directory = number(at: 4, count: 4),
      let entries = number(at: directory, count: 2)
    else { return }
    for entry in 0..<entries {
      let offset = directory + 2 + 12 * entry
      guard let tag = number(at: offset, count: 2), let type = number(at: offset + 2, count: 2) else { return }
      switch tag {
      case 0x0112:
        let short = 3
        let value = number(at: offset + 8, count: type == short ? 2 : 4)
        orientation = Orientation(exif: value ?? 1)
      case 0x8825:
        // Cameras without a fix write an empty directory, or one that holds its version alone.
        if let gps = number(at: offset + 8, count: 4), let count = number(at: gps, count: 2) {
          hasLocation = (0..<count).contains { number(at: gps + 2 + 12 * $0, count: 2) ?? 0 > 0 }
        }
      default: break
      }
    }
  }
}
