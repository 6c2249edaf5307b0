import FoundationEssentials
import Glibc
import RichPush
import SchemaSupport
import TestSupport
import Testing

/// Folders for one test: `source` for what is to be prepared, `out` for what comes of it, `tmp` for temporary files.
final class Workbench: Sendable {
  let folder: TemporaryFolder
  var source: String { "\(folder.path)/source" }
  var out: String { "\(folder.path)/out" }
  var temporary: String { "\(folder.path)/tmp" }

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("source")
    try folder.makeFolder("tmp")
  }

  /// Copies one of the fixtures into the source folder.
  func put(_ name: String, as target: String? = nil) throws {
    let content = try #require(contentOfFile(fixture(name)))
    try folder.write(content, to: "source/\(target ?? lastComponent(name))")
  }

  func put(text: String, as target: String) throws {
    try folder.write(Array(text.utf8), to: "source/\(target)")
  }

  /// What the environment has to say for temporary files, for a helper that commits faults on demand, and for servers
  /// on loopback.
  /// - Parameter ports: those of the servers.
  func environment(faulty: Bool = false, reaching ports: [Int] = []) -> [String: String] {
    // A helper takes longer to start than most of these files take to prepare.
    var variables = ["TMPDIR": temporary, "LANG": "C.UTF-8", "ENCLOSURE_HELPERS": "1"]
    if faulty { variables["ENCLOSURE_MEDIA"] = faultyHelper }
    if !ports.isEmpty {
      variables["ENCLOSURE_ALLOW_ADDRESS"] = "127.0.0.0/8"
      variables["ENCLOSURE_ALLOW_PORT"] = ports.map(String.init).joined(separator: ",")
    }
    return variables
  }

  /// The path of `FaultyMedia`, under a name by which the processes of this test can be told from all others.
  var faultyHelper: String {
    let path = "\(folder.path)/helper"
    symlink(builtProduct("FaultyMedia"), path)
    return path
  }

  /// The helpers that run now, of runs with `faultyHelper`.
  var helpers: [pid_t] {
    let path = "\(folder.path)/helper"
    return processes { $0.arguments.first == path }
  }

  func batch(_ options: String..., faulty: Bool = false) async throws -> Run {
    let arguments = ["batch", source, "--out", out] + options
    return try await enclosure(arguments.map { Array($0.utf8) }, environment: environment(faulty: faulty))
  }

  func startBatch(_ options: String..., faulty: Bool = false, on terminal: Terminal? = nil) throws -> ChildProcess {
    let arguments = ["batch", source, "--out", out] + options
    return try startEnclosure(
      arguments.map { Array($0.utf8) }, environment: environment(faulty: faulty), on: terminal)
  }

  func prepare(_ sources: [String], _ options: String..., reaching ports: [Int] = []) async throws -> Run {
    let arguments = ["prepare"] + sources + ["--out", out] + options
    return try await enclosure(arguments.map { Array($0.utf8) }, environment: environment(reaching: ports))
  }

  /// What a reader finds in the store.
  var store: Store { Store(folder: folder, name: "out") }
}

func lastComponent(_ path: String) -> String {
  path.split(separator: "/").last.map(String.init) ?? path
}
