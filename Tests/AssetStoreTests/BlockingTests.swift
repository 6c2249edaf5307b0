import Blocking
import Dispatch
import Testing

@Suite struct BlockingTests {
  @Test("blocking work leaves the cooperative threads to others")
  func leavesCooperativeThreads() async {
    let gate = DispatchSemaphore(value: 0)
    let count = 100
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<count {
        group.addTask {
          await blocking {
            gate.wait()
            return number
          }
        }
      }
      // These run while all threads for blocking work are occupied, or nothing ever ends.
      for _ in 0..<count {
        group.addTask {
          gate.signal()
          return 0
        }
      }
      return await group.reduce(0, +)
    }
    #expect(sum == count * (count - 1) / 2)
  }

  @Test("what the work throws comes back")
  func throwsErrors() async {
    struct Failure: Error, Equatable {}
    await #expect(throws: Failure()) {
      try await blocking { () throws(Failure) -> Int in throw Failure() }
    }
  }
}
