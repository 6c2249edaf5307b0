import CLinux
package import Glibc
import Synchronization

/// A program that a test started. It is killed with this object unless it has ended.
package final class ChildProcess: Sendable {
  package enum Ending: Sendable, Equatable {
    case exited(Int32)
    case killed(signal: Int32)
    /// It was still running after the longest time a test waits; then it was killed.
    case hung
  }

  package let pid: pid_t
  private let folder: TemporaryFolder
  private let ending = Mutex<Ending?>(nil)

  /// Starts a program in a session of its own. Standard output and error go to files.
  /// - Parameters:
  ///   - arguments: behind the program's name; any bytes but NUL.
  ///   - environment: all of it.
  ///   - terminal: gets standard error, and is the input and the controlling terminal of the program.
  package init(
    _ program: String, _ arguments: [[UInt8]] = [], environment: [String: String] = [:], on terminal: Terminal? = nil
  ) throws {
    folder = try TemporaryFolder()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // What leads a session and opens a terminal gets that as its controlling one.
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal?.path ?? "/dev/null", O_RDWR, 0)
    let creating = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "\(folder.path)/output", creating, 0o666)
    if terminal != nil {
      posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "\(folder.path)/errors", creating, 0o666)
    }
    enclosure_close_from(&actions, STDERR_FILENO + 1)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | startsSession))

    let words = ([Array(program.utf8)] + arguments).map { strdup(cString($0[...])) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer {
      for pointer in words + variables { free(pointer) }
    }
    var started = pid_t()
    let status = posix_spawn(&started, program, &actions, &attributes, words, variables)
    guard status == 0 else { throw FileFault(call: "posix_spawn", path: program, code: status) }
    pid = started
  }

  deinit {
    if ending.withLock({ $0 == nil }) {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
  }

  /// Sends a signal, unless the process has ended.
  package func signal(_ number: Int32) {
    ending.withLock { ending in
      if ending == nil { kill(pid, number) }
    }
  }

  /// Waits for its end without holding a thread.
  package func wait() async -> Ending {
    for _ in 0..<longestWait {
      if let ending = look() { return ending }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return ending.withLock { ending in
      if ending == nil {
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        ending = .hung
      }
      return ending ?? .hung
    }
  }

  package var hasEnded: Bool { look() != nil }

  /// What it has written so far.
  package var output: [UInt8] { folder.content("output") ?? [] }
  package var errors: String { String(decoding: folder.content("errors") ?? [], as: UTF8.self) }

  /// The processes that it started and that run now.
  package var children: [pid_t] {
    processes { $0.parent == pid }
  }

  private func look() -> Ending? {
    ending.withLock { ending in
      guard ending == nil else { return ending }
      var status: Int32 = 0
      guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
      let signal = enclosure_signal(status)
      ending = signal != 0 ? .killed(signal: signal) : .exited(enclosure_exit_status(status))
      return ending
    }
  }
}

/// `POSIX_SPAWN_SETSID`, which Swift does not see without _GNU_SOURCE.
private let startsSession: Int32 = 0x80

/// Hundredths of a second after which something that was waited for does not come any more: long enough for any machine.
private let longestWait = 12_000

/// Waits until something has come about.
/// - Returns: false when it has not after two minutes.
package func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
  for _ in 0..<longestWait {
    if try await condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return try await condition()
}

/// A running process, as /proc knows it.
package struct RunningProcess: Sendable {
  package var pid: pid_t
  package var parent: pid_t
  /// What it was started with, its own name first.
  package var arguments: [String]
}

/// The running processes that fulfil a condition; not those that have ended and wait for their parent.
package func processes(where condition: (RunningProcess) -> Bool) -> [pid_t] {
  guard let listing = opendir("/proc") else { return [] }
  defer { closedir(listing) }
  var found: [pid_t] = []
  while let entry = readdir(listing) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    guard let pid = pid_t(name), let process = runningProcess(pid), condition(process) else { continue }
    found.append(pid)
  }
  return found
}

/// The process of this number; nil when there is none or it has ended.
package func runningProcess(_ pid: pid_t) -> RunningProcess? {
  guard let status = contentOfFile("/proc/\(pid)/stat"), let name = status.lastIndex(of: UInt8(ascii: ")")) else {
    return nil
  }
  let fields = String(decoding: status[(name + 1)...], as: UTF8.self).split(separator: " ")
  guard fields.count > 1, fields[0] != "Z", fields[0] != "X", let parent = pid_t(fields[1]) else { return nil }
  let words = (contentOfFile("/proc/\(pid)/cmdline") ?? []).split(separator: 0)
  return RunningProcess(pid: pid, parent: parent, arguments: words.map { String(decoding: $0, as: UTF8.self) })
}
