import Preparation

#if canImport(Glibc)
  import Glibc
#endif

/// A file that is only partly there. What is missing of it is never read: where a sparse file has holes, those would
/// look like zeros.
final class PartialFile {
  /// Why bytes cannot be had.
  enum Gap: Error, Equatable {
    /// The first of them that is not there yet.
    case missing(Int)
    /// The file ends before the last of them, or cannot be read.
    case ended
  }

  private let file: MediaFile
  /// In order, disjoint, not touching, none empty.
  private let available: [Range<Int>]
  let totalBytes: Int?
  /// Where reading in sequence ran into what is not there; nil when it did not.
  private(set) var blocked: Int?

  init(_ file: MediaFile, available: [Range<Int>], totalBytes: Int?) {
    self.file = file
    self.totalBytes = totalBytes
    let whole = 0..<max(0, totalBytes ?? .max)
    var merged: [Range<Int>] = []
    for range in available.map({ $0.clamped(to: whole) }).sorted(by: { $0.lowerBound < $1.lowerBound })
    where !range.isEmpty {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    self.available = merged
  }

  /// How many bytes there are from the beginning on, without a hole.
  var contiguousBytes: Int { end(ofRangeWith: 0) ?? 0 }

  /// All of some bytes.
  func bytes(at offset: Int, count: Int) throws(Gap) -> [UInt8] {
    guard offset >= 0, count >= 0 else { throw .ended }
    let (end, overflow) = offset.addingReportingOverflow(count)
    guard !overflow, end <= totalBytes ?? .max else { throw .ended }
    guard count > 0 else { return [] }
    guard let present = self.end(ofRangeWith: offset) else { throw .missing(offset) }
    guard end <= present else { throw .missing(present) }
    let bytes = file.bytes(at: offset, count: count)
    guard bytes.count == count else { throw .ended }
    return bytes
  }

  /// What to fetch so that looking can go on: never what is there already, never beyond the end.
  /// - Parameters:
  ///   - missing: the first byte that is not there.
  ///   - count: how many bytes are wished for.
  func need(from missing: Int, count: Int = PartialFile.usefulBytes) -> Glance {
    guard missing >= 0, missing < totalBytes ?? .max, end(ofRangeWith: missing) == nil else { return .undecided }
    let next = available.first { $0.lowerBound > missing }?.lowerBound
    let (wished, overflow) = missing.addingReportingOverflow(max(count, 1))
    return .needs(missing..<min(overflow ? .max : wished, next ?? .max, totalBytes ?? .max))
  }

  /// A request costs a round trip, in which this much is no burden. An index tells what is sought in its first few
  /// thousand bytes.
  static let usefulBytes = 32_768

  private func end(ofRangeWith offset: Int) -> Int? {
    available.first { $0.contains(offset) }?.upperBound
  }
}

extension PartialFile: LibavSource {
  var bytes: Int { totalBytes ?? contiguousBytes }

  /// Reads up to the first byte that is missing. At that, it fails and remembers where that was.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    if let totalBytes, offset >= totalBytes { return 0 }
    guard let end = end(ofRangeWith: offset) else {
      blocked = blocked ?? offset
      errno = EAGAIN
      return -1
    }
    return file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(end - offset)), at: offset)
  }
}
