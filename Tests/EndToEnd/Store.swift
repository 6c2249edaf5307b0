import FoundationEssentials
import Glibc
import RichPush
import SchemaSupport
import TestSupport

/// A store as its readers see it: files in a folder.
struct Store: Sendable {
  let folder: TemporaryFolder
  let name: String

  /// A line of index.jsonl, with what is promised to its readers.
  struct Line: Decodable, Sendable, Equatable {
    var id: String
    var status: Manifest.Status
    var kind: MediaKind?
    var code: Rejection.Code?
    var manifest: String
    var milliseconds: Int
  }

  /// All files, relative to the store.
  var files: [String] { folder.files(below: name).map { String($0.dropFirst(name.count + 1)) }.sorted() }

  func content(_ path: String) -> [UInt8]? { folder.content("\(name)/\(path)") }

  /// The lines of the index as they stand there. One that cannot be read throws.
  var lines: [Line] {
    get throws {
      try (content("index.jsonl") ?? []).split(separator: UInt8(ascii: "\n")).map {
        try JSONDecoder().decode(Line.self, from: Data($0))
      }
    }
  }

  /// The last line of each id.
  var index: [String: Line] {
    get throws { try lines.reduce(into: [:]) { $0[$1.id] = $1 } }
  }

  /// The codes of all rejections, by id.
  var codes: [String: Rejection.Code] {
    get throws { try index.compactMapValues(\.code) }
  }

  func manifest(_ id: String) throws -> Manifest? {
    guard let line = try index[id], let json = content(line.manifest) else { return nil }
    return try JSONDecoder().decode(Manifest.self, from: Data(json))
  }

  /// All manifests by their path, those included that no index names.
  var manifests: [String: Manifest] {
    get throws {
      try files.filter { $0.hasPrefix("manifests/") }.reduce(into: [:]) {
        $0[$1] = try JSONDecoder().decode(Manifest.self, from: Data(content($1) ?? []))
      }
    }
  }

  /// When each file but the index was last written, in nanoseconds, and which one it is: what a rewritten file changes.
  var stamps: [String: [Int]] {
    files.filter { $0 != "index.jsonl" }.reduce(into: [:]) { stamps, path in
      var status = stat()
      guard lstat("\(folder.path)/\(name)/\(path)", &status) == 0 else { return }
      stamps[path] = [status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec, Int(status.st_ino)]
    }
  }

  /// Everything that is not as promised: half-written files, manifests against their schema or without their assets,
  /// index lines that say something else than their manifests. Empty when all is well.
  /// - Parameter strays: whether assets that no manifest names, and files in work, are faults: not while something runs
  ///   or after it was killed.
  func faults(strays: Bool = true) async throws -> [String] {
    let schema = try JSONSchema(contentsOf: "\(packageFolder)/Sources/RichPush/manifest.schema.json")
    var faults: [String] = []
    var assets: [String: Asset] = [:]
    for (path, manifest) in try manifests {
      let json = try JSONDecoder().decode(JSONValue.self, from: Data(content(path) ?? []))
      faults += schema.faults(of: json).map { "\(path): \($0)" }
      for asset in manifest.attachments.flatMap(\.assets) { assets[asset.location] = asset }
    }
    let hashes = try await hashes(of: Array(assets.keys))
    for (location, asset) in assets {
      guard let content = content(location) else {
        faults.append("\(location) is missing")
        continue
      }
      if content.count != asset.bytes { faults.append("\(location) has \(content.count) bytes, not \(asset.bytes)") }
      if hashes[location] != asset.sha256 { faults.append("\(location) has another hash than \(asset.sha256)") }
    }
    for (id, line) in try index {
      guard let manifest = try manifest(id) else {
        faults.append("\(id) has no manifest")
        continue
      }
      if manifest.id != id || manifest.status != line.status { faults.append("\(id) and its manifest differ") }
    }
    if strays {
      let expected = Set(assets.keys).union(try manifests.keys).union(["index.jsonl"])
      faults += files.filter { !expected.contains($0) }.map { "\($0) is a stray" }
    }
    return faults
  }

  private func hashes(of locations: [String]) async throws -> [String: String] {
    guard !locations.isEmpty else { return [:] }
    let run = try await tool("/usr/bin/sha256sum", locations.map { "\(folder.path)/\(name)/\($0)" })
    return run.text.split(separator: "\n").reduce(into: [:]) { hashes, line in
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2, let start = words[1].firstRange(of: "assets/") else { return }
      hashes[String(words[1][start.lowerBound...])] = words[0]
    }
  }
}
