import Pipeline
import RichPush

enum PrepareCommand: Command {
  static let syntax = Syntax(
    command: "prepare", operands: "SOURCE… --out DIR",
    summary: "Prepare one to four files or URLs for one notification",
    options: [
      .init("out", short: "o", .one("DIR"), "the folder for attachments and manifest; it is made when missing"),
      .init("store", .one("URL"), "instead of --out: s3://BUCKET/PREFIX, or a folder"),
      .init("id", .one("ID"), "the job's id, and the manifest's name; by default the sources' last path components"),
      .init("strict", .none, "exit with 1 when any source was rejected, not only when all were"),
      .init("payload", .one("FILE"), "the notification's APNs payload, as JSON; the manifest has it, completed"),
      .init("apns-file", .one("FILE"), "write the payload there, for xcrun simctl push: shows text and buttons"),
      .init("bundle", .one("ID"), "the app that such a file is for: com.example.app"),
      ReportFile.option,
    ] + NotificationOptions.options + Workplace.options + StoreChoice.syntax
      + Workplace.fetchOptions,
    details: """
      The manifest is printed on standard output and stored as DIR/manifests/ID.json; the attachments are below
      DIR/assets. A manifest of the same id is replaced: a/cat.jpg and b/cat.jpg need an --id to be told apart.
      Exit status: 0 ready or partial (with --strict: ready), 1 rejected, 64 wrong use, 70 failed, 130 interrupted.

      \(NotificationOptions.details)

      \(StoreChoice.details)

      \(Workplace.fetchDetails)

      \(ReportFile.details)

      Examples:
        enclosure prepare photo.heic --out prepared
        enclosure prepare https://example.com/clip.mov cover.png --out prepared --id order-1234
        enclosure prepare photo.heic --store s3://my-media/push --public-url https://media.example.com/push
        enclosure prepare https://media.internal:8443/a.jpg --out prepared --allow-host media.internal --allow-port 8443
        enclosure prepare cat.webp --out prepared --payload new-message.json --registry categories.json --apns-file cat.apns
      """)

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard !arguments.operands.isEmpty else {
      throw UsageError("name at least one file or URL to prepare")
    }
    guard arguments.operands.count <= maximumAttachmentsPerNotification else {
      throw UsageError(
        "a notification has at most \(maximumAttachmentsPerNotification) attachments,"
          + " not \(arguments.operands.count); enclosure batch prepares a folder")
    }
    let choice = try StoreChoice(arguments)
    let sources = arguments.operands.map { JobSource(sourceLocation($0)) }
    let id = arguments.text("id") ?? defaultID(of: sources)
    guard !id.isEmpty else { throw UsageError("--id must not be empty") }
    let rules = try NotificationOptions.rules(arguments)
    try requireFile(of: arguments)
    let payload = try payload(arguments)
    let report = try ReportFile(arguments, store: choice.folder, rules: rules)
    let workplace = try await Workplace(arguments)
    let outcome = try await workplace.run {
      let store = try await workplace.open(choice)
      let job = Job(id: id, sources: sources, payload: payload, options: workplace.preparation)
      return try await Pipeline(
        reader: workplace.reader, store: store, publicAddress: choice.publicAddress, rules: rules
      ).run(job)
    }
    try Console.output(outcome.json)
    for rejection in outcome.manifest.rejections { Console.log(.rejected(rejection)) }
    for warning in outcome.manifest.warnings where warning.code == .payload {
      Console.log(.payloadDoubtful(warning.message))
    }
    try writeSimulatorFile(outcome.manifest, arguments)
    try report?.write(outcome.manifest, sources: files(among: sources))
    switch outcome.manifest.status {
    case .ready: return 0
    case .partial: return arguments.has("strict") ? 1 : 0
    case .rejected: return 1
    }
  }

  /// What concerns a file for the simulator only makes sense with one.
  private static func requireFile(of arguments: Arguments) throws(UsageError) {
    if arguments.has("apns-file") {
      guard !arguments.has("voip") else { throw UsageError("--apns-file: the simulator takes no VoIP pushes") }
    } else if arguments.has("bundle"), !arguments.fromVariables.contains("bundle") {
      throw UsageError("--bundle is for the file that --apns-file FILE writes")
    }
  }

  /// The notification that the media are for.
  private static func payload(_ arguments: Arguments) throws(UsageError) -> JSONValue? {
    guard let name = arguments.bytes("payload") else {
      guard !arguments.has("apns-file") else { throw UsageError("--apns-file needs the notification: --payload FILE") }
      return nil
    }
    let path = FilePath(bytes: name)
    let bytes = try document(at: path, option: arguments.given("payload"))
    do throws(JSONSyntaxError) {
      return try JSONValue(parsing: bytes)
    } catch {
      let option = arguments.given("payload")
      throw UsageError(
        "\(option) \(path.description), line \(error.line), column \(error.column): \(error.message)")
    }
  }

  private static func writeSimulatorFile(_ manifest: Manifest, _ arguments: Arguments) throws {
    guard let name = arguments.bytes("apns-file") else { return }
    let path = FilePath(bytes: name)
    guard manifest.status != .rejected, let payload = manifest.payload else {
      let why = "nothing can be attached; what was there is left alone"
      Console.log(.payloadDoubtful("\(path.description) was not written: \(why)"))
      return
    }
    do {
      let bytes = try Payload(complete: payload).simulatorFile(bundle: arguments.text("bundle"))
      let file = try NewFile(at: path)
      try file.write(bytes)
      try file.keep()
    } catch let failure as SimulatorFileFailure {
      throw UnwritableFile(path: path, reason: failure.message)
    } catch let failure as FileFailure {
      throw UnwritableFile(path: path, reason: failure.message)
    }
  }

  /// The files among the sources, by the identifiers of their attachments.
  private static func files(among sources: [JobSource]) -> [String: FilePath] {
    var files: [String: FilePath] = [:]
    for (index, source) in sources.enumerated() {
      if case .file(let path) = source.location { files[defaultIdentifier(ofSource: index + 1)] = path }
    }
    return files
  }

  /// The last parts of the sources' names: for a job that is run by hand, what one would call it.
  private static func defaultID(of sources: [JobSource]) -> String {
    let names = sources.map { FilePath($0.location.publicName).lastComponent.description }
    return names.joined(separator: "+")
  }
}
