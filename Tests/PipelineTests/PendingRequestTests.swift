import Preparation
import RichPush
import Testing

@testable import Pipeline

@Suite("Requests that wait for a helper")
struct PendingRequestTests {
  private let inspect = HelperRequest.inspect(InspectRequest(enoughSeconds: 31, enoughFrames: 100))
  private let verify = HelperRequest.verify(
    VerifyRequest(expected: PreparedFile(type: .jpeg, bytes: 1, width: 1, height: 1, frames: 1, steps: [])))

  private let glance = HelperRequest.glance(GlanceRequest(available: [], totalBytes: nil, enoughSeconds: 31))

  @Test("take turns as they came, but what a transfer waits for first, and what goes on before what begins")
  func order() {
    let requests = [inspect, verify, inspect, glance, verify, .describe, glance].map { PendingRequest($0, files: []) }
    var queue = RequestQueue()
    for request in requests { queue.append(request) }
    var order: [Int?] = []
    while let next = queue.popFirst() { order.append(requests.firstIndex { $0 === next }) }
    #expect(order == [3, 6, 1, 4, 0, 2, 5])
  }

  /// Takes minutes, as an encoded video does.
  private let encode = HelperRequest.prepare(
    PrepareRequest(
      facts: MediaFacts(format: .mov, bytes: 1, content: .image(ImageFacts(codedWidth: 1, codedHeight: 1))),
      recipe: .encode(
        EncodeRecipe(
          type: .mpeg4, picture: PictureRecipe(stream: 0, .encode(encoding: PictureEncoding(rungs: []))),
          maximumBytes: 1))))

  @Test("are passed over where only what is quick may run, and keep their turn")
  func longOnes() {
    let requests = [encode, inspect, encode, verify].map { PendingRequest($0, files: []) }
    var queue = RequestQueue()
    for request in requests { queue.append(request) }
    var order: [Int?] = []
    while let next = queue.popFirst(longToo: false) { order.append(requests.firstIndex { $0 === next }) }
    #expect(order == [3, 1] && queue.count == 2)
    while let next = queue.popFirst() { order.append(requests.firstIndex { $0 === next }) }
    #expect(order == [3, 1, 0, 2] && queue.count == 0)
  }

  @Test("are answered once, whatever comes later")
  func once() async throws {
    let pending = PendingRequest(inspect, files: [])
    let answer = await withCheckedContinuation { continuation in
      #expect(pending.wait(with: continuation) && !pending.isOver)
      pending.finish(.success(.verified))
      pending.cancel()
    }
    guard case .verified = try answer.get() else {
      Issue.record("\(answer)")
      return
    }
    #expect(pending.isOver)
  }

  @Test("that are cancelled before they wait never do")
  func early() async {
    let pending = PendingRequest(inspect, files: [])
    pending.cancel()
    let answer = await withCheckedContinuation { continuation in
      #expect(!pending.wait(with: continuation))
    }
    #expect(throws: CancellationError.self) { try answer.get() }
  }
}
