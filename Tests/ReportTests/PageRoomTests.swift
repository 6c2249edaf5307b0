import Report
import Testing

@Suite("The room in a report")
struct PageRoomTests {
  @Test("is for all of one size or none, whichever comes first")
  func fair() {
    let room = PageRoom(
      for: [(.picture, 40), (.picture, 10), (.picture, 30), (.picture, 30)], total: 100, largestFile: 50)
    #expect(room.has(10, for: .picture) && room.has(30, for: .picture) && !room.has(40, for: .picture))
    let less = PageRoom(
      for: [(.picture, 40), (.picture, 10), (.picture, 30), (.picture, 30)], total: 69, largestFile: 50)
    #expect(less.has(10, for: .picture) && !less.has(30, for: .picture))
  }

  @Test("goes to pictures, then to clips, then to what sources looked like")
  func order() {
    let room = PageRoom(
      for: [(.source, 30), (.clip, 30), (.clip, 60), (.picture, 50), (.source, 20)], total: 100, largestFile: 100)
    #expect(room.has(50, for: .picture) && room.has(30, for: .clip) && !room.has(60, for: .clip))
    #expect(room.has(20, for: .source) && !room.has(30, for: .source))
    #expect(room.omissions == "videos and sounds above 30 B, sources above 20 B")
    #expect(PageRoom(for: [(.picture, 2), (.source, 9)], total: 5).omissions == "all sources")
  }

  @Test("is not taken by one file that is very large, nor needed by none")
  func large() {
    let room = PageRoom(for: [(.clip, 51), (.clip, 5)], total: 100, largestFile: 50)
    #expect(room.has(5, for: .clip) && !room.has(51, for: .clip))
    #expect(!PageRoom(for: []).has(1, for: .picture))
    #expect(room.omissions == "videos and sounds above 5 B" && PageRoom(for: []).omissions == nil)
  }
}
