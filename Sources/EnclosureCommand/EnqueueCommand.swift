import Glibc
import JobQueue
import Pipeline
import RichPush

enum EnqueueCommand: Command {
  static let syntax = Syntax(
    command: "enqueue", operands: "[JOB.json|-]…",
    summary: "Add jobs to a queue, for a worker to prepare",
    options: [QueueChoice.option],
    details: """
      A job is a JSON document (job.schema.json). A file, or with - or no name standard input, holds one, or one on each
      line, as files named .jsonl and .ndjson always do. Each id is printed when its job is in the queue, where it
      survives a crash; one that was there before, or ended not long ago, is not added again. A document that is wrong,
      be it the first, is reported with its line, and the others are added. Wrong is also a URL from which nothing could
      be fetched.

      The queue is made where there is none. Exit status: 0 all jobs are in the queue, 1 a document was wrong, 64 wrong
      use, 70 failed, 78 the queue, or what is said of it, has to be put right first. What was printed until then is in
      the queue, and the same command again adds the rest.

      \(QueueChoice.details)

      Examples:
        enclosure enqueue order-1234.json
        enclosure enqueue --queue nats://nats.internal:4222/push < jobs.jsonl
        echo '{"id": "order-1234", "sources": ["https://example.com/cat.webp"]}' | enclosure enqueue
      """)

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var inputs: [JobInput] = []
    let names = arguments.operands.isEmpty ? [Array("-".utf8)] : arguments.operands
    for name in names { inputs.append(try input(name)) }
    if arguments.operands.isEmpty, isatty(STDIN_FILENO) == 1 {
      Console.error("Reading jobs from the terminal: one on a line, ^D ends.\n")
    }
    let queue = try await arguments.openedQueue(creating: true)
    var faults = 0
    for var input in inputs {
      while let pieces = try await input.next() { faults += try await add(pieces, to: queue) }
    }
    await queue.close()
    return faults == 0 ? 0 : 1
  }

  /// Adds jobs at once, and tells of them in their order.
  /// - Returns: how many were wrong.
  private static func add(_ pieces: [JobInput.Piece], to queue: any JobQueue) async throws -> Int {
    try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
      for (index, piece) in pieces.enumerated() {
        group.addTask { (index, try await add(piece, to: queue)) }
      }
      var outcomes: [Int: Outcome] = [:]
      var told = 0
      var faults = 0
      for try await (index, outcome) in group {
        outcomes[index] = outcome
        while let outcome = outcomes.removeValue(forKey: told) {
          switch outcome {
          case .added(let id): try Console.output("\(printable(id))\n")
          case .known(let id):
            try Console.output("\(printable(id))\n")
            Console.log(.jobKnown(id: id))
          case .wrong(let why):
            Console.log(.jobWrong(place: pieces[told].place, why))
            faults += 1
          }
          told += 1
        }
      }
      return faults
    }
  }

  private enum Outcome {
    case added(String)
    case known(String)
    case wrong(String)
  }

  private static func add(_ piece: JobInput.Piece, to queue: any JobQueue) async throws -> Outcome {
    let job: NewJob
    do throws(JobDocument.Fault) {
      job = try NewJob(json: piece.bytes)
    } catch {
      return .wrong(error.message)
    }
    do throws(QueueFailure) {
      switch try await queue.enqueue(job) {
      case .added: return .added(job.id)
      case .known: return .known(job.id)
      }
    } catch {
      guard case .refused(let why) = error else { throw error }
      return .wrong(why)
    }
  }

  private static func input(_ name: [UInt8]) throws(UsageError) -> JobInput {
    if name == Array("-".utf8) {
      let name = "standard input"
      return JobInput(name: name) { try readSome(STDIN_FILENO, of: name) }
    }
    let path = FilePath(bytes: name)
    let descriptor = open(name.map(CChar.init(bitPattern:)) + [0], O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw UsageError("\(path.description) cannot be read: \(String(cString: strerror(errno)))")
    }
    let file = InputFile(descriptor: descriptor)
    var status = stat()
    // It can be opened, but not read; that is to be known before the others are added.
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw UsageError("\(path.description) is a folder; name the files in it")
    }
    let name = path.description
    return JobInput(name: name, areLines: path.namesLines) { try readSome(file.descriptor, of: name) }
  }
}

/// Owns the descriptor of a file that is read.
private final class InputFile: Sendable {
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }
}

/// Jobs could not be read; holds the `errno` that says why.
struct InputFailure: Error {
  /// Of the file.
  let name: String
  let errno: Int32
}

private func readSome(_ descriptor: Int32, of name: String) throws(InputFailure) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(descriptor, &bytes, bytes.count)
    if count >= 0 { return Array(bytes[..<count]) }
    guard errno == EINTR else { throw InputFailure(name: name, errno: errno) }
  }
}
