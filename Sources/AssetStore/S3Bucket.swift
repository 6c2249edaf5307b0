import PercentEncoding
import RichPush

/// How a bucket is reached: the server, the region that signatures name, and the URLs of keys.
struct S3Bucket: Sendable {
  let location: S3Location
  let region: String
  /// `https://` and the like.
  private let scheme: String
  /// The server's name, with a port where it has one.
  private let server: String
  private let addressing: StoreOptions.Addressing

  /// - Throws: `store_failed` when endpoint or region are none.
  init(_ location: S3Location, _ options: StoreOptions) throws(Rejection.Reason) {
    self.location = location
    let variable = options.variable
    let region =
      options.region ?? variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? Self.configuredRegion(options)
      ?? "us-east-1"
    // What libcurl takes for a signature: see `AWSSignature`.
    guard (1...64).contains(region.utf8.count), region.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      !region.contains(where: { ":/,".contains($0) })
    else { throw unusable("the region “\(region.prefix(64))” is none; write it like eu-central-1") }
    self.region = region

    guard let endpoint = options.endpoint ?? variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL") else {
      scheme = "https://"
      let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
      server = "s3.\(region).\(domain)"
      // A certificate for *.s3.example.com is not one for a.b.s3.example.com.
      addressing = options.addressing ?? (location.bucket.isHostLabel ? .host : .path)
      return
    }
    let scheme = ["https://", "http://"].first { endpoint.lowercased().hasPrefix($0) }
    guard let scheme else {
      throw unusable("the store's endpoint is no http or https URL; write it like https://s3.example.com")
    }
    var server = endpoint.dropFirst(scheme.count)
    if server.hasSuffix("/") { server = server.dropLast() }
    guard !server.isEmpty, !server.contains(where: { "/?#@\\".contains($0) || $0.isWhitespace }) else {
      throw unusable("the store's endpoint has more than scheme, host and port; write it like https://s3.example.com")
    }
    self.scheme = scheme
    self.server = String(server)
    addressing = options.addressing ?? .path
    guard addressing == .path || !location.bucket.contains("_") else {
      throw unusable("the bucket \(location.bucket) cannot stand in a host name; use --store-addressing path")
    }
  }

  /// The server, for messages.
  var name: String { addressing == .host ? "\(location.bucket).\(server)" : server }

  /// The URL of a location of the store, encoded as signatures want it: the key's bytes once, its slashes kept.
  func url(of location: String) -> String {
    let key = percentEncodedPath(self.location.key(of: location))
    return switch addressing {
    case .path: "\(scheme)\(server)/\(self.location.bucket)/\(key)"
    case .host: "\(scheme)\(self.location.bucket).\(server)/\(key)"
    }
  }

  /// The region of the profile in Amazon's config file.
  private static func configuredRegion(_ options: StoreOptions) -> String? {
    let variable = options.variable
    guard let path = variable("AWS_CONFIG_FILE") ?? variable("HOME").map({ "\($0)/.aws/config" }),
      case .success(let text) = text(ofFile: path)
    else { return nil }
    return AWSProfiles(text).value("region", of: options.profileName)
  }
}

extension String {
  /// Whether it can be the first label of a host name.
  fileprivate var isHostLabel: Bool {
    utf8.allSatisfy { (0x30...0x39) ~= $0 || (0x61...0x7A) ~= $0 || $0 == UInt8(ascii: "-") }
      && !hasPrefix("-") && !hasSuffix("-")
  }
}
