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
