import Glibc
package import RichPush
package import Transfer

/// What a store needs to know besides its location. All of it is for S3.
package struct StoreOptions: Sendable {
  /// How a bucket is named in URLs.
  package enum Addressing: String, Sendable, CaseIterable {
    /// `https://s3.example.com/bucket/key`
    case path
    /// `https://bucket.s3.example.com/key`
    case host
  }

  /// The server, `https://s3.example.com`; nil for AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or Amazon's of the region.
  package var endpoint: String?
  /// nil for AWS_REGION, AWS_DEFAULT_REGION, the profile's, or us-east-1, which most other servers take.
  package var region: String?
  /// nil for what suits: `path` with an endpoint that was named, else `host`.
  package var addressing: Addressing?
  /// A file of profiles with credentials, as Amazon's tools have it; nil for the environment's.
  package var credentialsFile: String?
  package var profile: String?

  /// How often a request is sent when its faults may pass.
  package var attempts = 5
  package var backoff = Backoff(first: 0.25, maximum: 8, maximumRetryAfter: 30)
  package var limits = Self.defaultLimits
  /// Waits for a number of seconds between attempts. Tests put a clock of their own here.
  package var pause: @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  /// A variable of the environment; nil where it is not set or empty.
  package var variable: @Sendable (String) -> String? = { name in
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  package init() {}

  /// The profile whose credentials and region count.
  var profileName: String {
    profile ?? variable("AWS_PROFILE") ?? variable("AWS_DEFAULT_PROFILE") ?? "default"
  }

  private static var defaultLimits: HTTPLimits {
    var limits = HTTPLimits()
    // S3 takes thousands of requests per second at one prefix; what bounds uploads is the line.
    limits.concurrentPerHost = 32
    // Manifests come back whole: they are a few kilobytes, or more where a job brings a large payload.
    limits.maximumResponseBytes = 16 << 20
    return limits
  }
}

/// Opens a store, and makes sure that it can be used as far as that can be told without writing to it.
///
/// - Parameters:
///   - client: what requests to S3 go through.
///   - workFolder: where files are made before they go to S3; a directory store has its own place for them.
package func openStore(
  _ location: StoreLocation, _ options: StoreOptions = StoreOptions(), client: HTTPClient,
  workFolder: [UInt8]
) async throws(Rejection.Reason) -> any AssetStore {
  switch location {
  case .directory(let path): return try await DirectoryStore(path: path)
  case .s3(let location):
    let store = try S3Store(location, options, client: client, workFolder: workFolder)
    try await store.check()
    return store
  }
}
