import Glibc
import Metrics

/// The process's own figures, by the names that all Prometheus clients give them.
///
/// https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
enum ProcessMetrics {
  static func add(to registry: MetricsRegistry) {
    registry.computedCounter("process_cpu_seconds_total", help: "User and system time, in seconds.") {
      // CLOCKS_PER_SEC is a million everywhere (clock(3)).
      Double(clock()) / 1e6
    }
    registry.computedGauge("process_resident_memory_bytes", help: "Memory of the control plane, in bytes.") {
      let fields = contents(of: "/proc/self/statm").split(separator: " ")
      return fields.count > 1 ? Double(fields[1]).map { $0 * Double(getpagesize()) } : nil
    }
    registry.computedGauge("process_open_fds", help: "Open file descriptors.") { openDescriptors() }
    registry.computedGauge("process_max_fds", help: "File descriptors that may be open.") {
      var limit = rlimit()
      return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? Double(limit.rlim_cur) : nil
    }
    let start = startTime()
    registry.computedGauge("process_start_time_seconds", help: "When the process was started, in seconds since 1970.") {
      start
    }
  }

  private static func openDescriptors() -> Double? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Without "." and "..", and the one that the folder is read with.
    return Double(count - 3)
  }

  /// See proc(5): the 22nd field of stat, in clock ticks since the machine was started.
  private static func startTime() -> Double? {
    let stat = contents(of: "/proc/self/stat")
    // The second field is the program's name in parentheses, and may hold blanks.
    guard let end = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[end...].split(separator: " ")
    let boot = contents(of: "/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
    guard fields.count > 20, let ticks = Double(fields[20]), let seconds = boot.flatMap({ Double($0.dropFirst(6)) })
    else { return nil }
    return seconds + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func contents(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
