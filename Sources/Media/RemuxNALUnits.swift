/// How H.264 and HEVC are cut into units, as far as copying has to know.
enum VideoNALUnits {
  enum Codec {
    case h264, hevc
  }

  enum Framing: Equatable {
    /// Each unit follows its length, which has this many bytes.
    case lengths(Int)
    /// Each unit follows 0, 0, 1.
    case startCodes
  }

  /// Where the units lie; none when the lengths lead past the end.
  static func units<Bytes: RandomAccessCollection<UInt8>>(
    in bytes: Bytes, _ framing: Framing
  ) -> [Range<Int>] where Bytes.Index == Int {
    switch framing {
    case .lengths(let size): units(in: bytes, lengthSize: size)
    case .startCodes: unitsBehindStartCodes(in: bytes)
    }
  }

  private static func units<Bytes: RandomAccessCollection<UInt8>>(
    in bytes: Bytes, lengthSize: Int
  ) -> [Range<Int>] where Bytes.Index == Int {
    var units: [Range<Int>] = []
    var position = bytes.startIndex
    while position < bytes.endIndex {
      guard bytes.endIndex - position >= lengthSize else { return [] }
      let length = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      let start = position + lengthSize
      guard length <= bytes.endIndex - start else { return [] }
      units.append(start..<start + length)
      position = start + length
    }
    return units
  }

  private static func unitsBehindStartCodes<Bytes: RandomAccessCollection<UInt8>>(
    in bytes: Bytes
  ) -> [Range<Int>] where Bytes.Index == Int {
    var units: [Range<Int>] = []
    var start: Int?
    var zeros = 0
    func close(at end: Int) {
      guard let start else { return }
      // Zeros before the next start code belong to no unit.
      var end = end
      while end > start, bytes[end - 1] == 0 { end -= 1 }
      units.append(start..<end)
    }
    for position in bytes.indices {
      let byte = bytes[position]
      if byte == 1, zeros >= 2 {
        close(at: position)
        start = position + 1
      }
      zeros = byte == 0 ? zeros + 1 : 0
    }
    close(at: bytes.endIndex)
    return units
  }

  /// A unit as it counts: units end with a 1 bit, and zeros behind it are padding.
  static func withoutTrailingZeros(_ unit: [UInt8]) -> [UInt8] {
    Array(unit.prefix((unit.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  /// Whether a unit is a parameter set that describes the base layer.
  static func isParameterSet<Bytes: RandomAccessCollection<UInt8>>(
    _ unit: Bytes, _ codec: Codec
  ) -> Bool where Bytes.Index == Int {
    guard unit.count >= 2 else { return false }
    let (first, second) = (unit[unit.startIndex], unit[unit.startIndex + 1])
    switch codec {
    case .h264: return [7, 8].contains(first & 0x1F)
    case .hevc: return (32...34).contains(first >> 1 & 0x3F) && (first & 1) << 5 | second >> 3 == 0
    }
  }
}

extension VideoNALUnits {
  /// The configuration in a sample entry: `avcC` or `hvcC`.
  struct Record {
    /// Bytes of each unit's length.
    var lengthSize: Int
    var sets: [[UInt8]] = []

    /// - Returns: nil when the bytes are none.
    init?(_ bytes: [UInt8], _ codec: Codec) {
      guard bytes.first == 1 else { return nil }
      switch codec {
      case .h264:
        guard bytes.count >= 7 else { return nil }
        lengthSize = Int(bytes[4] & 3) + 1
        var position = 5
        for mask in [UInt8(0x1F), 0xFF] where position < bytes.count {
          let count = Int(bytes[position] & mask)
          position += 1
          take(count, bytes, &position)
        }
      case .hevc:
        guard bytes.count >= 23 else { return nil }
        lengthSize = Int(bytes[21] & 3) + 1
        var position = 23
        for _ in 0..<bytes[22] where position + 3 <= bytes.count {
          let isParameterSet = (32...34).contains(bytes[position] & 0x3F)
          let count = Int(bytes.bigEndian(at: position + 1, count: 2))
          let before = sets
          position += 3
          take(count, bytes, &position)
          if !isParameterSet { sets = before }
        }
      }
    }

    private mutating func take(_ count: Int, _ bytes: [UInt8], _ position: inout Int) {
      for _ in 0..<count where position + 2 <= bytes.count {
        let end = position + 2 + Int(bytes.bigEndian(at: position, count: 2))
        guard end <= bytes.count else {
          position = bytes.count
          return
        }
        sets.append(Array(bytes[position + 2..<end]))
        position = end
      }
    }

    /// A configuration with sets in it, made of one without.
    /// - Returns: nil when a kind of set is missing or too long.
    static func configuration(
      _ old: [UInt8], _ codec: Codec, sets: [[UInt8]], lengthSize: Int
    ) -> [UInt8]? {
      guard sets.allSatisfy({ $0.count >= 4 && $0.count <= Int(UInt16.max) }) else { return nil }
      func listed(_ sets: [[UInt8]]) -> [UInt8] {
        sets.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0 }
      }
      func type(_ set: [UInt8]) -> UInt8 { codec == .h264 ? set[0] & 0x1F : set[0] >> 1 & 0x3F }
      switch codec {
      case .h264:
        let sequence = sets.filter { type($0) == 7 }
        let picture = sets.filter { type($0) == 8 }
        guard let first = sequence.first, sequence.count < 32, !picture.isEmpty, picture.count < 256 else { return nil }
        var record: [UInt8] = [1, first[1], first[2], first[3], 0xFC | UInt8(lengthSize - 1)]
        record += [0xE0 | UInt8(sequence.count)] + listed(sequence) + [UInt8(picture.count)] + listed(picture)
        // The high profiles say their sampling as well: what is copied is 4:2:0 of 8 bits.
        if first[1] >= 100 { record += [0xFD, 0xF8, 0xF8, 0] }
        return record
      case .hevc:
        var record = Array(old.prefix(22)) + [3]
        for kind in UInt8(32)...34 {
          let ofKind = sets.filter { type($0) == kind }
          guard !ofKind.isEmpty, ofKind.count < 256 else { return nil }
          record += [0x80 | kind, 0, UInt8(ofKind.count)] + listed(ofKind)
        }
        return record
      }
    }
  }
}
