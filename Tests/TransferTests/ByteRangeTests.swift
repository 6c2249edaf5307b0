import Testing

@testable import Transfer

struct ByteRangeTests {
  @Test("ranges are kept sorted and merged")
  func insert() {
    var bytes = ByteRanges()
    for range in [10..<20, 40..<50, 0..<5, 20..<25, 5..<5, 30..<40, 4..<11] { bytes.insert(range) }
    #expect(bytes.ranges == [0..<25, 30..<50])
    #expect(bytes.contiguous == 25 && bytes.count == 45)
    #expect(bytes.contains(30..<50) && bytes.contains(7..<7) && !bytes.contains(24..<31))
    bytes.insert(0..<100)
    #expect(bytes.ranges == [0..<100])
  }

  @Test("inserting in any order gives what a set of bytes would")
  func model() {
    for _ in 0..<200 {
      var (bytes, model) = (ByteRanges(), Set<Int>())
      for _ in 0..<12 {
        let start = Int.random(in: 0..<60)
        let range = start..<start + Int.random(in: 0..<10)
        bytes.insert(range)
        model.formUnion(range)
      }
      #expect(bytes.ranges.flatMap(Array.init) == model.sorted())
      #expect(zip(bytes.ranges, bytes.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    }
  }

  @Test("the next gap passes over pieces too small to be worth a request")
  func gaps() {
    var bytes = ByteRanges()
    bytes.insert(0..<10)
    #expect(bytes.nextGap(of: 100, negligible: 5) == 10..<100)
    bytes.insert(50..<52)
    #expect(bytes.nextGap(of: 100, negligible: 5) == 10..<100)
    bytes.insert(60..<70)
    #expect(bytes.nextGap(of: 100, negligible: 5) == 10..<60)
    #expect(bytes.nextGap(of: 70, negligible: 50) == 10..<60, "what ends the body is not fetched twice")
    bytes.insert(10..<60)
    #expect(bytes.nextGap(of: 70, negligible: 5) == nil)
  }

  @Test(
    "Content-Range is read as RFC 9110 has it, and nothing else",
    arguments: [
      ("bytes 0-99/1000", 0..<100, 1000), ("BYTES 5-5/*", 5..<6, nil), ("bytes */0", nil, 0),
    ] as [(String, Range<Int>?, Int?)])
  func contentRange(text: String, bytes: Range<Int>?, total: Int?) throws {
    let range = try #require(ContentRange(text))
    #expect(range.bytes == bytes && range.total == total)
  }

  @Test(
    "what contradicts itself is no Content-Range",
    arguments: [
      "", "bytes", "bytes 0-99", "bytes 99-0/1000", "bytes 0-1000/1000", "bytes -5-9/10", "bytes 0-9/10/20",
      "bytes */*",
      "bytes 0-99999999999999999999/*", "items 0-9/10", "bytes 0x1-9/10", "bytes 0-9 /10", "bytes +1-9/10",
    ])
  func noContentRange(text: String) {
    #expect(ContentRange(text) == nil)
  }
}
