import Glibc
import Pipeline
import RichPush

/// The options that say what becomes of the notifications of jobs.
enum NotificationOptions {
  static let options: [Syntax.Option] = [
    .init("registry", .one("FILE"), "the app's categories; a job with another category is refused"),
    .init("unknown-category", .one("reject|warn"), "what becomes of such a job; reject by default"),
    .init("preset", .many("NAME"), "name the media for this SDK too: plain, airship, braze, … (see below)"),
    .init("shorten-body", .none, "cut the end of a body that does not fit into the payload"),
    .init("voip", .none, "notifications are VoIP pushes: up to 5,120 bytes, and no service extension"),
  ]

  /// What the help says about them.
  static let details = """
    The payload of the manifest is the notification's with what the media need: mutable-content, their addresses under
    the key enclosure, and under the keys that the SDKs of --preset read, which may be
    \(presets.prefix(7).joined(separator: ", ")),
    \(presets.dropFirst(7).joined(separator: ", ")).
    At most 4,096 bytes can be sent, 5,120 with --voip. Where it is larger, it loses placeholders, the manifest's address,
    posters, sizes and all media but the first, in this order (for expo, sizes before posters), and only then, with
    --shorten-body, the end of its body.
    """

  private static var presets: [String] { PayloadPreset.allCases.map(\.rawValue) }

  /// The rules that arguments ask for.
  static func rules(_ arguments: Arguments) throws(UsageError) -> NotificationRules {
    var rules = NotificationRules()
    if let file = arguments.bytes("registry") {
      rules.registry = try registry(FilePath(bytes: file), option: arguments.given("registry"))
    }
    rules.unknownCategory =
      try arguments.choice("unknown-category", of: NotificationRules.UnknownCategory.self) ?? .reject
    for name in arguments.texts("preset") {
      guard let preset = PayloadPreset(rawValue: name) else {
        let meant = nearest(to: name, among: presets).map { "; is “\($0)” meant?" } ?? ""
        throw UsageError("\(arguments.given("preset")) takes \(alternatives(presets)), not “\(name)”\(meant)")
      }
      if !rules.options.presets.contains(preset) { rules.options.presets.append(preset) }
    }
    rules.options.mayShortenBody = arguments.has("shorten-body")
    if arguments.has("voip") { rules.options.limit = .voip }
    return rules
  }

  /// A registry that has no errors.
  private static func registry(_ path: FilePath, option: String) throws(UsageError) -> CategoryRegistry {
    let bytes = try document(at: path, option: option)
    let findings: [Finding]
    do throws(InvalidRegistry) {
      let registry = try CategoryRegistry(parsing: bytes)
      findings = registry.lint().filter { $0.severity == .error }
      if findings.isEmpty { return registry }
    } catch {
      findings = error.findings
    }
    let first = findings.first.map { "\($0.place): \($0.message)" } ?? ""
    throw UsageError(
      "\(option) \(path.description) has \(findings.count) \(findings.count == 1 ? "error" : "errors"), the first at"
        + " \(first); enclosure categories check shows all")
  }
}

/// The bytes of a document that a command was given; `-` is standard input.
/// - Parameter option: what named it, for messages; nil for operands.
func document(at path: FilePath, option: String? = nil) throws(UsageError) -> [UInt8] {
  do throws(FileFailure) {
    if path.bytes == Array("-".utf8) { return try standardInput(atMost: maximumDocumentBytes) }
    return try contents(of: path, atMost: maximumDocumentBytes)
  } catch {
    throw UsageError("\(option.map { "\($0) " } ?? "")\(path.description) cannot be read: \(error.message)")
  }
}

/// More than any registry or payload has.
private let maximumDocumentBytes = 16 << 20

private func standardInput(atMost maximum: Int) throws(FileFailure) -> [UInt8] {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 64 << 10)
  while bytes.count <= maximum {
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    if count < 0 && errno == EINTR { continue }
    guard count >= 0 else { throw FileFailure(errno: errno) }
    if count == 0 { return bytes }
    bytes += buffer.prefix(count)
  }
  throw FileFailure(errno: EFBIG)
}

/// A file that was asked for cannot be written.
struct UnwritableFile: Error {
  let path: FilePath
  let reason: String
}
