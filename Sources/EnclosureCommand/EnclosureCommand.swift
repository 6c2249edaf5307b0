import Glibc
import JobQueue
import Pipeline

/// `enclosure`: finds the command, gives it its arguments, and turns what it throws into a message and an exit status.
@main
struct EnclosureCommand {
  static let version = "0.1.0"
  static var commands: [any Command.Type] {
    [
      PrepareCommand.self, BatchCommand.self, InspectCommand.self, WorkerCommand.self, EnqueueCommand.self,
      QueueCommand.self, CategoriesCommand.self, DoctorCommand.self,
    ]
  }

  static func main() async {
    Console.reserveDescriptors()
    Interruption.install()
    // A reader who has gone away shows in what write returns.
    signal(SIGPIPE, SIG_IGN)
    // The same for a file that grows beyond a limit (ulimit -f).
    signal(SIGXFSZ, SIG_IGN)
    let words = Array(rawArguments().dropFirst())
    let status = await status(of: words)
    Console.finishLog(within: 2)
    exit(status)
  }

  private static func status(of words: [[UInt8]]) async -> Int32 {
    do {
      return try await run(words)
    } catch is CancellationError {
      return 130
    } catch {
      let command = words.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
      Console.log(.failed(command: command, describe(error)))
      return failureStatus(error)
    }
  }

  private static func run(_ words: [[UInt8]]) async throws -> Int32 {
    let name = words.first.map { String(decoding: $0, as: UTF8.self) }
    switch name {
    case nil:
      Console.error(overview)
      return EX_USAGE
    case "help", "--help", "-h":
      guard words.count > 1 else {
        try Console.output(overview)
        return 0
      }
      let subject = String(decoding: words[1], as: UTF8.self)
      guard let command = command(named: subject) else { return complain(about: subject) }
      try Console.output(command.syntax.help)
      return 0
    case "--version", "version":
      try Console.output("enclosure \(version)\n")
      return 0
    case let name?:
      guard let command = command(named: name) else {
        return complain(about: name)
      }
      return try await run(command, Array(words.dropFirst()))
    }
  }

  private static func run(_ command: any Command.Type, _ words: [[UInt8]]) async throws -> Int32 {
    let options = words.prefix { $0 != Array("--".utf8) }
    if options.contains(where: { $0 == Array("--help".utf8) || $0 == Array("-h".utf8) }) {
      try Console.output(command.syntax.help)
      return 0
    }
    for variable in UnknownVariable.all { Console.log(.variableUnknown(variable)) }
    do {
      return try await command.run(try command.syntax.parse(words))
    } catch let error as UsageError {
      Console.error("enclosure \(command.syntax.command): \(printable(error.message))\n")
      Console.error("enclosure \(command.syntax.command) --help shows its options.\n")
      return EX_USAGE
    }
  }

  private static func complain(about name: String) -> Int32 {
    Console.error("enclosure: there is no command “\(printable(name))”; enclosure --help lists them\n")
    return EX_USAGE
  }

  private static func command(named name: String) -> (any Command.Type)? {
    commands.first { $0.syntax.command == name }
  }

  private static var overview: String {
    let list = commands.map { command in
      let name = command.syntax.command
      return "  \(name)\(String(repeating: " ", count: max(1, 12 - name.count)))\(command.syntax.summary)\n"
    }.joined()
    return """
      Prepares media for rich notifications on iOS: what goes in may be anything, what comes out is shown.

      Usage:
        enclosure COMMAND [OPTION…]

      Commands:
      \(list)
      enclosure COMMAND --help explains a command, enclosure --version tells which this is. Try:
        enclosure prepare https://example.com/cat.webp --out prepared

      """
  }
}

/// One of the commands.
protocol Command {
  static var syntax: Syntax { get }
  /// Returns the exit status.
  static func run(_ arguments: Arguments) async throws -> Int32
}

/// The exit status of a command that did not do what it should: 78 where settings have to change first.
func failureStatus(_ error: any Error) -> Int32 {
  if case QueueFailure.unusable = error { EX_CONFIG } else { EX_SOFTWARE }
}

/// The words of the command line as they were given. `CommandLine.arguments` would mend names that are no UTF-8.
private func rawArguments() -> [[UInt8]] {
  (0..<Int(CommandLine.argc)).compactMap { index in
    CommandLine.unsafeArgv[index].map { word in
      UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
    }
  }
}
