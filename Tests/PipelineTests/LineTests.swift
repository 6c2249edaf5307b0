import Testing

@testable import Pipeline

@Suite("Lines")
struct LineTests {
  @Test("who came first is served first, however many come and go")
  func order() {
    var line = Line<Int>()
    #expect(line.popFirst() == nil)
    var served: [Int] = []
    for number in 0..<10_000 {
      line.append(number)
      if number % 3 > 0, let first = line.popFirst() { served.append(first) }
    }
    #expect(served == Array(0..<served.count))
    #expect(line.removeAll() == Array(served.count..<10_000))
    #expect(line.isEmpty)
    line.append(1)
    #expect(line.popFirst() == 1)
  }
}
