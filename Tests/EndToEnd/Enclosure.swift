import FoundationEssentials
import Glibc
import RichPush
import SchemaSupport
import TestSupport

/// How a run of `enclosure` ended.
struct Run: Sendable {
  let ending: ChildProcess.Ending
  let output: [UInt8]
  let errors: String

  /// The exit status; nil when it did not exit by itself.
  var status: Int32? {
    if case .exited(let status) = ending { status } else { nil }
  }

  var text: String { String(decoding: output, as: UTF8.self) }

  /// The lines of standard error that are log events: their fields, but for `permanent`, which is no text.
  var log: [[String: String]] {
    get throws {
      try errors.split(separator: "\n").filter { $0.hasPrefix("{") }.map { line in
        try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)).members.compactMapValues(\.text)
      }
    }
  }
}

/// Starts `enclosure` as it was built beside these tests.
/// - Parameter environment: on top of what it needs.
func startEnclosure(
  _ arguments: [[UInt8]], environment: [String: String] = [:], on terminal: Terminal? = nil
) throws -> ChildProcess {
  let whole = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
  return try ChildProcess(builtProduct("enclosure"), arguments, environment: whole, on: terminal)
}

/// Runs `enclosure` to its end.
func enclosure(_ arguments: [[UInt8]], environment: [String: String] = [:]) async throws -> Run {
  try await run { try startEnclosure(arguments, environment: environment) }
}

func enclosure(_ arguments: String..., environment: [String: String] = [:]) async throws -> Run {
  try await enclosure(arguments.map { Array($0.utf8) }, environment: environment)
}

/// Runs another program to its end.
func tool(_ program: String, _ arguments: [String]) async throws -> Run {
  try await run { try ChildProcess(program, arguments.map { Array($0.utf8) }, environment: ["PATH": "/usr/bin:/bin"]) }
}

private func run(_ start: () throws -> ChildProcess) async throws -> Run {
  await gate.enter()
  do {
    let child = try start()
    let ending = await child.wait()
    await gate.leave()
    return Run(ending: ending, output: child.output, errors: child.errors)
  } catch {
    await gate.leave()
    throw error
  }
}

/// All tests run at once; each process here has helpers of its own, and more than a few at a time are only slower.
private let gate = Gate(width: 4)

private actor Gate {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(width: Int) {
    free = width
  }

  func enter() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
