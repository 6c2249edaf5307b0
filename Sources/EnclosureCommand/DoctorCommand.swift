enum DoctorCommand: Command {
  static let syntax = Syntax(
    command: "doctor", operands: "", summary: "Check what this machine can prepare",
    options: [], details: "")

  static func run(_ arguments: Arguments) async throws -> Int32 {
    0
  }
}
