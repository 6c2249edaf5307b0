/// Whether a file of boxes (ISO/IEC 14496-12) ends inside one of its outermost ones.
func boxesAreCutShort(_ file: MediaFile) -> Bool {
  guard let last = Box.boxes(in: file).last else { return true }
  return last.end > file.bytes
}

/// The size with the longest side that a HEIF file's image properties claim, found without a decoder; nil when there
/// is none.
///
/// It is for files that libheif refuses before it tells how large they are.
func largestClaimedSize(_ file: MediaFile) -> (width: Int, height: Int)? {
  let head = file.bytes(at: 0, count: min(file.bytes, 65_536))
  var largest: (width: Int, height: Int)?
  var offset = 4
  // A property is a full box: its length, `ispe`, version and flags, then two numbers.
  while offset + 16 <= head.count {
    if head[offset] == 0x69, head[offset...].starts(with: "ispe") {
      let width = Int(head.bigEndian(at: offset + 8, count: 4))
      let height = Int(head.bigEndian(at: offset + 12, count: 4))
      if max(width, height) > (largest.map { max($0.width, $0.height) } ?? 0) { largest = (width, height) }
    }
    offset += 1
  }
  return largest
}
