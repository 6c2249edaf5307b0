import FoundationEssentials
import Glibc
import Synchronization

/// A server that speaks S3's protocol, on loopback. Each kind is started once for all tests, by a program in Tests/Servers
/// that ends with this process.
package final class S3Server: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// Amazon's S3, imitated; with users, policies and buckets in other regions.
    case moto
    /// OpenStack's object store.
    case swift
  }

  package struct Key: Sendable, Decodable {
    package let accessKey: String
    package let secretKey: String
  }

  package struct Fault: Error {
    package var message: String
  }

  private struct Facts: Sendable, Decodable {
    let port: Int
    let bucket: String
    let writer: Key
    let reader: Key?
  }

  private let facts: Facts
  private let process: ChildProcess

  package var endpoint: String { "http://127.0.0.1:\(facts.port)" }
  package var port: Int { facts.port }
  package var bucket: String { facts.bucket }
  /// May do everything.
  package var writer: Key { facts.writer }
  /// May only read; moto's alone has one.
  package var reader: Key? { facts.reader }

  private static let python = "\(packageFolder)/build/python/bin/python"

  /// Whether `make setup-tests` has installed them.
  package static var isInstalled: Bool { TestPrograms.mayRun(access(python, X_OK) == 0) }

  private static let running = Mutex<[Kind: Task<S3Server, any Error>]>([:])

  /// The server of a kind, started when nobody has asked for it before.
  package static func shared(_ kind: Kind) async throws -> S3Server {
    let task = running.withLock { running in
      if let task = running[kind] { return task }
      let task = Task { try await S3Server(kind) }
      running[kind] = task
      return task
    }
    return try await task.value
  }

  private init(_ kind: Kind) async throws {
    let variables = ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"]
    let script = Array("\(packageFolder)/Tests/Servers/s3_\(kind.rawValue).py".utf8)
    let process = try ChildProcess(Self.python, [script], environment: variables)
    self.process = process
    let isReady = await eventually { process.hasEnded || process.output.contains(UInt8(ascii: "\n")) }
    guard isReady, let facts = try? JSONDecoder().decode(Facts.self, from: Data(process.output)) else {
      throw Fault(message: "the server \(kind.rawValue) does not start: \(process.errors)")
    }
    self.facts = facts
  }
}
