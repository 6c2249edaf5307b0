import Preparation

/// Whether a file of boxes (ISO/IEC 14496-12) ends inside one of its outermost ones.
func boxesAreCutShort(_ file: MediaFile) -> Bool {
  var window = FileWindow(file)
  var offset = 0
  while offset < file.bytes {
    guard var length = window.bigEndian32(at: offset) else { return true }
    if length == 0 { return false }
    if length == 1 {
      guard let high = window.bigEndian32(at: offset + 8), high == 0, let low = window.bigEndian32(at: offset + 12)
      else { return true }
      length = low
    }
    guard length >= 8 else { return false }
    offset += length
  }
  return offset > file.bytes
}

/// The largest size that a HEIF file's image properties claim, found without a decoder; nil when there is none.
///
/// It is for files that libheif refuses before it tells how large they are.
func largestClaimedSize(_ file: MediaFile) -> (width: Int, height: Int)? {
  let head = file.bytes(at: 0, count: min(file.bytes, 65_536))
  var largest: (width: Int, height: Int)?
  var offset = 4
  // A property is a full box: its length, `ispe`, version and flags, then two numbers.
  while offset + 16 <= head.count {
    if head[offset] == 0x69, head[offset...].starts(with: "ispe") {
      let width = head[offset + 8..<offset + 12].reduce(0) { $0 << 8 | Int($1) }
      let height = head[offset + 12..<offset + 16].reduce(0) { $0 << 8 | Int($1) }
      // Two numbers of 32 bits, whose product may be too large for an Int.
      if Double(width) * Double(height) > largest.map({ Double($0.width) * Double($0.height) }) ?? 0 {
        largest = (width, height)
      }
    }
    offset += 1
  }
  return largest
}
