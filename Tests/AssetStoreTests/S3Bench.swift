import AssetStore
import RichPush
import Synchronization
import TestSupport
import Testing
import Transfer

/// A store in a corner of its own of a server's bucket, for one test.
struct S3Bench: Sendable {
  let server: S3Server
  let prefix: String
  let client = HTTPClient()

  init(_ kind: S3Server.Kind, prefix: String = "tests/push media+ü/") async throws {
    server = try await S3Server.shared(kind)
    self.prefix = prefix + String(UInt64.random(in: .min ... .max), radix: 16)
  }

  func options(_ key: S3Server.Key? = nil) -> StoreOptions {
    let key = key ?? server.writer
    return .testing(endpoint: server.endpoint, accessKey: key.accessKey, secretKey: key.secretKey)
  }

  func store(
    bucket: String? = nil, _ key: S3Server.Key? = nil, _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> S3Store {
    var options = options(key)
    change(&options)
    let location = try S3Location("\(bucket ?? server.bucket)/\(prefix)")
    return try S3Store(location, options, client: client, workFolder: Array("/tmp".utf8))
  }

  /// The whole answer to a request for a location, asked for without the store.
  func response(_ method: HTTPRequest.Method, _ location: String) async throws -> HTTPResponse {
    try await ask(method, "\(server.bucket)/\(encoded("\(prefix)/\(location)", keeping: "/"))")
  }

  func content(_ location: String) async throws -> [UInt8]? {
    let response = try await response(.get, location)
    return response.status == 404 ? nil : response.body
  }

  func locations(below folder: String) async throws -> [String] {
    let start = folder.isEmpty ? "\(prefix)/" : "\(prefix)/\(folder)/"
    let answer = try await ask(.get, "\(server.bucket)?list-type=2&prefix=\(encoded(start, keeping: ""))")
    let text = String(decoding: answer.body, as: UTF8.self)
    return text.split(separator: "<Key>").dropFirst().compactMap { part in
      part.split(separator: "</Key>").first.map { String($0.dropFirst(prefix.count + 1)) }
    }
  }

  /// Puts other bytes in the place of an object.
  func overwrite(_ location: String, with bytes: [UInt8]) async throws {
    let target = "\(server.bucket)/\(encoded("\(prefix)/\(location)", keeping: "/"))"
    let response = try await ask(.put, target, body: .bytes(bytes))
    #expect(response.isSuccess)
  }

  /// Puts bytes with hashes that need not be theirs.
  func put(_ bytes: [UInt8], at location: String, signedHash: String, checksum: String) async throws -> HTTPResponse {
    let target = "\(server.bucket)/\(encoded("\(prefix)/\(location)", keeping: "/"))"
    return try await ask(.put, target, body: .bytes(bytes), hash: signedHash, [("x-amz-checksum-sha256", checksum)])
  }

  private func ask(
    _ method: HTTPRequest.Method, _ target: String, body: HTTPRequest.Body = .none, hash: String = "UNSIGNED-PAYLOAD",
    _ fields: [(name: String, value: String)] = []
  ) async throws -> HTTPResponse {
    var request = HTTPRequest(method, "\(server.endpoint)/\(target)")
    request.fields = fields + [("x-amz-content-sha256", hash)]
    request.signature = AWSSignature(
      accessKey: server.writer.accessKey, secretKey: server.writer.secretKey, region: "us-east-1", service: "s3")
    request.body = body
    request.limits.maximumResponseBytes = 100_000_000
    return try await client.send(request)
  }
}

extension StoreOptions {
  /// Options whose pauses take no time, and which look at no environment but what is given.
  static func testing(
    endpoint: String, accessKey: String = "key", secretKey: String = "secret", environment: [String: String] = [:]
  ) -> StoreOptions {
    var options = StoreOptions()
    options.endpoint = endpoint
    options.region = "us-east-1"
    let variables = ["AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey]
      .merging(environment) { $1 }
    options.variable = { variables[$0] }
    options.pause = { _ in }
    return options
  }
}

/// Percent-encodes as signatures want it, written down once more: a test must not trust what it tests.
private func encoded(_ text: String, keeping kept: String) -> String {
  text.utf8.map { byte in
    let character = Character(UnicodeScalar(byte))
    let isUnreserved = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
    if isUnreserved || kept.contains(character) { return String(character) }
    return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }.joined()
}
