import Glibc
import SQLite
import Synchronization

func secondsSince1970() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A value that many tasks change.
final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) {
    mutex = Mutex(value)
  }

  var value: Value { mutex.withLock(\.self) }

  @discardableResult
  func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
    mutex.withLock { body(&$0) }
  }
}

extension Database {
  convenience init(path: String) throws(DatabaseFailure) {
    try self.init(path: path.utf8.map(CChar.init(bitPattern:)) + [0])
  }
}
