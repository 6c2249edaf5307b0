import Glibc

/// A moment on both clocks that a queue needs, in seconds.
struct QueueTime {
  /// Since 1970. For what has to survive a restart of the machine; jumps when somebody sets the clock.
  var wall: Double
  /// Since the machine was started, sleep included. For leases: setting the clock must neither end them all nor keep a
  /// dead worker's.
  var steady: Double
}

/// Where a queue has the time from. All processes on one machine read the same clocks.
struct QueueClock: Sendable {
  var now: @Sendable () -> QueueTime
  /// Which start of the machine the steady clock counts from.
  var boot: String

  static let system = QueueClock(
    now: { QueueTime(wall: seconds(CLOCK_REALTIME), steady: seconds(CLOCK_BOOTTIME)) }, boot: bootIdentifier())
}

private func seconds(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A UUID that the kernel makes at every start; empty where it does not tell.
private func bootIdentifier() -> String {
  let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return "" }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 36)
  let count = read(descriptor, &bytes, bytes.count)
  return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}
