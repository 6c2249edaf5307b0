import CLinux
import Glibc
import MediaChannel

/// One running `enclosure-media`, from its start to its end. Used by one thread.
final class Helper {
  /// Why a helper gave no answer. It is of no use afterwards.
  enum Failure: Error {
    /// Somebody wanted it to stop.
    case aborted
    case deadline
    /// Bytes of resident memory that were seen.
    case memory(Int)
    /// It sent something that is no answer; says what.
    case senseless(String)
    /// It ended while it worked.
    case ended(Ending)
    /// It ended before it had read the request, which is not the request's doing.
    case endedIdle(Ending)
  }

  /// How a process ended.
  enum Ending {
    /// By itself, with this status.
    case exited(Int32)
    /// By a fault of its own, or not known how.
    case crashed(String)
    /// By somebody else, the kernel that was short of memory for one.
    case killed(String)

    /// For people: `was killed by signal 11 (Segmentation fault)`.
    var text: String {
      switch self {
      case .exited(let status): "ended with status \(status)"
      case .crashed(let how): how
      case .killed(let how): "\(how), from outside"
      }
    }
  }

  let socket: MessageSocket
  private let process: pid_t
  /// What the process writes on its output and error output. It cannot grow, however much a decoder has to say.
  private let complaints: OpenFile
  private let memoryMark: Int
  private(set) var answers = 0

  /// Starts a process. It is killed when the calling thread ends.
  init(configuration: HelperConfiguration) throws(MessageSocket.Failure) {
    let (own, other) = try MessageSocket.pair()
    let memory = enclosure_memory_file(UInt(maximumComplaints))
    guard memory >= 0 else { throw .system(errno) }
    complaints = OpenFile(adopting: memory)
    socket = own
    memoryMark = configuration.memoryMark

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, complaints.descriptor, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, complaints.descriptor, STDERR_FILENO)
    posix_spawn_file_actions_adddup2(&actions, other.descriptor, HelperProcess.socketDescriptor)
    enclosure_close_from(&actions, HelperProcess.socketDescriptor + 1)

    // A process group of its own: ^C on the terminal is for the control plane, which ends its helpers itself.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

    let arguments =
      [configuration.executable] + HelperProcess.arguments(memoryMark: configuration.memoryMark)
    let argumentPointers = arguments.map { strdup($0) } + [nil]
    let environmentPointers = helperEnvironment().map { strdup($0) } + [nil]
    defer {
      for pointer in argumentPointers + environmentPointers { free(pointer) }
    }
    var started = pid_t()
    let status = posix_spawn(
      &started, configuration.executable, &actions, &attributes, argumentPointers, environmentPointers)
    guard status == 0 else { throw .system(status) }
    process = started
  }

  deinit {
    end()
  }

  /// Sends a request and waits for its answer.
  /// - Parameters:
  ///   - seconds: how long that may take.
  ///   - isAborted: is asked a few times a second.
  func exchange<Request: Encodable, Reply: Decodable>(
    _ request: Request, files: [any DescriptorOwner], within seconds: Double, as type: Reply.Type,
    isAborted: () -> Bool
  ) throws(Failure) -> Reply {
    let deadline = monotonicSeconds() + seconds
    // The process writes where this position is: what it said about an earlier source is of no interest.
    lseek(complaints.descriptor, 0, SEEK_SET)
    do {
      try socket.send(request, files: files)
      let reply = try socket.receive(type) { () throws(Failure) in try wait(until: deadline, isAborted) }
      answers += 1
      return reply.message
    } catch let failure as Failure {
      throw failure
    } catch MessageSocket.Failure.malformed(let what) {
      throw .senseless(what)
    } catch {
      let isUnread = error as? MessageSocket.Failure == .unread
      let (ending, peak) = reap()
      if isUnread, mayEndIdle(by: ending) { throw .endedIdle(ending) }
      throw peak >= memoryMark ? .memory(peak) : .ended(ending)
    }
  }

  /// A program that never answered and ends by itself lacks something: that is to be said to whoever asks it.
  private func mayEndIdle(by ending: Ending) -> Bool {
    if case .killed = ending { true } else { answers > 0 }
  }

  /// How it ended though nobody asked anything of it; nil while it waits for a request. One that has something to say
  /// unasked is ended: it would be taken for the next answer.
  func idleEnding() -> Ending? {
    var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0 ? reap().ending : nil
  }

  /// Bytes of memory that the process holds now.
  var residentBytes: Int {
    guard let text = contents(ofSmallFile: "/proc/\(process)/statm") else { return 0 }
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
    return pages * Int(getpagesize())
  }

  /// What the process wrote on its error output during the last exchange: the last words of a decoder.
  var lastWords: String {
    let size = max(0, lseek(complaints.descriptor, 0, SEEK_CUR))
    var buffer = [UInt8](repeating: 0, count: min(500, size))
    let count = pread(complaints.descriptor, &buffer, buffer.count, off_t(size - buffer.count))
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  /// Ends the process, whatever it is doing. One that has ended already is left alone: its number may be another's now.
  func end() {
    guard !isReaped else { return }
    kill(process, SIGKILL)
    _ = reap()
  }

  private var isReaped = false

  private func wait(until deadline: Double, _ isAborted: () -> Bool) throws(Failure) {
    while true {
      guard !isAborted() else { throw .aborted }
      let left = deadline - monotonicSeconds()
      guard left > 0 else { throw .deadline }
      var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&entry, 1, Int32(min(left, lookInterval) * 1000) + 1)
      if ready > 0 { return }
      let resident = residentBytes
      guard resident < memoryMark else { throw .memory(resident) }
    }
  }

  private func reap() -> (ending: Ending, peak: Int) {
    guard !isReaped else { return (.crashed("had ended before"), 0) }
    isReaped = true
    // It closed its end of the socket, so it is ending; if not, it has no business to go on.
    var status: Int32 = 0
    var usage = rusage()
    var isOurs = false
    var patience = 100
    while true {
      let result = wait4(process, &status, WNOHANG, &usage)
      if result == process { break }
      if result < 0 && errno != EINTR { return (.crashed("ended unseen"), 0) }
      patience -= 1
      if patience == 0 {
        kill(process, SIGKILL)
        isOurs = true
      }
      usleep(2_000)
    }
    let signal = enclosure_signal(status)
    let how = "was killed by signal \(signal) (\(String(cString: strsignal(signal))))"
    let ending: Ending =
      switch signal {
      case 0: .exited(enclosure_exit_status(status))
      case SIGKILL where isOurs: .crashed("spoke out of turn or closed its socket, and was ended")
      case SIGKILL, SIGTERM: .killed(how)
      default: .crashed(how)
      }
    return (ending, usage.ru_maxrss * 1024)
  }
}

/// As much as is kept of what a decoder says about one source, in bytes.
private let maximumComplaints = 16 << 10

/// How often a working helper's memory is looked at, in seconds.
private let lookInterval = 0.05

func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func contents(ofSmallFile path: String) -> String? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var buffer = [UInt8](repeating: 0, count: 256)
  let count = read(descriptor, &buffer, buffer.count)
  return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
}

/// The environment of a helper. It gets what its libraries need and none of this process' secrets.
private func helperEnvironment() -> [String] {
  let handedOn = ["LD_LIBRARY_PATH", "TMPDIR"].compactMap { (name: String) -> String? in
    getenv(name).map { "\(name)=\(String(cString: $0))" }
  }
  // A crash is reported by this process; Swift's own backtrace would only delay the next helper. One thread decodes,
  // so a second arena of malloc would only hold memory back.
  return handedOn + ["SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=1", "VIPS_WARNING=0"]
}
